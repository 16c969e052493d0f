import MatterWire
import TestSupport
import Testing

private struct MessageVector: Decodable, Sendable, CustomTestStringConvertible {
    var name: String
    var message: String
    var opcode: String
    var hex: HexBytes
    var testDescription: String { name }

    static let all: [MessageVector] = Vectors.load(File.self, "im-messages.json").messages
    struct File: Decodable { var messages: [MessageVector] }

    /// The type that the row names.
    var type: any InteractionMessage.Type {
        guard let type = messageTypes[message] else { fatalError("unknown message \(message)") }
        return type
    }
    /// Whether the row carries the revision; an old peer's capture does not.
    var hasRevision: Bool { hex.bytes.suffix(4).first == 0x24 && hex.bytes.suffix(3).first == 0xFF }
}

private let messageTypes: [String: any InteractionMessage.Type] = [
    "ReadRequestMessage": ReadRequest.self, "SubscribeRequestMessage": SubscribeRequest.self,
    "SubscribeResponseMessage": SubscribeResponse.self, "ReportDataMessage": ReportData.self,
    "WriteRequestMessage": WriteRequest.self, "WriteResponseMessage": WriteResponse.self,
    "InvokeRequestMessage": InvokeRequest.self, "InvokeResponseMessage": InvokeResponse.self,
    "TimedRequestMessage": TimedRequest.self, "StatusResponseMessage": StatusResponse.self,
]

/// Members of every structure and list in another order; array items keep theirs.
private func shuffled(_ value: TLVValue, _ generator: inout SeededGenerator) -> TLVValue {
    func members(_ members: [TLVElement]) -> [TLVElement] {
        members.map { TLVElement($0.tag, shuffled($0.value, &generator)) }.shuffled(using: &generator)
    }
    switch value {
    case .structure(let inner): return .structure(members(inner))
    case .list(let inner): return .list(members(inner))
    case .array(let items): return .array(items.map { shuffled($0, &generator) })
    case .signed, .unsigned, .bool, .float, .double, .utf8, .octets, .null: return value
    }
}

/// Data payloads (attribute values, command fields, event fields) whose own order matters to equality.
private func sameMessage(_ type: any InteractionMessage.Type, _ one: [UInt8], _ other: [UInt8]) throws -> Bool {
    func same<M: InteractionMessage>(_ type: M.Type) throws -> Bool { try M(decoding: one) == M(decoding: other) }
    return try same(type)
}

