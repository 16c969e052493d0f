import HubControl
import NetIO

extension ControlServerConnection {
    func follow(_ request: ControlRequest) async {
        let (begun, beginning) = AsyncStream<(DeviceID, DeviceFeed)>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let isFull = subscriptions.count >= Self.maximumSubscriptions
        let outcome = await withRequestDeadline(request, clock: clock) { [router, caller] in
            do {
                guard !isFull else { throw ControlError.tooManySubscriptions }
                let begun = try await router.follow(request, by: caller)
                beginning.yield(begun)
                return .success([:])
            } catch {
                return .failure(ControlRouter.controlError(error))
            }
        }
        beginning.finish()
        guard let (device, feed) = await begun.first(where: { _ in true }) else { return finish(request.id, outcome) }
        guard !isOver, case .success = outcome else {
            await router.service.unfollow(feed.number)
            return finish(request.id, outcome)
        }
        lastSubscription += 1
        let number = SubscriptionNumber(rawValue: lastSubscription)
        finish(
            request.id,
            .success([
                "subscription": JSONValue(number.rawValue),
                "attributes": .array(feed.current.map { .object($0.json) }),
            ]))
        let forwarding = Task {
            for await update in feed.updates { self.forward(update, of: device, to: number) }
            self.subscriptions[number] = nil
        }
        subscriptions[number] = DeviceSubscription(feed: feed.number, forwarding: forwarding)
    }

    private func forward(_ update: DeviceUpdate, of device: DeviceID, to number: SubscriptionNumber) {
        guard let structure = caller?.structure else { return }
        for (name, data) in update.events(of: device) {
            forward(ControlEvent(structure: structure, subscription: number, name: name, data: data))
        }
    }

    func unfollow(_ request: ControlRequest) async -> Result<JSONObject, ControlError> {
        do {
            _ = try await router.authorize(request, by: caller)
            let number = SubscriptionNumber(rawValue: try request.params.integer("subscription"))
            guard let subscription = subscriptions.removeValue(forKey: number) else {
                throw ControlError(
                    .notFound, "this connection has no subscription \(number.rawValue)",
                    details: ["reason": "noSubscription"])
            }
            subscription.forwarding.cancel()
            await router.service.unfollow(subscription.feed)
            return .success([:])
        } catch {
            return .failure(ControlRouter.controlError(error))
        }
    }

    func endSubscriptions() async {
        let ending = subscriptions.values
        subscriptions = [:]
        for subscription in ending {
            subscription.forwarding.cancel()
            await router.service.unfollow(subscription.feed)
        }
    }
}

/// A connection's subscription to a device.
struct DeviceSubscription {
    /// The service's number.
    let feed: Int
    let forwarding: Task<Void, Never>
}

extension ControlError {
    fileprivate static let tooManySubscriptions = ControlError(
        .resourceExhausted,
        "a connection has at most \(ControlServerConnection.maximumSubscriptions) subscriptions to devices")
}

extension DeviceUpdate {
    /// The events that tell it, in order: attributes of one cluster together.
    fileprivate func events(of device: DeviceID) -> [(name: String, data: JSONObject)] {
        switch self {
        case .ended(let reason): return [("subscription.ended", ["id": device.json, "reason": .string(reason)])]
        case .attributes(let reports):
            var places: [[JSONValue]] = []
            var rows: [[JSONValue]: [JSONValue]] = [:]
            for report in reports {
                var row = report.json
                let place = [row["endpoint"] ?? .null, row["cluster"] ?? .null]
                if rows[place] == nil { places.append(place) }
                row["endpoint"] = nil
                row["cluster"] = nil
                rows[place, default: []].append(.object(row))
            }
            return places.map { place in
                let data: JSONObject = [
                    "id": device.json, "endpoint": place[0], "cluster": place[1],
                    "attributes": .array(rows[place] ?? []),
                ]
                return ("device.attributes", data)
            }
        }
    }
}
