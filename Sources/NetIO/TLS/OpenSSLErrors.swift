internal import COpenSSL

extension NetError {
    /// A failure that OpenSSL reported; takes the whole error queue of this thread into the reason.
    static func drainingOpenSSL(_ code: Code, _ operation: String, reason: String? = nil) -> NetError {
        var parts = reason.map { [$0] } ?? []
        while true {
            let error = ERR_get_error()
            if error == 0 { break }
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(error, &text, text.count)
            // "error:0A000438:SSL routines::tlsv1 alert internal error": the last field is for people.
            let line = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let words = line.split(separator: ":", omittingEmptySubsequences: true).last.map(String.init) ?? line
            if !parts.contains(words) { parts.append(words) }
        }
        return NetError(code, operation, reason: parts.isEmpty ? nil : parts.joined(separator: "; "))
    }
}

/// The DER bytes that an `i2d_…` function makes.
func derBytes(
    _ operation: String, _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
) throws(NetError) -> [UInt8] {
    let count = Int(encode(nil))
    guard count > 0 else { throw .drainingOpenSSL(.badCredentials, operation) }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
        var cursor = buffer.baseAddress
        written = Int(encode(&cursor))
    }
}
