public import HubControl

extension HubCall {
    fileprivate static func page<Element>(
        _ structure: StructureID?, _ cursor: String?, _ limit: Int?, orphans: Bool,
        _ read: @escaping @Sendable (JSONObject) throws(ControlProtocolError) -> Element
    ) -> Self where Answer == HubPage<Element> {
        let params: JSONObject = [
            "structure": structure?.json, "cursor": cursor.map { .string($0) }, "limit": limit.map { JSONValue($0) },
            "orphans": orphans ? true : nil,
        ]
        return Self(.devicesList, params) { json throws(ControlProtocolError) in
            HubPage(elements: try json.objects("devices", read), next: try json.optionalString("next"))
        }
    }
}

extension HubCall where Answer == HubPage<HubDevice> {
    /// A page of the devices of a structure.
    public static func devices(
        of structure: StructureID? = nil, cursor: String? = nil, limit: Int? = nil
    ) -> Self {
        page(structure, cursor, limit, orphans: false) { row throws(ControlProtocolError) in try HubDevice(json: row) }
    }
}

extension HubCall where Answer == HubPage<HubOrphan> {
    /// A page of the nodes that could not be cleaned yet.
    public static func orphans(
        of structure: StructureID? = nil, cursor: String? = nil, limit: Int? = nil
    ) -> Self {
        page(structure, cursor, limit, orphans: true) { row throws(ControlProtocolError) in try HubOrphan(json: row) }
    }
}

extension HubConnection {
    /// All devices of a structure, page by page.
    public func devices(of structure: StructureID? = nil) async throws(ControlError) -> [HubDevice] {
        var devices: [HubDevice] = []
        var cursor: String?
        repeat {
            let page = try await call(.devices(of: structure, cursor: cursor))
            devices += page.elements
            // A hub that repeats itself must not keep its client for ever.
            guard page.next != cursor else { break }
            cursor = page.next
        } while cursor != nil
        return devices
    }

    /// All nodes of a structure that could not be cleaned yet, page by page.
    public func orphans(of structure: StructureID? = nil) async throws(ControlError) -> [HubOrphan] {
        var orphans: [HubOrphan] = []
        var cursor: String?
        repeat {
            let page = try await call(.orphans(of: structure, cursor: cursor))
            orphans += page.elements
            guard page.next != cursor else { break }
            cursor = page.next
        } while cursor != nil
        return orphans
    }
}

extension HubCall where Answer == HubDevice {
    /// One device.
    public static func device(_ id: DeviceID) -> Self { row(.devicesGet, ["id": id.json]) }
    /// Names a device.
    public static func rename(_ id: DeviceID, to name: String) -> Self {
        row(.devicesRename, ["id": id.json, "name": .string(name)])
    }
    /// Puts a device into a room; `nil` for none.
    public static func move(_ id: DeviceID, to room: RoomID?) -> Self {
        row(.devicesMove, ["id": id.json, "room": room?.json ?? .null])
    }

    private static func row(_ method: ControlMethod, _ params: JSONObject) -> Self {
        Self(method, params) { json throws(ControlProtocolError) in try HubDevice(json: json) }
    }
}

/// Which attributes to read; a member that is `nil` means all.
public struct AttributeSelection: Hashable, Sendable {
    /// The endpoint.
    public var endpoint: UInt16?
    /// The cluster's id.
    public var cluster: UInt32?
    /// The attribute's id.
    public var attribute: UInt32?

    /// Makes a selection.
    public init(endpoint: UInt16? = nil, cluster: UInt32? = nil, attribute: UInt32? = nil) {
        self.endpoint = endpoint
        self.cluster = cluster
        self.attribute = attribute
    }
}

extension AttributeSelection {
    /// The params of `devices.read` and `devices.subscribe`.
    func params(of device: DeviceID) -> JSONObject {
        [
            "id": device.json, "endpoint": endpoint.map { JSONValue($0) }, "cluster": cluster.map { JSONValue($0) },
            "attribute": attribute.map { JSONValue($0) },
        ]
    }
}

/// What a device said of one attribute.
public struct AttributeReading: Hashable, Sendable {
    /// The endpoint.
    public var endpoint: UInt16
    /// The cluster's id.
    public var cluster: UInt32
    /// The attribute's id.
    public var attribute: UInt32
    /// Its value; `nil` when the device gave a status instead.
    public var value: AttributeValue?
    /// What the device gave instead of a value.
    public var status: JSONValue?

    init(json: JSONObject) throws(ControlProtocolError) {
        try self.init(json: json, of: json)
    }

    /// - Parameter place: holds the members `endpoint` and `cluster`.
    init(json: JSONObject, of place: JSONObject) throws(ControlProtocolError) {
        endpoint = try place.integer("endpoint")
        cluster = try place.integer("cluster")
        attribute = try json.integer("attribute")
        status = json["status"]
        if let value = json["value"] {
            do throws(ControlProtocolError) { self.value = try AttributeValue(json: value) } catch {
                throw error.within("value")
            }
        } else if status == nil {
            throw ControlProtocolError(.missing, path: "value")
        }
    }

