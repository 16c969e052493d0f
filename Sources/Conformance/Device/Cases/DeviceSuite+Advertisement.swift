import MatterNode
import MatterProtocol
import MatterWire

/// What the device announces of itself by DNS-SD.
extension DeviceSuite {
    static let advertisementCases: [DeviceCase] = [
        DeviceCase(
            "advertisement.found", "The device announces itself as commissionable", ["advertise.commissionable"],
            needs: [.multicast],
            meaning:
                "Commissioners that browse do not find the device. See with “avahi-browse -rt _matterc._udp” whether it announces at all, on which interface, and with which D."
        ) { bench in
            let record = try await bench.ownRecord()
            try expect(record.port != 0, "a port in the SRV record", seen: "port 0")
            let name = record.instance
            let isHexadecimal = name.allSatisfy { $0.isHexDigit && ($0.isNumber || $0.isUppercase) }
            try expect(
                name.count == 16 && isHexadecimal, "an instance name of 16 upper-case hexadecimal digits",
                seen: "“\(name)”")
        },
        DeviceCase(
            "advertisement.txt", "The TXT record has what it must, in the right form", ["advertise.txt"],
            needs: [.multicast],
            meaning:
                "Commissioners read these keys before they try a device, and skip a record that they cannot read. Compare the keys with Core §4.3.1.5 ff."
        ) { bench in
            let record = try await bench.ownRecord()
            let faults = CommissionableText(record.txt).faults
            try expect(
                faults.isEmpty, "D, CM and the other keys in their forms", seen: faults.joined(separator: "; "))
            if case .long(let wanted) = bench.order.payload.discriminator {
                try expect(
                    record.discriminator == wanted.rawValue, "D=\(wanted.rawValue), as in the code",
                    seen: "D=\(record.discriminator.map { String($0) } ?? "-")")
            }
        },
    ]
}

extension DeviceBench {
    /// The record of the device with the printed code; its discriminator may be wrong when the address says who it is.
    func ownRecord() async throws -> CommissionableRecord {
        let filter = CommissionableFilter(order.payload)
        let address = order.address
        let records = try await records(within: order.searchTime) { found in
            found.contains { filter.matches($0) || address.map($0.addresses.contains) ?? false }
        }
        guard
            let record = records.last(where: filter.matches)
                ?? records.last(where: { address.map($0.addresses.contains) ?? false })
        else {
            throw ConformanceFailure(
                expected: "a record of _matterc._udp that fits the code",
                seen: "none within \(order.searchTime.milliseconds / 1000) s"
                    + (records.isEmpty ? "" : "; \(records.count) of other devices"))
        }
        return record
    }
}

/// The keys of a commissionable record, held to their forms (Core §4.3.1).
struct CommissionableText {
    private let keys: [String: String]

    init(_ txt: [String: String]) {
        keys = Dictionary(txt.map { ($0.uppercased(), $1) }, uniquingKeysWith: { first, _ in first })
    }

    /// What is wrong, a sentence each.
    var faults: [String] {
        var faults = [
            number("D", in: 0...4095, isMandatory: true), number("CM", in: 0...3, isMandatory: true),
            number("SII", in: 0...3_600_000), number("SAI", in: 0...3_600_000), number("SAT", in: 0...65_535),
            number("T", in: 0...65_535), number("DT", in: 0...0xFFFF_FFFF), number("PH", in: 0...0xFFFF_FFFF),
            number("ICD", in: 0...1), text("DN", atMost: 32), text("PI", atMost: 128),
        ]
        if let product = keys["VP"] {
            let parts = product.split(separator: "+", omittingEmptySubsequences: false)
            if !(1...2).contains(parts.count) || parts.contains(where: { Self.decimal($0, in: 0...0xFFFF) == nil }) {
                faults.append("VP is a vendor in decimal, or vendor+product, and not “\(product)”")
            }
        }
        if let rotating = keys["RI"] {
            let isRight = rotating.count <= 100 && rotating.count.isMultiple(of: 2) && rotating.allSatisfy(\.isHexDigit)
            if !isRight { faults.append("RI is at most 50 bytes in hexadecimal, and not “\(rotating)”") }
        }
        if keys["CM"] == "0" { faults.append("CM is 0 although the device is looked for by its open window") }
        return faults.compactMap(\.self)
    }

    private func number(_ key: String, in range: ClosedRange<UInt64>, isMandatory: Bool = false) -> String? {
        guard let value = keys[key] else { return isMandatory ? "\(key) is missing" : nil }
        guard Self.decimal(value[...], in: range) == nil else { return nil }
        return "\(key) is a decimal number from \(range.lowerBound) to \(range.upperBound), and not “\(value)”"
    }

    private func text(_ key: String, atMost count: Int) -> String? {
        guard let value = keys[key], value.utf8.count > count else { return nil }
        return "\(key) has at most \(count) bytes, not \(value.utf8.count)"
    }

    /// A number without sign and leading zeros.
    private static func decimal(_ text: Substring, in range: ClosedRange<UInt64>) -> UInt64? {
        guard let number = UInt64(text), String(number) == text, range.contains(number) else { return nil }
        return number
    }
}
