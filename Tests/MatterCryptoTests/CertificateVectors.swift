import MatterCrypto
import MatterWire
import TestSupport
import Testing

/// The rows of `certs.json`: public and generated certificates with their DER, as the CHIP SDK converts them.
struct CertificateFile: Decodable {
    let keys: [String: HexBytes]
    let single, generatedChain, negative: [CertificateVector]
    let negativeContent: [Negative]
    static let all = Vectors.load(CertificateFile.self, "certs.json")

    struct Negative: Decodable, Sendable, CustomTestStringConvertible {
        let name, reason: String
        let tlv: HexBytes?
        var testDescription: String { name }
        enum CodingKeys: String, CodingKey {
            case name, reason, tlv
        }
    }

    static func certificate(_ name: String) throws -> [UInt8] {
        let rows = all.single + all.generatedChain + all.negative
        return try #require(rows.first { $0.name == name }).tlv.bytes
    }
}

struct CertificateVector: Decodable, Sendable, CustomTestStringConvertible {
    let name, role: String
    let tlv, der: HexBytes
    let tbs: HexBytes?
    let fields: Fields
    let signatureVerifies: Bool?
    var testDescription: String { name }

    struct Fields: Decodable, Sendable {
        let serialNumber, publicKey, signature: HexBytes
        let notBefore, notAfter: Int64
        let issuer, subject: [Attribute]
    }
    struct Attribute: Decodable, Sendable, Hashable {
        let tlvTag: UInt8
        let value: String
    }
}

/// The chains of other ecosystems, which are not part of the project.
struct EcosystemFile: Decodable {
    let chains: [Chain]
    static let all: EcosystemFile? = SharedData.load(EcosystemFile.self, "vectors/certs.json")

    struct Chain: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let chain: [String: CertificateVector]
        let fabricId, nodeId, cats: [String]
        var testDescription: String { name }
    }
}

func number(_ hex: String) -> UInt64 {
    UInt64(hex.hasPrefix("0x") ? String(hex.dropFirst(2)) : hex, radix: 16) ?? 0
}
