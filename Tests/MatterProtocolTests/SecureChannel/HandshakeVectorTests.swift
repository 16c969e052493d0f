import MatterCrypto
import MatterWire
import TestSupport
import Testing

@testable import MatterProtocol

private struct PASEVectors: Decodable {
    struct Context: Decodable { var request: HexBytes, response: HexBytes, contextHash: HexBytes }
    struct Side: Decodable {
        var pbkdfParamRequest: HexBytes
        var pbkdfParamResponse: HexBytes
        var contextHash: HexBytes
    }
    struct Full: Decodable, Sendable, CustomTestStringConvertible {
        var passcode: UInt32
        var salt: HexBytes
        var iterations: Int
        var pbkdfParamRequest: HexBytes
        var pbkdfParamResponse: HexBytes
        var contextHash: HexBytes
        var x: HexBytes
        var Ke: HexBytes
        var cA: HexBytes
        var cB: HexBytes
        var I2RKey: HexBytes
        var R2IKey: HexBytes
        var attestationChallenge: HexBytes
        var pake1: HexBytes
        var pake2: HexBytes
        var pake3: HexBytes
        var testDescription: String { "passcode \(passcode)" }
    }
    var contextHash: [Context]
    var verifierSide: [Side]
    var full: [Full]

    static let all = Vectors.load(PASEVectors.self, "pase.json")
}

@Suite("PASE against vectors (Core §4.14.1)")
struct PASEVectorTests {
    @Test fileprivate func `hashes the exact payloads`() throws {
        let all = PASEVectors.all
        #expect(!all.contextHash.isEmpty && !all.verifierSide.isEmpty)
        for vector in all.contextHash {
            #expect(
                try PASETranscript.context(request: vector.request.bytes, response: vector.response.bytes)
                    == vector.contextHash.bytes)
        }
        for vector in all.verifierSide {
            #expect(
                try PASETranscript.context(
                    request: vector.pbkdfParamRequest.bytes, response: vector.pbkdfParamResponse.bytes)
                    == vector.contextHash.bytes)
        }
    }

    @Test(arguments: PASEVectors.all.full)
    fileprivate func `derives shares, confirmations and keys of a whole handshake`(
        _ vector: PASEVectors.Full
    ) throws {
        let context = try PASETranscript.context(
            request: vector.pbkdfParamRequest.bytes, response: vector.pbkdfParamResponse.bytes)
        #expect(context == vector.contextHash.bytes)
        let response = try PBKDFParamResponse(decoding: vector.pbkdfParamResponse.bytes)
        #expect(response.pbkdfParameters?.salt == vector.salt.bytes)
        #expect(response.pbkdfParameters?.iterations == UInt32(vector.iterations))
        let pake2 = try Pake2(decoding: vector.pake2.bytes)
        // The prover draws one scalar; the script gives it the vector's.
        let prover = try SPAKE2PlusProver(
            passcode: vector.passcode, salt: vector.salt.bytes, iterations: vector.iterations,
            secrets: FixedSecrets(bytes: vector.x.bytes))
        #expect(Pake1(share: prover.share).encoded() == vector.pake1.bytes)
        let result = try prover.finish(context: context, peerShare: pake2.share)
        #expect(result.confirms(pake2.confirmation) && pake2.confirmation == vector.cB.bytes)
        #expect(Pake3(confirmation: result.confirmation).encoded() == vector.pake3.bytes)
        #expect(result.confirmation == vector.cA.bytes && result.sharedKey == vector.Ke.bytes)
        let keys = try SessionKeys(secret: result.sharedKey, salt: [])
        #expect(keys.initiatorToResponder == vector.I2RKey.bytes)
        #expect(keys.responderToInitiator == vector.R2IKey.bytes)
        #expect(keys.attestationChallenge == vector.attestationChallenge.bytes)
    }
}

/// Gives the same bytes at every draw of their length.
private struct FixedSecrets: SecretSource {
    let bytes: [UInt8]
    func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        [UInt8](repeating: 0, count: max(0, count - bytes.count)) + bytes.suffix(count)
    }
}

