/// Why bytes are not a Matter certificate in its TLV form (Core §6.5).
public struct CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    public enum Code: Hashable, Sendable {
        /// The bytes are not one well-formed TLV element.
        case notTLV(TLVError)
        /// More bytes than ``MatterCertificate/maximumCount``.
        case tooLong(Int)
        /// A member is missing, repeated, out of order or unknown.
        case unexpectedMember
        /// A member has the wrong type, length or range.
        case wrongValue
        /// An algorithm or curve other than ECDSA with SHA-256 on P-256.
        case unsupportedAlgorithm
    }

    /// The kind of fault.
    public let code: Code
    /// Context tags from the outermost structure to the member concerned.
    public let path: [UInt8]

    /// An error of a kind at a place.
    public init(_ code: Code, path: [UInt8] = []) {
        self.code = code
        self.path = path
    }

    /// For example "wrong value in member 10.2".
    public var description: String {
        let place = path.isEmpty ? "" : " in member " + path.map(String.init).joined(separator: ".")
        return switch code {
        case .notTLV(let error): "not TLV: \(error.code) at byte \(error.offset ?? 0)"
        case .tooLong(let count): "\(count) bytes, of \(MatterCertificate.maximumCount) allowed"
        case .unexpectedMember: "missing, repeated, misplaced or unknown member\(place)"
        case .wrongValue: "wrong value\(place)"
        case .unsupportedAlgorithm: "unsupported algorithm\(place)"
        }
    }
}
