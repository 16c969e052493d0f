package import HubControl
import MatterNode
package import MatterWire

/// What a subscriber of a device hears.
package enum DeviceUpdate: Hashable, Sendable {
    /// Attributes that are not what they were.
    case attributes([AttributeReport])
    /// Nothing more comes, and why: a stable identifier (Protocols/hub-control.md §5).
    case ended(String)
}

/// A subscription to a device.
package struct DeviceFeed: Sendable {
    /// For ``HubService/unfollow(_:)``.
    package let number: Int
    /// The attributes that were asked for, as they are now.
    package let current: [AttributeReport]
    /// Ends after ``DeviceUpdate/ended(_:)``, or with ``HubService/unfollow(_:)``.
    package let updates: AsyncStream<DeviceUpdate>
}

/// A subscription of an app to a device's node.
struct DeviceFollower {
    let structure: StructureID
    let node: NodeID
    /// The operator's number.
    let feed: Int
    let updates: AsyncStream<DeviceUpdate>.Continuation
    /// Passes the node's updates on; ends with the feed.
    let relay: Task<Void, Never>
}

extension HubService {
    /// Follows attributes of a device's node. The hub has one subscription with the node, whoever follows it.
    ///
    /// - Throws: ``ControlError``, also when the device does not answer now; once it stands the hub keeps it up.
    package func follow(
        _ path: AttributePath, of id: DeviceID, by caller: Caller
    ) async throws(ControlError) -> DeviceFeed {
        let (device, matter) = try await reach(id, caller)
        let feed = try await controlErrors { try await matter.subscribe(to: [path], of: device.node) }
        // Meanwhile the device may have gone, or the hub.
        guard isReachable, await ledger.state.devices[id] != nil else {
            await matter.unsubscribe(feed.number, from: device.node)
            throw isReachable ? .noDevice(id) : .offline
        }
        let (updates, continuation) = AsyncStream<DeviceUpdate>.makeStream(
            bufferingPolicy: .bufferingOldest(NodeFeed.bufferedUpdates))
        lastFollower += 1
        let number = lastFollower
        let relay = Task {
            for await update in feed.updates { await self.pass(update, to: number) }
            await self.endFollower(number, reason: "deviceRemoved")
        }
        followers[number] = DeviceFollower(
            structure: device.structure, node: device.node, feed: feed.number, updates: continuation, relay: relay)
        return DeviceFeed(number: number, current: feed.current, updates: updates)
    }

    /// Ends a subscription on its subscriber's wish.
    package func unfollow(_ number: Int) async { await endFollower(number, reason: nil) }

    private func pass(_ update: NodeUpdate, to number: Int) async {
        guard let follower = followers[number] else { return }
        switch update {
        case .changed(let reports):
            guard case .enqueued = follower.updates.yield(.attributes(reports)) else {
                return await endFollower(number, reason: "tooSlow")
            }
        case .reachable(let isReachable):
            await tellReachability(of: follower.node, isReachable, in: follower.structure)
        }
    }

    /// Tells once, however many follow the node.
    private func tellReachability(of node: NodeID, _ isReachable: Bool, in structure: StructureID) async {
        guard let told = runtimes[structure]?.silentNodes.contains(node), told == isReachable else { return }
        if isReachable {
            runtimes[structure]?.silentNodes.remove(node)
        } else {
            runtimes[structure]?.silentNodes.insert(node)
        }
        for device in await ledger.state.devices(of: structure) where device.node == node {
            emit("device.changed", ["id": device.id.json, "reachable": .bool(isReachable)], in: structure)
        }
    }

    private func endFollower(_ number: Int, reason: String?) async {
        guard let follower = followers.removeValue(forKey: number) else { return }
        if let reason { _ = follower.updates.yield(.ended(reason)) }
        follower.updates.finish()
        await runtimes[follower.structure]?.matter.unsubscribe(follower.feed, from: follower.node)
    }

    /// Ends the subscriptions that a condition holds for.
    func endFollowers(reason: String, where isMeant: (DeviceFollower) -> Bool = { _ in true }) async {
        for (number, follower) in followers where isMeant(follower) { await endFollower(number, reason: reason) }
    }
}