private struct CASEVectors: Decodable {
    struct Second: Decodable {
        var sigma1: HexBytes
        var responderNOC: HexBytes
        var ipk: HexBytes
        var responderRandom: HexBytes
        var sharedSecret: HexBytes
        var responderEphPubKey: HexBytes
        var initiatorEphPubKey: HexBytes
        var S2K: HexBytes
        var tbsData2: HexBytes
        var signature: HexBytes
        var signerPublicKey: HexBytes
        var resumptionId: HexBytes
        var tbeData2: HexBytes
        var encrypted2: HexBytes
    }
    struct Third: Decodable {
        var sigma1: HexBytes
        var sigma2: HexBytes
        var sigma3: HexBytes
        var ipk: HexBytes
        var sharedSecret: HexBytes
        var responderEphPubKey: HexBytes
        var initiatorEphPubKey: HexBytes
        var S3K: HexBytes
        var encrypted3: HexBytes
        var tbeData3: HexBytes
        var initiatorNOC: HexBytes
        var tbsData3: HexBytes
        var I2RKey: HexBytes
        var R2IKey: HexBytes
        var attestationChallenge: HexBytes
    }
    struct Handshake: Decodable, Sendable {
        var ipk: HexBytes
        var initiatorEphPrivate: HexBytes
        var responderEphPrivate: HexBytes
        var sharedSecret: HexBytes
        var rcac: HexBytes
        var initiatorRandom: HexBytes
        var responderRandom: HexBytes
        var sigma1: HexBytes
        var S2K: HexBytes
        var sigma2: HexBytes
        var S3K: HexBytes
        var sigma3: HexBytes
        var I2RKey: HexBytes
        var R2IKey: HexBytes
        var attestationChallenge: HexBytes
    }
    var sigma2: [Second]
    var sigma3: [Third]
    var handshakes: [Handshake]

    static let all = Vectors.load(CASEVectors.self, "case.json")
}