    /// The row of `devices.read`.
    public var json: JSONObject {
        [
            "endpoint": JSONValue(endpoint), "cluster": JSONValue(cluster), "attribute": JSONValue(attribute),
            "value": value?.json, "status": status,
        ]
    }
}

extension HubCall where Answer == [AttributeReading] {
    /// Reads attributes of a device's node.
    public static func read(_ selection: AttributeSelection, of device: DeviceID) -> Self {
        Self(.devicesRead, selection.params(of: device)) { json throws(ControlProtocolError) in
            try json.objects("attributes") { row throws(ControlProtocolError) in try AttributeReading(json: row) }
        }
    }
}

extension HubCall where Answer == Void {
    /// Writes one attribute of a device's node.
    public static func write(
        _ value: AttributeValue, endpoint: UInt16, cluster: UInt32, attribute: UInt32, of device: DeviceID
    ) -> Self {
        Self(
            .devicesWrite,
            [
                "id": device.json, "endpoint": JSONValue(endpoint), "cluster": JSONValue(cluster),
                "attribute": JSONValue(attribute), "value": value.parameterJSON,
            ])
    }

    /// Tries to clean an orphan now.
    public static func retryOrphan(_ id: String) -> Self { Self(.orphansRetry, ["id": .string(id)]) }
    /// Drops an orphan without asking it.
    public static func forgetOrphan(_ id: String) -> Self { Self(.orphansForget, ["id": .string(id)]) }
}

/// What a device answered to a command.
public struct CommandAnswer: Hashable, Sendable {
    /// The answering command's id; `nil` when the answer was only a success.
    public var command: UInt32?
    /// The answering command's fields.
    public var fields: AttributeValue?

    /// The result of `devices.invoke`.
    public var json: JSONObject { ["command": command.map { JSONValue($0) }, "fields": fields?.json] }
}

extension HubCall where Answer == CommandAnswer {
    /// Invokes a command on a device's node.
    ///
    /// - Parameter timed: makes it a timed invoke with this limit.
    public static func invoke(
        _ command: UInt32, fields: AttributeValue? = nil, endpoint: UInt16, cluster: UInt32, timed: Duration? = nil,
        on device: DeviceID
    ) -> Self {
        let params: JSONObject = [
            "id": device.json, "endpoint": JSONValue(endpoint), "cluster": JSONValue(cluster),
            "command": JSONValue(command), "fields": fields?.parameterJSON,
            "timedMs": timed.map { JSONValue($0.wholeMilliseconds) },
        ]
        return Self(.devicesInvoke, params) { json throws(ControlProtocolError) in
            var answer = CommandAnswer(command: try json.optionalInteger("command"))
            if let fields = json["fields"] {
                do throws(ControlProtocolError) { answer.fields = try AttributeValue(json: fields) } catch {
                    throw error.within("fields")
                }
            }
            return answer
        }
    }
}

/// A commissioning window that is open for another administrator.
public struct OpenWindow: Hashable, Sendable {
    /// The code that people type, 11 digits.
    public var manualCode: String
    /// The text of the QR code.
    public var qrCode: String
    /// The window's passcode.
    public var passcode: UInt32
    /// The window's discriminator, 12 bits.
    public var discriminator: UInt16
    /// Until the device closes it.
    public var expiresIn: Duration
}

extension HubCall where Answer == OpenWindow {
    /// Opens a window on a device's node; needs admin.
    public static func openWindow(on device: DeviceID, timeout: Duration? = nil) -> Self {
        let params: JSONObject = [
            "id": device.json, "timeoutSeconds": timeout.map { JSONValue($0.components.seconds) },
        ]
        return Self(.devicesOpenWindow, params) { json throws(ControlProtocolError) in
            OpenWindow(
                manualCode: try json.string("manualCode"), qrCode: try json.string("qrCode"),
                passcode: try json.integer("passcode"), discriminator: try json.integer("discriminator"),
                expiresIn: .milliseconds(try json.integer("expiresInMs", as: Int64.self)))
        }
    }
}

/// What `devices.remove` did.
public struct Removal: Hashable, Sendable {
    /// The devices that are gone: all of the node's.
    public var removed: [String]
    /// The nodes that did not answer and are kept as orphans.
    public var orphaned: [String]
}

extension HubCall where Answer == Removal {
    /// Takes a device's node off the fabric.
    ///
    /// - Parameter force: keep an unreachable node as an orphan instead of refusing.
    public static func remove(_ device: DeviceID, force: Bool = false) -> Self {
        Self(.devicesRemove, ["id": device.json, "force": force ? true : nil]) { json throws(ControlProtocolError) in
            Removal(removed: try json.strings("removed"), orphaned: try json.strings("orphaned"))
        }
    }
}
