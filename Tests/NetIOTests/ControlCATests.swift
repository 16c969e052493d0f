import NetIO
import TestSupport
import Testing

@Suite("ControlCA, TLSCredentials and PEM") struct ControlCATests {
    @Test func `an authority survives storage with its pin`() throws {
        let authority = try ControlCA.create(commonName: "Haus Ä", validity: TLSFixture.validity)
        let restored = try ControlCA(certificate: authority.certificate, privateKey: authority.privateKey)
        #expect(restored == authority)
        #expect(restored.pin.count == 32)
        #expect(try restored.notAfter() == TLSFixture.validity.notAfter)
    }

    @Test func `an authority is refused when its parts don't belong together or it is none`() throws {
        let (one, two) = (try TLSFixture(), try TLSFixture())
        #expect(throws: NetError.self) {
            try ControlCA(certificate: one.authority.certificate, privateKey: two.authority.privateKey)
        }
        #expect(throws: NetError.self) {
            try ControlCA(certificate: one.credentials.chain[0], privateKey: one.credentials.privateKey)
        }
    }

    @Test func `credentials survive their PEM text`() throws {
        let fixture = try TLSFixture()
        let text = try fixture.credentials.pem()
        #expect(String(decoding: text, as: UTF8.self).hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(try TLSCredentials(pem: text) == fixture.credentials)
        #expect(try fixture.credentials.notAfter() == TLSFixture.validity.notAfter)
    }

    @Test(arguments: [0, 1, 100, 300, 700, 1000])
    func `cut PEM text is refused`(_ count: Int) throws {
        let text = try TLSFixture.shared.get().credentials.pem()
        #expect(throws: NetError.self) { try TLSCredentials(pem: Array(text[..<count])) }
    }

    @Test func `changed credentials never crash`() throws {
        let fixture = try TLSFixture.shared.get()
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(seed))
            // Whether damaged bytes are refused is luck (a flip in a signature passes here): only surviving counts.
            _ = try? ControlCA(
                certificate: random.mutated(fixture.authority.certificate), privateKey: fixture.authority.privateKey)
            _ = try? TLSCredentials(
                chain: fixture.credentials.chain, privateKey: random.mutated(fixture.credentials.privateKey))
            _ = try? TLSCredentials(pem: random.mutated(fixture.credentials.pem()))
        }
    }

    @Test(arguments: ["evil,DNS:other", "", "a b", "ä"])
    func `a name that is none isn't put into a certificate`(_ name: String) throws {
        let fixture = try TLSFixture()
        #expect(throws: NetError.self) {
            try fixture.authority.issue(commonName: "Hub", names: [name], validity: TLSFixture.validity)
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 65)])
    func `a common name has 1 to 64 bytes`(_ name: String) {
        #expect(throws: NetError.self) { try ControlCA.create(commonName: name, validity: TLSFixture.validity) }
    }
}
