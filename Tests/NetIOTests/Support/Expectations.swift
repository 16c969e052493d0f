import NetIO
import Testing

/// Expects the body to fail with a `NetError` of the given code.
func expectNetError(
    _ code: NetError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("nothing was thrown; expected \(code)", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? NetError)?.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}

/// Two ends of one fresh loopback connection.
func connectedPair(
    writeQueueLimit: Int = TCPConnection.defaultWriteQueueLimit
) async throws -> (client: TCPConnection, server: TCPConnection) {
    let listener = try TCPListener(addresses: [.loopbackV4], writeQueueLimit: writeQueueLimit)
    let client = try await TCPConnection.connect(
        to: listener.localAddresses, timeout: patience, writeQueueLimit: writeQueueLimit)
    let server = try #require(await listener.connections.first { _ in true })
    return (client, server)
}

extension ByteChannel {
    /// Reads until so many bytes are there or the peer has ended.
    func read(exactly count: Int) async throws(NetError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let next = try await read(atMost: min(65536, count - bytes.count))
            if next.isEmpty { break }
            bytes += next
        }
        return bytes
    }

    /// Reads until the peer has ended.
    func readToEnd() async throws(NetError) -> [UInt8] { try await read(exactly: .max) }
}