@Suite("CASE against vectors (Core §4.14.2)")
struct CASEVectorTests {
    @Test fileprivate func `makes the Sigma2 of another stack`() throws {
        #expect(!CASEVectors.all.sigma2.isEmpty)
        for vector in CASEVectors.all.sigma2 {
            let signed = CASESignedData(
                noc: vector.responderNOC.bytes, icac: nil, senderKey: vector.responderEphPubKey.bytes,
                receiverKey: vector.initiatorEphPubKey.bytes)
            #expect(signed.encoded() == vector.tbsData2.bytes)
            let signer = try P256PublicKey(bytes: vector.signerPublicKey.bytes)
            #expect(try signer.verify(signature: vector.signature.bytes, message: signed.encoded()))
            let proof = CASEIdentityProof(
                noc: vector.responderNOC.bytes, icac: nil, signature: vector.signature.bytes,
                resumptionID: vector.resumptionId.bytes)
            #expect(proof.encoded() == vector.tbeData2.bytes)
            let key = try CASEKeys.sigma2(
                secret: vector.sharedSecret.bytes, ipk: vector.ipk.bytes,
                responderRandom: vector.responderRandom.bytes, responderKey: vector.responderEphPubKey.bytes,
                sigma1: vector.sigma1.bytes)
            #expect(key == vector.S2K.bytes)
            #expect(
                try AESCCM(key: key).seal(proof.encoded(), nonce: CASEKeys.sigma2Nonce) == vector.encrypted2.bytes)
        }
    }

    @Test fileprivate func `makes the Sigma3 of another stack`() throws {
        #expect(!CASEVectors.all.sigma3.isEmpty)
        for vector in CASEVectors.all.sigma3 {
            let signed = CASESignedData(
                noc: vector.initiatorNOC.bytes, icac: nil, senderKey: vector.initiatorEphPubKey.bytes,
                receiverKey: vector.responderEphPubKey.bytes)
            #expect(signed.encoded() == vector.tbsData3.bytes)
            let key = try CASEKeys.sigma3(
                secret: vector.sharedSecret.bytes, ipk: vector.ipk.bytes, sigma1: vector.sigma1.bytes,
                sigma2: vector.sigma2.bytes)
            #expect(key == vector.S3K.bytes)
            #expect(
                try AESCCM(key: key).open(vector.encrypted3.bytes, nonce: CASEKeys.sigma3Nonce)
                    == vector.tbeData3.bytes)
            try checkKeys(
                secret: vector.sharedSecret.bytes, ipk: vector.ipk.bytes,
                messages: (vector.sigma1.bytes, vector.sigma2.bytes, vector.sigma3.bytes),
                expected: (vector.I2RKey.bytes, vector.R2IKey.bytes, vector.attestationChallenge.bytes))
        }
    }

    private func checkKeys(
        secret: [UInt8], ipk: [UInt8], messages: ([UInt8], [UInt8], [UInt8]),
        expected: ([UInt8], [UInt8], [UInt8])
    ) throws {
        let keys = try CASEKeys.session(
            secret: secret, ipk: ipk, sigma1: messages.0, sigma2: messages.1, sigma3: messages.2)
        #expect(keys.initiatorToResponder == expected.0)
        #expect(keys.responderToInitiator == expected.1)
        #expect(keys.attestationChallenge == expected.2)
    }

    @Test(arguments: CASEVectors.all.handshakes.indices)
    fileprivate func `takes a whole handshake apart`(index: Int) throws {
        let vector = CASEVectors.all.handshakes[index]
        let secret = vector.sharedSecret.bytes
        let initiatorKey = try P256PrivateKey(rawValue: vector.initiatorEphPrivate.bytes)
        let responderKey = try P256PrivateKey(rawValue: vector.responderEphPrivate.bytes)
        #expect(try initiatorKey.sharedSecret(with: responderKey.publicKey) == secret)
        let root = try OperationalChain.validateRoot(vector.rcac.bytes)

        let sigma2 = try Sigma2(decoding: vector.sigma2.bytes)
        let s2k = try CASEKeys.sigma2(
            secret: secret, ipk: vector.ipk.bytes, responderRandom: vector.responderRandom.bytes,
            responderKey: responderKey.publicKey.bytes, sigma1: vector.sigma1.bytes)
        #expect(s2k == vector.S2K.bytes)
        let fabricID = FabricID(rawValue: 0xFAB0_0000_0000_001D)
        let responder = try CASEProof.check(
            sigma2.encrypted, key: s2k, nonce: CASEKeys.sigma2Nonce, senderKey: responderKey.publicKey.bytes,
            receiverKey: initiatorKey.publicKey.bytes, root: root, fabricID: fabricID, wallClock: nil, step: .sigma2)
        let sigma1 = try Sigma1(decoding: vector.sigma1.bytes)
        #expect(
            try FabricKeys.destinationID(
                ipk: vector.ipk.bytes, initiatorRandom: vector.initiatorRandom.bytes, rootPublicKey: root.publicKey,
                fabricID: responder.fabricID, nodeID: responder.nodeID) == sigma1.destinationID)

        let sigma3 = try Sigma3(decoding: vector.sigma3.bytes)
        let s3k = try CASEKeys.sigma3(
            secret: secret, ipk: vector.ipk.bytes, sigma1: vector.sigma1.bytes, sigma2: vector.sigma2.bytes)
        #expect(s3k == vector.S3K.bytes)
        _ = try CASEProof.check(
            sigma3.encrypted, key: s3k, nonce: CASEKeys.sigma3Nonce, senderKey: initiatorKey.publicKey.bytes,
            receiverKey: responderKey.publicKey.bytes, root: root, fabricID: fabricID, wallClock: nil, step: .sigma3)
        try checkKeys(
            secret: secret, ipk: vector.ipk.bytes,
            messages: (vector.sigma1.bytes, vector.sigma2.bytes, vector.sigma3.bytes),
            expected: (vector.I2RKey.bytes, vector.R2IKey.bytes, vector.attestationChallenge.bytes))
    }
}
