import MatterWire
import TestSupport

/// A cluster's description in the facts beside some checkouts, as far as the tests look at it.
struct DataModelFile: Decodable {
    struct Element: Decodable {
        let id: UInt32
        let name: String
        let type: String
        let list: Bool?
        let nullable: Bool?
        let optional: Bool?
        let writable: Bool?
        let readPrivilege: String?
        let writePrivilege: String?
        let maxLength: Int?
        let specConformance: String?
        let specQuality: String?
    }
    struct Command: Decodable {
        let id: UInt32
        let name: String
        let direction: String
        let invokePrivilege: String?
        let timed: Bool?
        let fabricScoped: Bool?
        let responseId: UInt32?
        let fields: [Element]?
        let specConformance: String?
    }
    struct Event: Decodable {
        let id: UInt32
        let name: String
        let priority: String
        let readPrivilege: String?
    }
    struct Structure: Decodable {
        let name: String
        let fabricScoped: Bool
        let fields: [Element]
    }
    struct Enumeration: Decodable {
        let name: String
        let type: String
        let values: [String: UInt64]
    }
    struct Feature: Decodable {
        let code: String
        let bit: UInt32
        let name: String
        let conformance: String?
    }
    struct Bitmap: Decodable {
        let name: String
        let type: String
    }

    let id: UInt32
    let name: String
    let revision: UInt16
    let features: [Feature]?
    let attributes: [Element]
    let commands: [Command]
    let events: [Event]
    let structs: [Structure]
    let enums: [Enumeration]
    let bitmaps: [Bitmap]

    static func load(_ id: ClusterID, _ name: String) -> DataModelFile? {
        let hex = String(id.rawValue, radix: 16, uppercase: true)
        let number = String(repeating: "0", count: 4 - hex.count) + hex
        return SharedData.load(DataModelFile.self, "datamodel/clusters/\(number)-\(name).json")
    }

    /// What a strict decoder, made from this description, would say against a value; `nil` when it takes it.
    ///
    /// - Parameter hidden: members of structures may be missing, as for entries of foreign fabrics.
    func fault(in value: TLVValue, of element: Element, hidden: Bool = false) -> String? {
        if value.isNull { return element.nullable == true ? nil : "\(element.name) is null" }
        guard element.list == true else { return fault(in: value, ofType: element.type, element, hidden) }
        guard let values = value.array else { return "\(element.name) is no list" }
        return values.lazy.compactMap { fault(in: $0, ofType: element.type, element, hidden) }.first
    }

    private func fault(in value: TLVValue, ofType type: String, _ element: Element, _ hidden: Bool) -> String? {
        if let structure = structs.first(where: { $0.name == type }) {
            return fault(in: value, of: structure, element, hidden)
        }
        if let enumeration = enums.first(where: { $0.name == type }) {
            guard let number = value.unsigned, enumeration.values.values.contains(number) else {
                return "\(element.name): \(value) is not in \(type)"
            }
            return nil
        }
        if bitmaps.contains(where: { $0.name == type }) { return value.unsigned == nil ? "\(element.name)" : nil }
        return Self.fits(value, type, element.maxLength) ? nil : "\(element.name): \(value) is no \(type)"
    }

    private func fault(
        in value: TLVValue, of structure: Structure, _ element: Element, _ hidden: Bool
    ) -> String? {
        guard case .structure(let members) = value else { return "\(element.name) is no structure" }
        for field in structure.fields {
            guard let member = value[UInt8(field.id)] else {
                if field.optional == true || hidden { continue }
                return "\(structure.name).\(field.name) is missing"
            }
            if let fault = fault(in: member, of: field) { return "\(structure.name): \(fault)" }
        }
        let known = Set(structure.fields.map { TLVTag.context(UInt8($0.id)) })
        return members.contains { !known.contains($0.tag) } ? "\(structure.name) has an unknown member" : nil
    }

    private static func fits(_ value: TLVValue, _ type: String, _ maxLength: Int?) -> Bool {
        let widths: [String: Int] = [
            "int8u": 8, "enum8": 8, "bitmap8": 8, "fabric_idx": 8, "int16u": 16, "bitmap16": 16, "vendor_id": 16,
            "group_id": 16, "endpoint_no": 16, "int32u": 32, "bitmap32": 32, "cluster_id": 32, "attrib_id": 32,
            "command_id": 32, "devtype_id": 32, "int64u": 64, "node_id": 64, "fabric_id": 64, "epoch_us": 64,
            "systime_ms": 64, "posix_ms": 64, "status": 8, "percent": 8, "percent100ths": 16,
        ]
        switch type {
        case "boolean": return value.bool != nil
        case "char_string", "long_char_string": return value.utf8.map { $0.utf8.count <= maxLength ?? .max } ?? false
        case "octet_string", "long_octet_string": return value.octets.map { $0.count <= maxLength ?? .max } ?? false
        case "int8s": return value.signed.map { (-128...127).contains($0) } ?? false
        case "int16s", "temperature": return value.signed.map { (-0x8000...0x7FFF).contains($0) } ?? false
        case "int32s": return value.signed != nil
        default:
            guard let width = widths[type], let number = value.unsigned else { return false }
            return width == 64 || number < 1 << UInt64(width)
        }
    }
}
