package import HubControl
import NetIO

/// What the listeners of a link learn, in this order of events.
package enum LinkSignal: Hashable, Sendable {
    /// Events come again, over a connection that has no subscriptions to devices yet.
    ///
    /// - `isFresh`: what was known before may be wrong: it is the first connection, events were lost, or the hub was
    ///   away or did not permit anything meanwhile.
    case connected(isFresh: Bool)
    /// Something happened in the home.
    case event(ControlEvent)
    /// This process changed something on a device; the device's own word of it may not have come yet.
    case changed(DeviceID)
    /// The hub cannot be reached; it is tried again.
    case away
    /// There is no permission any more.
    case revoked
}

/// Listens to a link until it is cancelled or goes away.
package final class LinkListener: Sendable {
    private let end: @Sendable () -> Void

    fileprivate init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }

    /// Ends listening; more calls do nothing.
    package func cancel() { end() }
}

/// A device whose attributes a listener wants to hear of.
package struct FollowedDevice: Hashable, Sendable {
    /// The device.
    package var id: DeviceID
    /// The endpoint of its node.
    package var endpoint: UInt16

    /// Names a device.
    package init(_ id: DeviceID, endpoint: UInt16) {
        self.id = id
        self.endpoint = endpoint
    }
}

/// The listeners of one link, and the task that follows the hub's events for them while there are any.
///
/// ```
///  connecting ── connected, subscribed ──▶ following ── connection ends ──▶ connecting
///      │ ▲                                                  (with the number of the next event)
///      │ └── delay is over ── away ◀── the hub cannot be reached ── connecting
///      └── no permission ──▶ revoked ── wake(), delay is over ──▶ connecting
/// ```
final class LinkWatch: Sendable {
    private struct State: Sendable {
        var listeners: [Int: @Sendable (LinkSignal) -> Void] = [:]
        var next = 0
        var following: Task<Void, Never>?
        /// Ends the wait of the task that follows.
        var alarm: AsyncStream<Void>.Continuation?
        /// How many listeners want to hear of each device.
        var wanted: [FollowedDevice: Int] = [:]
        /// Devices that the hub does not tell any more, although they were followed.
        var ended: Set<DeviceID> = []
        /// Tells the task that follows that ``wanted`` or ``ended`` changed.
        var wish: AsyncStream<Void>.Continuation?
    }
    private let state = Locked(State())
    private let delay: Duration
    private let clock: DriverClock

    /// - Parameter delay: before the hub is tried again; longer after each failure, 16 times this at most.
    init(delay: Duration, clock: DriverClock) {
        self.delay = delay
        self.clock = clock
    }

    // MARK: - Listeners

