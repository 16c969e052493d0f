/// A file that TLS secrets are appended to, in the form that Wireshark reads (NSS key log, draft-ietf-tls-keylogfile).
///
/// Whoever has it can read the connections, so nothing makes one unless a person asked for it.
package final class TLSKeyLog: Sendable {
    private let file: AppendFile
    private let isBroken = Locked(false)
    private let report: @Sendable (String) -> Void

    /// Opens a file, mode 0600.
    ///
    /// - Parameter report: told once when it cannot be written any more; no secret is in it.
    package init(path: String, report: @escaping @Sendable (String) -> Void) throws(NetError) {
        file = try AppendFile(path: path)
        self.report = report
    }

    /// Appends one line of OpenSSL's.
    func append(_ line: String) {
        let trouble: String? = isBroken.withLock { isBroken in
            guard !isBroken else { return nil }
            do throws(NetError) {
                try file.append(Array("\(line)\n".utf8))
                return nil
            } catch {
                isBroken = true
                return "the TLS key log ends here: \(error)"
            }
        }
        if let trouble { report(trouble) }
    }
}

extension TLSKeyLog: Hashable {
    package static func == (lhs: TLSKeyLog, rhs: TLSKeyLog) -> Bool { lhs === rhs }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
