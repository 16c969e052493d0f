import Hub
import HubClient
import HubControl
import MatterProtocol
import MatterWire
import NetIO

extension FuzzTarget {
    /// Readers of short texts: advertisements, addresses, grants, names, fault rules.
    static let texts: [FuzzTarget] = [
        FuzzTarget(
            "txt-record", "TXT records of devices and hubs", maximumLength: 2_048, made: { txtRecords },
            check: checkTXT),
        FuzzTarget(
            "address", "addresses: numeric, with ports, scopes and names", maximumLength: 128,
            made: {
                [
                    "127.0.0.1", "::1", "fe80::1%lo", "[fe80::1%1]:5540", "10.0.0.1:80", "hub.local:5543", "hub",
                    "[::ffff:1.2.3.4]:1", "1.2.3.4:65535",
                ].map { Array($0.utf8) }
            }, check: checkAddress),
        FuzzTarget(
            "grant", "grants, ids and octets as text", maximumLength: 256,
            made: {
                [
                    GrantToken(
                        authorityHash: [UInt8](0..<32), id: GrantID(rawValue: 7), secret: [UInt8](32..<64)
                    ).text, "00000000000000a1", "AQIDBA",
                ].map { Array($0.utf8) }
            }, check: checkGrant),
        FuzzTarget(
            "name", "names of rooms, devices and products", maximumLength: 512,
            made: {
                [
                    "Kitchen", "  Cafe\u{301} ", "\u{202E}abc", "\u{1F468}\u{200D}\u{1F469}", "\u{0}",
                    "\u{1100}\u{1161}\u{11A8}", "a\u{327}\u{301}", "\u{FDFA}", String(repeating: "\u{1E9E}", count: 50),
                ].map { Array($0.utf8) }
            }, check: checkName),
        FuzzTarget(
            "fault-rule", "fault rules of devices and hubs", maximumLength: 128,
            made: {
                [
                    "addNOC:vanish", "any:error=0x9c@2x3", "pase:delay=500x*", "complete:crash",
                    "session.prepare:cutBeforeResponse@2", "csr:storageSlow=10x*", "devices.list:offline",
                ].map { Array($0.utf8) }
            }, check: checkFaultRule),
    ]

    private static var txtRecords: [[UInt8]] {
        let texts: [KeyValuePairs<String, String>] = [
            ["CM": "1", "D": "3840", "VP": "65521+32769", "SII": "500", "SAI": "300", "SAT": "4000", "DN": "x"],
            [
                "txtvers": "1", "id": "00000000000000a1", "name": "Hub", "st": "00000000000000b1,00000000000000b2",
                "proto": "1.1", "state": "ready",
            ],
        ]
        return FuzzHome.made { try texts.map { try TXTRecord($0).encoded() } } + [[0], [1, 0x3D]]
    }

    @Sendable private static func checkTXT(_ input: [UInt8]) throws -> Outcome {
        let record = TXTRecord(encoded: input)
        try hold(Set(record.entries.map { $0.key.lowercased() }).count == record.entries.count, "a key twice")
        try hold(TXTRecord(encoded: try record.encoded()) == record, "a record that does not come back")
        let pairs = record.entries.compactMap { entry in record[entry.key].map { (entry.key, $0) } }
        let found = CommissionableRecord(
            instance: "x", port: 1, addresses: [], txt: Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
        try hold(found.discriminator ?? 0 <= 0xFFF, "a discriminator of more than 12 bits")
        try hold(found.timing.idleInterval >= .zero && found.timing.activeInterval >= .zero, "a negative time")
        return record.entries.isEmpty ? .rejected : .accepted
    }

    @Sendable private static func checkAddress(_ input: [UInt8]) throws -> Outcome {
        let text = String(decoding: input, as: UTF8.self)
        var outcomes: [Outcome] = [.rejected]
        if let address = IPAddress(text) {
            try hold(IPAddress(address.description) == address, "\(text) is written as \(address)")
            outcomes.append(.accepted)
        }
        if let address = SocketAddress(text) {
            try hold(SocketAddress(address.description) == address, "\(text) is written as \(address)")
            outcomes.append(.accepted)
        }
        for port in [nil, UInt16(5543)] {
            guard let address = HostAndPort(text, defaultPort: port) else { continue }
            try hold(HostAndPort(address.description) == address, "\(text) is written as \(address)")
            outcomes.append(.accepted)
        }
        if let address = HubAddress(text) {
            try hold(HubAddress(address.description) == address, "\(text) is written as \(address)")
        }
        return outcomes.any
    }

    @Sendable private static func checkGrant(_ input: [UInt8]) throws -> Outcome {
        let text = String(decoding: input, as: UTF8.self)
        var outcomes: [Outcome] = [.rejected]
        if let token = try? GrantToken(parsing: text) {
            try hold(try GrantToken(parsing: token.text) == token, "a grant that does not come back")
            try hold(!"\(token)".contains(Base64URL.encode(token.secret)), "a description with the secret")
            outcomes.append(.accepted)
        }
        if let id = HubID(text: text) {
            try hold(id.text == text.lowercased(), "\(text) is written as \(id)")
            outcomes.append(.accepted)
        }
        if let octets = Base64URL.decode(text) {
            try hold(Base64URL.encode(octets) == text, "\(text) has two forms")
            outcomes.append(.accepted)
        }
        try hold(Base64URL.decode(Base64URL.encode(input)) == input, "octets that do not come back")
        return outcomes.any
    }

    @Sendable private static func checkName(_ input: [UInt8]) throws -> Outcome {
        let text = String(decoding: input, as: UTF8.self)
        if let cleaned = DisplayName(cleaning: text) { try checkName(cleaned) }
        let label = DisplayName.dnsLabel(text)
        try hold((1...63).contains(label.utf8.count), "a label of \(label.utf8.count) bytes")
        guard let name = try? DisplayName(text) else { return .rejected }
        try checkName(name)
        return .accepted
    }

    private static func checkName(_ name: DisplayName) throws {
        try hold(name.text.utf8.count <= DisplayName.maximumBytes && !name.text.isEmpty, "a name out of its limits")
        try hold(!name.text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "a control character")
        try hold(try DisplayName(name.text) == name, "“\(name.text)” is not its own normal form")
        try hold(DisplayName.folded(name.folded) == name.folded, "“\(name.text)” folds twice")
    }

    @Sendable private static func checkFaultRule(_ input: [UInt8]) throws -> Outcome {
        let text = String(decoding: input, as: UTF8.self)
        var outcomes: [Outcome] = [.rejected]
        do {
            let rule = try FaultRule(text)
            try hold(try FaultRule(rule.description) == rule, "\(text) is written as \(rule)")
            outcomes.append(.accepted)
        } catch let error as FaultPlanError {
            try hold((0...text.utf8.count).contains(error.offset), "a fault outside the text: \(error)")
        }
        if let rule = try? HubFaultRule(text) {
            try hold(try HubFaultRule(rule.description) == rule, "\(text) is written as \(rule)")
            outcomes.append(.accepted)
        }
        return outcomes.any
    }
}