    /// Calls `body` with every signal from now on, one after the other, on any thread; it must not block.
    func listen(
        on link: AppLink, following device: FollowedDevice?, _ body: @escaping @Sendable (LinkSignal) -> Void
    ) -> LinkListener {
        let id = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = body
            if let device { state.wanted[device, default: 0] += 1 }
            if state.following == nil {
                state.following = Task { [weak link] in await self.follow { link } }
            }
            state.wish?.yield()
            return state.next
        }
        return LinkListener { [state] in
            let task = state.withLock { state -> Task<Void, Never>? in
                guard state.listeners.removeValue(forKey: id) != nil else { return nil }
                if let device, let count = state.wanted[device] { state.wanted[device] = count > 1 ? count - 1 : nil }
                state.wish?.yield()
                guard state.listeners.isEmpty else { return nil }
                defer { state.following = nil }
                return state.following
            }
            task?.cancel()
        }
    }

    /// Whether anybody listens; then, and only then, the hub's events are followed.
    var isListenedTo: Bool { state.withLock { $0.following != nil } }

    /// Tries the hub again at once, since there may be a new permission.
    func wake() { state.withLock { _ = $0.alarm?.yield() } }

    /// Tells all listeners.
    func tell(_ signal: LinkSignal) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener(signal) }
    }

    // MARK: - Following

    private func follow(_ link: () -> AppLink?) async {
        var position: EventPosition?
        var isFresh = true
        var wait = delay
        while !Task.isCancelled, let link = link() {
            do throws(ControlError) {
                let connection = try await link.connection()
                let (id, events) = await connection.openEvents()
                do throws(ControlError) {
                    let answer = try await connection.call(
                        .subscribe(from: position?.next), deadline: HubSession.callLimit)
                    isFresh = isFresh || answer.hasGap || answer.epoch != position?.epoch
                    if isFresh || position == nil { position = answer }
                } catch {
                    await connection.closeEvents(id)
                    throw error
                }
                tell(.connected(isFresh: isFresh))
                (isFresh, wait) = (false, delay)
                async let following: Void = followDevices(over: connection)
                for await event in events { take(event, &position) }
                state.withLock { $0.wish?.finish() }
                await following
            } catch {
                guard !Task.isCancelled else { return }
                isFresh = true
                tell(error.isMissingPermission ? .revoked : .away)
                await pause(wait)
                wait = min(wait * 2, delay * 16)
            }
        }
    }

    private func take(_ event: ControlEvent, _ position: inout EventPosition?) {
        if ["device.changed", "hub.reachable", "subscription.ended"].contains(event.name) {
            // A device that could not be followed before may be there now.
            let ended: DeviceID? =
                event.name == "subscription.ended" ? event.data["id"]?.string.flatMap { DeviceID(text: $0) } : nil
            state.withLock { state in
                if let ended { state.ended.insert(ended) }
                state.wish?.yield()
            }
        }
        // Events of a device's attributes have no number, since nobody wants them replayed.
        guard event.number != 0 else { return tell(.event(event)) }
        guard let expected = position?.next, event.number >= expected else { return }
        // The connection drops the oldest events of a reader that is too slow.
        if event.number > expected { tell(.connected(isFresh: true)) }
        position?.next = event.number + 1
        tell(.event(event))
    }

    private func pause(_ duration: Duration) async {
        let (alarms, alarm) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.alarm = alarm }
        await withTaskGroup { group in
            group.addTask { [clock] in
                do { try await clock.sleep(until: clock.now + duration) } catch {
                    // The wait ended for another reason.
                }
            }
            group.addTask { for await _ in alarms { break } }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: - Devices

    /// Has the hub tell the attributes of the devices that listeners want to hear of, and of no others, until the
    /// connection ends.
    private func followDevices(over connection: HubConnection) async {
        let (wishes, wish) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.wish = wish }
        wish.yield()
        var followed: [FollowedDevice: Int64] = [:]
        for await _ in wishes {
            let (wanted, ended) = state.withLock { state in
                defer { state.ended = [] }
                return (Set(state.wanted.keys), state.ended)
            }
            followed = followed.filter { !ended.contains($0.key.id) }
            for (device, number) in followed where !wanted.contains(device) {
                followed[device] = nil
                await unfollow(number, over: connection)
            }
            for device in wanted where followed[device] == nil {
                guard let number = await follow(device, over: connection) else { continue }
                followed[device] = number
                // It may have changed before that.
                tell(.changed(device.id))
            }
        }
    }

    /// - Returns: the subscription's number; `nil` when the hub does not tell, or the device does not answer.
    private func follow(_ device: FollowedDevice, over connection: HubConnection) async -> Int64? {
        do throws(ControlError) {
            return try await connection.call(.follow(device), deadline: HubSession.callLimit)
        } catch {
            // Changes by this process are seen all the same, and what the hub says of the device tries again.
            return nil
        }
    }

    private func unfollow(_ number: Int64, over connection: HubConnection) async {
        do throws(ControlError) {
            try await connection.call(.unfollow(number), deadline: HubSession.callLimit)
        } catch {
            // It ended already, or the connection does.
        }
    }
}

extension HubCall where Answer == Int64 {
    /// Asks for the changes of a device's attributes; gives the subscription's number.
    fileprivate static func follow(_ device: FollowedDevice) -> Self {
        Self(
            ControlMethod(rawValue: "devices.subscribe"),
            ["id": device.id.json, "endpoint": JSONValue(device.endpoint)]
        ) { json throws(ControlProtocolError) in try json.optionalInteger("subscription") ?? 0 }
    }
}

extension HubCall where Answer == Void {
    /// Ends a subscription.
    fileprivate static func unfollow(_ number: Int64) -> Self {
        Self(ControlMethod(rawValue: "devices.unsubscribe"), ["subscription": .integer(number)])
    }
}

extension ControlError {
    /// Whether the hub, or the group's folder, says that this app may not.
    package var isMissingPermission: Bool {
        code == .permissionDenied
            || code == .unauthenticated
                && [ClientReason.badGrant, ClientReason.noGrant, "grantRevoked"].contains(reason)
    }
}
