import NetIO

/// How long a test waits for what surely comes: under a sanitizer, beside all other tests on two cores, that takes seconds.
let patience = Duration.seconds(50)

/// A handshake with ``patience``.
func handshake(
    _ tcp: TCPConnection, _ context: TLSContext, received: [UInt8] = []
) async throws(NetError) -> TLSConnection {
    try await TLSConnection.establish(over: tcp, context, received: received, timeout: patience)
}