@Suite("Interaction model messages (Core §10.7)") struct InteractionMessageTests {
    @Test(arguments: MessageVector.all) private func `a vector decodes and encodes to the same bytes`(
        _ vector: MessageVector
    ) throws {
        let message = try vector.type.init(decoding: vector.hex.bytes)
        #expect(vector.opcode == "0x0" + String(vector.type.opcode.rawValue, radix: 16, uppercase: true))
        if vector.hasRevision {
            #expect(message.encoded().hex == vector.hex.bytes.hex)
        } else {
            #expect(message.encoded().hex == vector.hex.bytes.dropLast().hexText + "24ff0c18")
        }
    }

    @Test(arguments: MessageVector.all) private func `members may come in any order`(_ vector: MessageVector) throws {
        var generator = SeededGenerator(seed: 11)
        let value = try TLVValue.decode(vector.hex.bytes)
        for _ in 0..<20 {
            // Values inside keep their order in our own model, so compare after sorting both the same way.
            let other = shuffled(value, &generator)
            let decoded = try vector.type.init(value: other)
            let again = try vector.type.init(decoding: decoded.encoded())
            #expect(try sameMessage(vector.type, decoded.encoded(), again.encoded()))
            #expect(sorted(try TLVValue.decode(decoded.encoded())) == sorted(withRevision(value)))
        }
    }

    @Test(arguments: MessageVector.all) private func `garbage never traps`(_ vector: MessageVector) {
        var generator = SeededGenerator(seed: 42)
        var accepted = 0
        for _ in 0..<400 {
            let bytes = generator.mutated(vector.hex.bytes)
            for type in messageTypes.values {
                do {
                    let message = try type.init(decoding: bytes)
                    accepted += 1
                    _ = message.encoded()
                } catch {
                    #expect(error.code != .truncated || error.offset != nil)
                }
            }
        }
        #expect(accepted > 0)
    }

    @Test func `any revision and none is accepted`() throws {
        for tail in ["18", "24ff0a18", "24ff0d18", "25ffffff18"] {
            #expect(try StatusResponse(decoding: [UInt8](hex: "1524009c" + tail)).status == .busy)
        }
    }

    @Test func `a path without an endpoint is a wildcard and one out of order is not`() throws {
        let wildcard = try ReadRequest(decoding: [UInt8](hex: "1536001724030624040018182803 18"))
        #expect(wildcard.attributes == [AttributePath(cluster: .init(rawValue: 6), attribute: .init(rawValue: 0))])
        let outOfOrder = try ReadRequest(decoding: [UInt8](hex: "15360017240400240306240201181828031 8"))
        #expect(outOfOrder.attributes.first?.endpoint == EndpointID(rawValue: 1))
    }

    @Test(arguments: [
        ("an endpoint twice", "15360017240201240202181828 0318"),
        ("tag compression", "153600172900240201181828 0318"),
        ("an endpoint of 17 bits", "1536001726020000010018182803 18"),
        ("a path that is a number", "15360004 01182803 18"),
        ("paths that are no array", "1524000128 0318"),
        ("no fabric filter flag", "153600171818 18"),
        ("a fabric filter that is a number", "15360017181824030118"),
    ]) private func `a read request is refused with`(_ name: String, _ hex: String) {
        #expect(throws: TLVError.self) { try ReadRequest(decoding: [UInt8](hex: hex)) }
    }

    @Test func `an error names the path to the member`() {
        #expect(throws: TLVError(code: .wrongType, path: [0, 2])) {
            try ReadRequest(decoding: [UInt8](hex: "153600172602000001001818280318"))
        }
        #expect(throws: TLVError(code: .missing, path: [2, 0, 1])) {
            try InvokeRequest(decoding: [UInt8](hex: "152800280136021537002402021818 1818"))
        }
    }

    @Test func `commands without fields have an empty structure`() throws {
        let request = try InvokeRequest(decoding: [UInt8](hex: "15280028013602153700240001240106240201181818 18"))
        #expect(request.commands.map(\.fields) == [.structure([])])
        #expect(throws: TLVError(code: .wrongType, path: [2, 1])) {
            try InvokeRequest(decoding: [UInt8](hex: "1528002801360215370024000124010624020118240105181818"))
        }
    }

    @Test func `a status has a name and its code`() {
        #expect("\(InteractionStatus.invalidAction)" == "invalid action (0x80)")
        #expect("\(InteractionStatus.failure)" == "failure (0x01)")
        #expect("\(InteractionStatus(rawValue: 0xE7))" == "status 0xE7")
    }

    @Test func `a payload that is no structure is refused`() {
        for hex in ["1618", "1718", "0401", "14", ""] {
            #expect(throws: TLVError.self) { try StatusResponse(decoding: [UInt8](hex: hex)) }
        }
    }

    @Test(arguments: 0..<200) func `random reports go both ways`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func number<T: FixedWidthInteger>(_: T.Type = T.self) -> T { T(truncatingIfNeeded: generator.next()) }
        func maybe<T>(_ value: T) -> T? { Bool.random(using: &generator) ? value : nil }
        let attributes: [AttributeReportIB] = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
            let path = AttributePath(
                endpoint: maybe(.init(rawValue: number())), cluster: maybe(.init(rawValue: number())),
                attribute: maybe(.init(rawValue: number())))
            if Bool.random(using: &generator) {
                return .status(path, StatusIB(.init(rawValue: number()), clusterStatus: maybe(number())))
            }
            return .data(
                AttributeDataIB(
                    version: maybe(.init(rawValue: number())), path: path,
                    listIndex: maybe(Bool.random(using: &generator) ? .append : .item(number())),
                    value: .octets(generator.bytes(Int.random(in: 0...300, using: &generator)))))
        }
        let events: [EventReportIB] = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            let path = EventPath(
                endpoint: maybe(.init(rawValue: number())), cluster: maybe(.init(rawValue: number())),
                event: maybe(.init(rawValue: number())), isUrgent: Bool.random(using: &generator))
            if Bool.random(using: &generator) { return .status(path, StatusIB(.init(rawValue: number()))) }
            let times: [EventDataIB.Timestamp?] = [
                nil, .epoch(number()), .system(number()), .deltaEpoch(number()), .deltaSystem(number()),
            ]
            return .data(
                EventDataIB(
                    path: path, number: number(),
                    priority: [.debug, .info, .critical].randomElement(using: &generator)!,
                    timestamp: times.randomElement(using: &generator)!, fields: maybe(.structure([]))))
        }
        let report = ReportData(
            subscription: maybe(SubscriptionID(rawValue: number())), attributes: attributes, events: events,
            hasMoreChunks: Bool.random(using: &generator), suppressesResponse: Bool.random(using: &generator))
        #expect(try ReportData(decoding: report.encoded()) == report)
    }
}

extension ArraySlice<UInt8> {
    fileprivate var hexText: String { Array(self).hex }
}

private func withRevision(_ value: TLVValue) -> TLVValue {
    let members = (value.members ?? []).filter { $0.tag != .context(0xFF) }
    return .structure(members + [TLVElement(0xFF, .unsigned(12))])
}

/// Members of structures and lists sorted by their encoding, for a comparison that ignores order.
private func sorted(_ value: TLVValue) -> TLVValue {
    func members(_ members: [TLVElement]) -> [TLVElement] {
        members.map { TLVElement($0.tag, sorted($0.value)) }
            .sorted { $0.encoded().lexicographicallyPrecedes($1.encoded()) }
    }
    switch value {
    case .structure(let inner): return .structure(members(inner))
    case .list(let inner): return .list(members(inner))
    case .array(let items): return .array(items.map(sorted))
    case .signed, .unsigned, .bool, .float, .double, .utf8, .octets, .null: return value
    }
}
