import HubControl
import MatterCrypto
import MatterWire

/// A file of attestation cases: `{"cases": [...]}` in the row format of the CHIP SDK's public cases.
///
/// A row has `dac_cert`, `pai_cert`, `certification_declaration` and `dac_private_key` as hexadecimal strings, and may
/// have `name`, `basic_info_vid` (0xFFF1 when absent), `basic_info_pid` (the DAC's when absent) and `is_success_case`.
/// Members of other names are ignored.
struct AttestationCaseFile {
    /// One row, as far as it could be read.
    struct Row {
        /// The row's name, or its place when it has none.
        var name: String
        /// The case, or why the row is none.
        var content: Result<AttestationCase, RowError>
        /// Whether the row is marked as a case to be accepted; `nil` when it says nothing of that.
        var isMarkedAccepted: Bool?
    }

    /// Why a row is no case.
    struct RowError: Error, Hashable {
        /// Plain words that name the member.
        var reason: String
    }

    /// The rows in the order of the file.
    let rows: [Row]

    /// Cases that a file may have at most, and bytes of one member.
    private static let limits = ControlLimits(
        payloadLength: maximumSize, depth: 16, stringLength: 1 << 20, entries: 100_000)
    /// Bytes that a file may have at most.
    static let maximumSize = 64 << 20

    /// Reads a file; a bad row does not keep the others from being read.
    ///
    /// - Throws: ``ControlProtocolError`` when the file is no JSON object or has no array `cases`.
    init(json: [UInt8]) throws(ControlProtocolError) {
        let rows = try JSONObject(parsing: json, limits: Self.limits).array("cases")
        self.rows = rows.enumerated().map { index, value in Self.row(value, number: index + 1) }
    }

    private static func row(_ value: JSONValue, number: Int) -> Row {
        var row = Row(name: "case \(number)", content: .failure(RowError(reason: "the case is no JSON object")))
        guard let object = value.object else { return row }
        if let name = object["name"]?.string { row.name = name }
        row.isMarkedAccepted = object["is_success_case"].flatMap { $0.bool ?? Self.truth[$0.string ?? ""] }
        do throws(RowError) {
            row.content = .success(try item(object, name: row.name))
        } catch {
            row.content = .failure(error)
        }
        return row
    }

    private static let truth = ["true": true, "false": false]

    private static func item(_ object: JSONObject, name: String) throws(RowError) -> AttestationCase {
        if let given = object["name"], given.string == nil { throw RowError(reason: "name is no string") }
        return AttestationCase(
            name: name, dac: try octets(object, "dac_cert"), pai: try octets(object, "pai_cert"),
            certificationDeclaration: try octets(object, "certification_declaration"),
            dacPrivateKey: try octets(object, "dac_private_key"),
            vendorID: VendorID(rawValue: try id(object, "basic_info_vid") ?? 0xFFF1),
            productID: try id(object, "basic_info_pid").map(ProductID.init))
    }

    private static func id(_ object: JSONObject, _ name: String) throws(RowError) -> UInt16? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let number = value.integer.flatMap(UInt16.init(exactly:)) else {
            throw RowError(reason: "\(name) is no integer from 0 to 65535")
        }
        return number
    }

    private static func octets(_ object: JSONObject, _ name: String) throws(RowError) -> [UInt8] {
        guard let value = object[name] else { throw RowError(reason: "\(name) is missing") }
        guard let text = value.string else { throw RowError(reason: "\(name) is no string of hexadecimal digits") }
        var digits: [UInt8] = []
        digits.reserveCapacity(text.utf8.count)
        for (offset, character) in text.utf8.enumerated() {
            switch character {
            case 0x30...0x39: digits.append(character - 0x30)
            case 0x41...0x46: digits.append(character - 0x41 + 10)
            case 0x61...0x66: digits.append(character - 0x61 + 10)
            default: throw RowError(reason: "\(name) has a character at \(offset) that is no hexadecimal digit")
            }
        }
        guard digits.count.isMultiple(of: 2) else {
            throw RowError(reason: "\(name) has an odd number of hexadecimal digits")
        }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
