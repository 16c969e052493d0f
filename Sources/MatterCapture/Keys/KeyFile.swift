import HubControl

/// The file of session keys that belongs to a capture: JSON lines, a head and a line a session (Protocols/captures.md).
public enum KeyFile {
    /// Lines that a file may have.
    public static let maximumLines = 100_000
    private static let name = "session keys"
    private static let version: Int64 = 1

    /// The first line, which warns whoever finds the file.
    public static var head: [UInt8] {
        let json: JSONObject = [
            "matterhub": .string(name), "version": .integer(version),
            "warning":
                "Whoever has this file can read the Matter traffic of this run. Keep it to yourself, and delete it.",
        ]
        return json.encoded() + [0x0A]
    }

    /// The line of a session.
    public static func line(_ keys: SessionKeys) -> [UInt8] { keys.json.encoded() + [0x0A] }

    /// Reads a file.
    ///
    /// - Throws: ``CaptureError`` with the line. No key is in its text.
    public static func sessions(of bytes: [UInt8]) throws(CaptureError) -> [SessionKeys] {
        var sessions: [SessionKeys] = []
        var hasHead = false
        for (index, part) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            guard part.contains(where: { $0 != 0x20 && $0 != 0x0D }) else { continue }
            guard index < maximumLines else { throw CaptureError(.tooMany, at: index + 1) }
            let line = try json(Array(part), at: index + 1, hasHead)
            // A further run in the same file has a head of its own.
            if let head = line["matterhub"] {
                guard head.string == name else { throw CaptureError(.notKeys, at: index + 1) }
                guard let version = line["version"]?.integer, version <= Self.version else {
                    throw CaptureError(.newerKeys, at: index + 1)
                }
                hasHead = true
                continue
            }
            guard hasHead else { throw CaptureError(.notKeys, at: index + 1) }
            do throws(ControlProtocolError) {
                sessions.append(try SessionKeys(json: line))
            } catch {
                throw CaptureError(.keyLine(error.message), at: index + 1)
            }
        }
        guard hasHead else { throw CaptureError(.notKeys, at: 1) }
        return sessions
    }

    private static func json(_ bytes: [UInt8], at line: Int, _ hasHead: Bool) throws(CaptureError) -> JSONObject {
        do throws(ControlProtocolError) {
            return try JSONObject(parsing: bytes)
        } catch {
            throw CaptureError(hasHead ? .keyLine(error.message) : .notKeys, at: line)
        }
    }
}
