import Glibc
import NetIO

/// One authority with one server's credentials, valid around now.
struct TLSFixture: Sendable {
    static let alpn = "matterhub/1"
    /// 2100-01-01.
    static let validity = CertificateValidity(notBefore: 1_500_000_000, notAfter: 4_102_444_800)

    /// One for all tests that don't need their own: making keys is slow under a sanitizer.
    static let shared = Result { try TLSFixture() }

    let authority: ControlCA
    let credentials: TLSCredentials

    init(validity: CertificateValidity = Self.validity) throws {
        authority = try ControlCA.create(commonName: "Test control CA", validity: Self.validity)
        credentials = try authority.issue(commonName: "Test hub", validity: validity)
    }

    func server(alpn: String = Self.alpn) throws -> TLSContext {
        try TLSContext.server(credentials, applicationProtocol: alpn)
    }

    func client(alpn: String = Self.alpn) throws -> TLSContext {
        try TLSContext.client(trust: .pinned(authority.pin), applicationProtocol: alpn)
    }

    /// Both ends after a handshake.
    func connectedPair(
        writeQueueLimit: Int = TCPConnection.defaultWriteQueueLimit
    ) async throws -> (client: TLSConnection, server: TLSConnection) {
        let tcp = try await NetIOTests.connectedPair(writeQueueLimit: writeQueueLimit)
        let (serverContext, clientContext) = (try server(), try client())
        async let server = handshake(tcp.server, serverContext)
        let client = try await handshake(tcp.client, clientContext)
        return (client, try await server)
    }
}
