public import Combine
import HubClient
import HubControl

/// The device types of one device, now and over time; what they say is read from the device itself.
public final class DeviceTypeController: Sendable {
    private let types: [UInt32]
    private let access: DeviceAccess

    init(_ device: HubDevice, link: HomeLink) {
        types = device.deviceTypes
        access = DeviceAccess(link: link, device: device.id, endpoint: device.endpoint)
    }

    /// Whether the device is of a type, by what it said of itself when it was commissioned.
    public func contains<T: DeviceType>(_ type: T.Type = T.self) -> Bool {
        DeviceTypeCollection.contains(type.identifier, in: types)
    }

    /// Reads the device.
    ///
    /// - Returns: `nil` when it is of another type, or the hub gave no answer. A device that does not answer has the traits
    ///   of its types, whose attributes are `nil`, and is offline.
    public func get<T: DeviceType>(_ type: T.Type = T.self) async -> T? {
        guard contains(type) else { return nil }
        do throws(HomeError) {
            return collection(try await load()).get(type)
        } catch {
            // The SDK's call throws nothing; `subscribe` says why.
            return nil
        }
    }

    /// The device as a type now, and again after each change of an attribute; ends when the device is removed.
    ///
    /// Fails with ``HomeError`` `notFound` when it is of another type. A subscriber that asks for fewer values than there
    /// are gets the newest.
    public func subscribe<T: DeviceType>(_ type: T.Type = T.self) -> AnyPublisher<T, HomeError> {
        guard contains(type) else {
            return Fail(error: HomeError.notFound("the device is no \(type.identifier)")).eraseToAnyPublisher()
        }
        return publisher { collection in collection.get(type).map { [$0] } ?? [] }
    }

    /// All types of the device now, and again after each change.
    public func subscribeAll() -> AnyPublisher<DeviceTypeCollection, HomeError> { publisher { [$0] } }

    private func publisher<Output: Sendable>(
        _ outputs: @escaping @Sendable (DeviceTypeCollection) -> [Output]
    ) -> AnyPublisher<Output, HomeError> {
        AnyPublisher(
            FeedPublisher(
                source: source, outputs: { [self] in outputs(collection($1)) }, surplus: { $0 = $1.isEmpty ? $0 : $1 }))
    }

    private func collection(_ report: EndpointReport) -> DeviceTypeCollection {
        DeviceTypeCollection(
            types: types, traits: TraitCollection(report, access: access), device: access.device.text)
    }

    private func load() async throws(HomeError) -> EndpointReport {
        do throws(HomeError) {
            return try await access.report()
        } catch  where [.unavailable, .deadlineExceeded].contains(error.code) {
            return EndpointReport(offline: types, endpoint: access.endpoint)
        }
    }

    // MARK: - Following the device

    private var source: Feed<EndpointReport>.Source {
        let device = access.device
        return Feed.Source(
            link: access.link.app, device: FollowedDevice(device, endpoint: access.endpoint),
            load: { [self] () async throws(HomeError) in try await load() },
            reaction: { signal in Self.reaction(to: signal, of: device) }, isSame: ==)
    }

    private static func reaction(to signal: LinkSignal, of device: DeviceID) -> Feed<EndpointReport>.Reaction {
        switch signal {
        case .connected: return .reload
        case .changed(let changed): return changed == device ? .reload : .nothing
        case .away: return .change { $0.connectivity = .offline }
        case .revoked: return .end
        case .event(let event):
            switch event.name {
            case AttributeEvent.name:
                do throws(ControlProtocolError) {
                    let change = try AttributeEvent(json: event.data)
                    return change.device == device ? .change { $0.merge(change) } : .nothing
                } catch {
                    // A newer hub's event of another form.
                    return .nothing
                }
            case "device.changed", "device.removed":
                guard event.data["id"]?.string == device.text else { return .nothing }
                return event.name == "device.removed" ? .end : .reload
            default: return .nothing
            }
        }
    }
}
