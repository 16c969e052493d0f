public import HubControl

/// What happens at a device that a connection follows.
public enum DeviceChange: Hashable, Sendable {
    /// Attributes of one cluster that are not what they were.
    case attributes([AttributeReading])
    /// Nothing more comes. Reasons: `deviceRemoved`, `hubOffline`, `hubStopped`, `tooSlow`.
    case ended(reason: String)
}

/// A subscription to a device: what its attributes are, then every change, in order. For one reader.
///
/// Ends after ``DeviceChange/ended(reason:)``, with ``HubConnection/unfollow(_:)`` and with the connection. Values lost
/// while a device did not answer come when it answers again. At most ``HubConnection/eventBuffer`` changes wait to be read.
public struct DeviceChanges: AsyncSequence, Sendable {
    /// The subscription's number on the connection.
    public let number: SubscriptionNumber
    /// The attributes that were asked for, as they were at the beginning.
    public let current: [AttributeReading]
    let stream: Int
    let events: AsyncStream<ControlEvent>

    /// Gives the changes in order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let number: SubscriptionNumber
        var events: AsyncStream<ControlEvent>.Iterator
        var isOver = false

        /// The next change; `nil` at the end.
        public mutating func next() async -> DeviceChange? {
            guard !isOver else { return nil }
            while let event = await events.next() {
                guard event.subscription == number, let change = DeviceChange(event) else { continue }
                if case .ended = change { isOver = true }
                return change
            }
            return nil
        }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(number: number, events: events.makeAsyncIterator())
    }
}

extension DeviceChange {
    /// - Returns: `nil` for an event that this version does not know, or cannot read.
    init?(_ event: ControlEvent) {
        do throws(ControlProtocolError) {
            switch event.name {
            case "device.attributes":
                self = .attributes(
                    try event.data.objects("attributes") { row throws(ControlProtocolError) in
                        try AttributeReading(json: row, of: event.data)
                    })
            case "subscription.ended": self = .ended(reason: try event.data.string("reason"))
            default: return nil
            }
        } catch {
            // A hub that writes something else is of a newer version: what it means is not known here.
            return nil
        }
    }
}

/// The answer to `devices.subscribe`.
struct BegunSubscription: Sendable {
    var number: SubscriptionNumber
    var current: [AttributeReading]
}

extension HubConnection {
    /// Follows attributes of a device.
    ///
    /// - Parameter selection: what to follow; everything without one.
    /// - Throws: ``ControlError``, also when the device does not answer now.
    public func follow(
        _ device: DeviceID, _ selection: AttributeSelection = AttributeSelection(), deadline: Duration? = nil
    ) async throws(ControlError) -> DeviceChanges {
        // Before the call: changes may come right behind its answer.
        let (stream, events) = openEvents()
        do throws(ControlError) {
            let call = HubCall<BegunSubscription>(.devicesSubscribe, selection.params(of: device)) {
                json throws(ControlProtocolError) in
                BegunSubscription(
                    number: SubscriptionNumber(rawValue: try json.integer("subscription")),
                    current: try json.objects("attributes") { row throws(ControlProtocolError) in
                        try AttributeReading(json: row)
                    })
            }
            let begun = try await self.call(call, deadline: deadline)
            return DeviceChanges(number: begun.number, current: begun.current, stream: stream, events: events)
        } catch {
            closeEvents(stream)
            throw error
        }
    }

    /// Ends a subscription; its changes end behind those that came already.
    public func unfollow(_ changes: DeviceChanges) async {
        do throws(ControlError) {
            try await call(
                HubCall<Void>(.devicesUnsubscribe, ["subscription": JSONValue(changes.number.rawValue)]))
        } catch {
            // It has ended already, or the connection has.
        }
        closeEvents(changes.stream)
    }
}
