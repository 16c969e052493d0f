@testable import MatterCrypto
import TestSupport
import Testing

@Suite("SPAKE2+ (Core §3.10)") struct SPAKE2PlusTests {
    struct File: Decodable {
        let constants: Constants
        let draftVectors: [Draft]
        let matterEmptyIdentityVector: Draft
        let contextHash: [ContextHash]
        let pakeVerifier: [Verifier]
        let paseVerifierSide, paseFull: [Handshake]
        static let all = Vectors.load(File.self, "spake2p.json")
    }
    struct Constants: Decodable {
        let m, n: HexBytes
        enum CodingKeys: String, CodingKey {
            case m = "M_compressed"
            case n = "N_compressed"
        }
    }
    struct Draft: Decodable, Sendable, CustomTestStringConvertible {
        let context: String
        let idProver, idVerifier: String?
        let w0, w1, x, y, L, X, Y, Ke, cA, cB: HexBytes
        let source: String
        var testDescription: String { "\(source), identities \(idProver ?? "") and \(idVerifier ?? "")" }
    }
    struct ContextHash: Decodable, Sendable {
        let prefix: String
        let request, response, contextHash: HexBytes
    }
    struct Verifier: Decodable, Sendable, CustomTestStringConvertible {
        let passcode: UInt32
        let salt: HexBytes
        let iterations: Int
        let w0, w1, L, verifier97: HexBytes
        let source: String
        var testDescription: String { "\(passcode), \(iterations): \(source)" }
    }
    struct Handshake: Decodable, Sendable {
        let passcode: UInt32
        let salt: HexBytes
        let iterations: Int
        let contextHash, y, pA, pB, Ke, cA, cB: HexBytes
        let x, I2RKey, R2IKey, attestationChallenge: HexBytes?
    }

    @Test func `the constants are the draft's`() {
        #expect(SPAKE2Plus.m == File.all.constants.m.bytes)
        #expect(SPAKE2Plus.n == File.all.constants.n.bytes)
    }

    @Test(arguments: File.all.draftVectors + [File.all.matterEmptyIdentityVector])
    func `both sides match`(_ vector: Draft) throws {
        let identities = SPAKE2Plus.Identities(
            prover: Array((vector.idProver ?? "").utf8), verifier: Array((vector.idVerifier ?? "").utf8))
        let context = Array(vector.context.utf8)
        let prover = try SPAKE2PlusProver(w0: vector.w0.bytes, w1: vector.w1.bytes, x: vector.x.bytes)
        let verifier = try SPAKE2PlusVerifier(
            verifier: PAKEVerifier(serialized: vector.w0.bytes + vector.L.bytes), y: vector.y.bytes)
        #expect(prover.share == vector.X.bytes)
        #expect(verifier.share == vector.Y.bytes)
        let proven = try prover.finish(context: context, peerShare: verifier.share, identities: identities)
        let verified = try verifier.finish(context: context, peerShare: prover.share, identities: identities)
        #expect(proven.sharedKey == vector.Ke.bytes)
        #expect(proven.confirmation == vector.cA.bytes)
        #expect(proven.peerConfirmation == vector.cB.bytes)
        #expect(verified.sharedKey == vector.Ke.bytes)
        #expect(verified.confirmation == vector.cB.bytes)
        #expect(verified.confirms(vector.cA.bytes))
        #expect(!verified.confirms(vector.cB.bytes))
    }

    @Test(arguments: File.all.contextHash) func `the context hashes prefix, request and response`(
        _ vector: ContextHash
    ) throws {
        let message = Array(vector.prefix.utf8) + vector.request.bytes + vector.response.bytes
        #expect(try Hash.sha256(message) == vector.contextHash.bytes)
    }

    @Test(arguments: File.all.pakeVerifier) func `computes the verifier of a passcode`(_ vector: Verifier) throws {
        let verifier = try PAKEVerifier.compute(
            passcode: vector.passcode, salt: vector.salt.bytes, iterations: vector.iterations)
        #expect(verifier.w0 == vector.w0.bytes)
        #expect(verifier.l == vector.L.bytes)
        #expect(verifier.serialized == vector.verifier97.bytes)
        #expect(try PAKEVerifier(serialized: vector.verifier97.bytes) == verifier)
        let scalars = try PAKEScalars(
            passcode: vector.passcode, salt: vector.salt.bytes, iterations: vector.iterations)
        #expect(scalars.w1 == vector.w1.bytes)
    }

    @Test(arguments: File.all.paseVerifierSide + File.all.paseFull) func `PASE transcripts match`(
        _ vector: Handshake
    ) throws {
        let computed = try PAKEVerifier.compute(
            passcode: vector.passcode, salt: vector.salt.bytes, iterations: vector.iterations)
        let verifier = try SPAKE2PlusVerifier(verifier: computed, y: vector.y.bytes)
        #expect(verifier.share == vector.pB.bytes)
        let result = try verifier.finish(context: vector.contextHash.bytes, peerShare: vector.pA.bytes)
        #expect(result.sharedKey == vector.Ke.bytes)
        #expect(result.confirmation == vector.cB.bytes)
        #expect(result.peerConfirmation == vector.cA.bytes)
        if let x = vector.x {
            let scalars = try PAKEScalars(
                passcode: vector.passcode, salt: vector.salt.bytes, iterations: vector.iterations)
            let prover = try SPAKE2PlusProver(w0: scalars.w0, w1: scalars.w1, x: x.bytes)
            #expect(prover.share == vector.pA.bytes)
            let proven = try prover.finish(context: vector.contextHash.bytes, peerShare: vector.pB.bytes)
            #expect(proven.confirmation == vector.cA.bytes)
            #expect(proven.sharedKey == vector.Ke.bytes)
        }
        if let i2r = vector.I2RKey, let r2i = vector.R2IKey, let challenge = vector.attestationChallenge {
            #expect(
                try KeyDerivation.hkdf(ikm: result.sharedKey, salt: [], info: "SessionKeys", count: 48)
                    == i2r.bytes + r2i.bytes + challenge.bytes)
        }
    }

    @Test func `the same passcode agrees, another does not`() throws {
        let salt = [UInt8](repeating: 7, count: 16)
        let computed = try PAKEVerifier.compute(passcode: 20_202_021, salt: salt, iterations: 1000)
        for passcode: UInt32 in [20_202_021, 20_202_022] {
            let secrets = SeededSecretSource(seed: UInt64(passcode))
            let prover = try SPAKE2PlusProver(passcode: passcode, salt: salt, iterations: 1000, secrets: secrets)
            let verifier = try SPAKE2PlusVerifier(verifier: computed, secrets: secrets)
            let proven = try prover.finish(context: [1], peerShare: verifier.share)
            let verified = try verifier.finish(context: [1], peerShare: prover.share)
            #expect(proven.confirms(verified.confirmation) == (passcode == 20_202_021))
            #expect(verified.confirms(proven.confirmation) == (passcode == 20_202_021))
            #expect((proven.sharedKey == verified.sharedKey) == (passcode == 20_202_021))
        }
    }

    @Test func `shares that are no points, or make a degenerate secret, are refused`() throws {
        let vector = File.all.matterEmptyIdentityVector
        let prover = try SPAKE2PlusProver(w0: vector.w0.bytes, w1: vector.w1.bytes, x: vector.x.bytes)
        let verifier = try SPAKE2PlusVerifier(
            verifier: PAKEVerifier(serialized: vector.w0.bytes + vector.L.bytes), y: vector.y.bytes)
        let w0 = try BigNumber(bytes: vector.w0.bytes)
        // A share that is the blinding alone leaves the point at infinity.
        let onlyM = try CurvePoint.decode(SPAKE2Plus.m).multiplied(by: w0).bytes()
        let onlyN = try CurvePoint.decode(SPAKE2Plus.n).multiplied(by: w0).bytes()
        for share in [[], [0], .init(repeating: 4, count: 65), Array(vector.X.bytes.dropLast()), onlyN] {
            #expect(throws: CryptoError.self) { try prover.finish(context: [], peerShare: share) }
        }
        for share in [[], [0], .init(repeating: 4, count: 65), Array(vector.X.bytes.dropLast()), onlyM] {
            #expect(throws: CryptoError.self) { try verifier.finish(context: [], peerShare: share) }
        }
    }

    @Test(arguments: [(15, 1000), (33, 1000), (16, 999), (16, 100_001)])
    func `parameters outside the allowed ranges are refused`(salt: Int, iterations: Int) {
        let error = #expect(throws: CryptoError.self) {
            try PAKEVerifier.compute(passcode: 1, salt: .init(repeating: 0, count: salt), iterations: iterations)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `a stored verifier must be 97 bytes with a scalar and a point`() throws {
        let good = try #require(File.all.pakeVerifier.first).verifier97.bytes
        #expect(throws: CryptoError.self) { try PAKEVerifier(serialized: Array(good.dropLast())) }
        #expect(throws: CryptoError.self) { try PAKEVerifier(serialized: good + [0]) }
        #expect(throws: CryptoError.self) {
            try PAKEVerifier(serialized: [UInt8](repeating: 0, count: 32) + good[32...])
        }
        #expect(throws: CryptoError.self) { try PAKEVerifier(serialized: good.dropLast() + [good[96] ^ 1]) }
    }
}
