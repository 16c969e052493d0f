/// Takes secrets out of what goes into a report: those that are known, and whatever looks like a grant.
struct Redaction: Sendable {
    static let mark = "(secret)"
    private let secrets: [[UInt8]]

    init(_ secrets: [String]) {
        // Long ones first: one secret may hold another.
        self.secrets = secrets.map { Array($0.utf8) }.filter { !$0.isEmpty }.sorted { $0.count > $1.count }
    }

    /// Works on bytes: no combining character beside a secret hides it.
    func redacted(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for secret in secrets { bytes = Self.replacing(secret, in: bytes) }
        return String(decoding: Self.withoutGrants(bytes), as: UTF8.self)
    }

    func redacted(_ outcome: ConformanceOutcome) -> ConformanceOutcome {
        switch outcome {
        case .passed, .interrupted: outcome
        case .skipped(let reason): .skipped(redacted(reason))
        case .failed(let failure):
            .failed(
                ConformanceFailure(
                    expected: redacted(failure.expected), seen: redacted(failure.seen), rule: failure.rule,
                    meaning: failure.meaning.map(redacted)))
        }
    }

    private static func replacing(_ secret: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: secret) {
                result += Array(mark.utf8)
                index += secret.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// `mh1.PIN.ID.SECRET` (Protocols/hub-control.md §2) without its secret, wherever it stands.
    private static func withoutGrants(_ bytes: [UInt8]) -> [UInt8] {
        let prefix = Array("mh1.".utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index...].starts(with: prefix) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let token = bytes[index...].prefix(while: isOfGrant)
            let fields = token.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
            if fields.count == 4, fields[3].count >= 16 {
                result += token[..<fields[3].startIndex] + Array(mark.utf8)
            } else {
                result += token
            }
            index = token.endIndex
        }
        return result
    }

    private static func isOfGrant(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
