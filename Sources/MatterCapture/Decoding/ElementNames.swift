import MatterModel
import MatterWire

/// Names of clusters and what is in them, from the tables that virtual devices are made of; numbers where there is none.
enum ElementNames {
    static func cluster(_ id: ClusterID?) -> String {
        guard let id else { return "*" }
        return ClusterDefinition.of(id)?.name ?? hex(id.rawValue)
    }

    static func path(_ path: AttributePath) -> String {
        let attribute = path.attribute.map { attribute in
            let own = path.cluster.flatMap { ClusterDefinition.of($0) }?.attributes ?? []
            return (own + AttributeDefinition.global).first { $0.id == attribute }?.name ?? hex(attribute.rawValue)
        }
        return "\(endpoint(path.endpoint))/\(cluster(path.cluster))/\(attribute ?? "*")"
    }

    static func path(_ path: EventPath) -> String {
        let event = path.event.map { event in
            path.cluster.flatMap { ClusterDefinition.of($0) }?.events.first { $0.id == event }?.name
                ?? hex(event.rawValue)
        }
        return "\(endpoint(path.endpoint))/\(cluster(path.cluster))/\(event ?? "*")"
    }

    /// - Parameter isResponse: the command answers another one.
    static func path(_ path: CommandPath, isResponse: Bool) -> String {
        let commands = ClusterDefinition.of(path.cluster)?.commands ?? []
        let name: String?
        if isResponse {
            // The table has no names of responses: they are called after what they answer.
            name = commands.first { $0.response == path.command }.map { "\($0.name) answer" }
        } else {
            name = commands.first { $0.id == path.command }?.name
        }
        return "\(endpoint(path.endpoint))/\(cluster(path.cluster))/\(name ?? hex(path.command.rawValue))"
    }

    /// Names of a command's fields.
    ///
    /// - Parameter isResponse: the command answers another one.
    static func fields(_ path: CommandPath, isResponse: Bool) -> [UInt8: String] {
        if let names = commissioning[path.cluster]?[path.command.rawValue] {
            return Dictionary(uniqueKeysWithValues: names.enumerated().map { (UInt8($0), $1) })
        }
        guard !isResponse else { return [:] }
        let definition = ClusterDefinition.of(path.cluster)?.commands.first { $0.id == path.command }
        return Dictionary((definition?.fields ?? []).map { ($0.tag, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// Fields of commands and answers of commissioning, by tag from 0; their clusters check them by themselves, so that the tables
    /// have none (Core §11.10, §11.18).
    private static let commissioning: [ClusterID: [UInt32: [String]]] = [
        .generalCommissioning: [
            0x00: ["expiryLengthSeconds", "breadcrumb"], 0x01: ["errorCode", "debugText"],
            0x02: ["newRegulatoryConfig", "countryCode", "breadcrumb"], 0x03: ["errorCode", "debugText"],
            0x05: ["errorCode", "debugText"],
        ],
        .operationalCredentials: [
            0x00: ["attestationNonce"], 0x01: ["attestationElements", "attestationSignature"],
            0x02: ["certificateType"], 0x03: ["certificate"], 0x04: ["CSRNonce", "isForUpdateNOC"],
            0x05: ["NOCSRElements", "attestationSignature"],
            0x06: ["NOCValue", "ICACValue", "IPKValue", "caseAdminSubject", "adminVendorId"],
            0x07: ["NOCValue", "ICACValue"], 0x08: ["statusCode", "fabricIndex", "debugText"],
            0x09: ["label"], 0x0A: ["fabricIndex"], 0x0B: ["rootCACertificate"],
        ],
    ]

    /// Whether octets in a command's fields are keys, PINs or what they can be found from.
    static func isSecret(_ path: CommandPath) -> Bool {
        switch (path.cluster, path.command.rawValue) {
        case (.operationalCredentials, 0x06), (.groupKeyManagement, _), (.administratorCommissioning, 0x00),
            (.doorLock, _), (.networkCommissioning, _):
            true
        default: false
        }
    }

    private static func endpoint(_ id: EndpointID?) -> String { id.map { "\($0.rawValue)" } ?? "*" }
    private static func hex(_ number: UInt32) -> String { "0x\(String(number, radix: 16, uppercase: true))" }
}
