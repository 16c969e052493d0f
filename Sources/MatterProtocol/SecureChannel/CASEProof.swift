import MatterCrypto
import MatterWire

/// How the two sides of CASE prove who they are; the same in both directions.
enum CASEProof {
    /// The x coordinate that both ephemeral keys lead to.
    static func secret(
        of key: P256PrivateKey, with peerKey: [UInt8], at step: HandshakeFailure.Step
    ) throws(HandshakeError) -> [UInt8] {
        do {
            return try key.sharedSecret(with: P256PublicKey(bytes: peerKey))
        } catch {
            throw HandshakeError(.invalidParameter, at: step, "ephemeral key: \(error.reason)")
        }
    }

    /// This node's certificates and its signature over both ephemeral keys.
    static func make(
        fabric: FabricCredentials, senderKey: [UInt8], receiverKey: [UInt8], resumptionID: [UInt8]? = nil
    ) throws(CryptoError) -> CASEIdentityProof {
        let signed = CASESignedData(
            noc: fabric.noc, icac: fabric.icac, senderKey: senderKey, receiverKey: receiverKey)
        return CASEIdentityProof(
            noc: fabric.noc, icac: fabric.icac, signature: try fabric.operationalKey.sign(signed.encoded()),
            resumptionID: resumptionID)
    }

    /// Decrypts the peer's proof; checks its chain, its fabric and its signature.
    static func check(
        _ encrypted: [UInt8], key: [UInt8], nonce: [UInt8], senderKey: [UInt8], receiverKey: [UInt8],
        root: TrustedRoot, fabricID: FabricID, wallClock: EpochSeconds?, step: HandshakeFailure.Step
    ) throws(HandshakeError) -> OperationalIdentity {
        let plain: [UInt8]
        do {
            plain = try AESCCM(key: key).open(encrypted, nonce: nonce)
        } catch {
            throw HandshakeError(.authenticationFailed, at: step, "it does not decrypt")
        }
        let proof: CASEIdentityProof
        do {
            proof = try CASEIdentityProof(decoding: plain)
        } catch {
            throw HandshakeError(.malformedMessage, at: step, "its encrypted part: \(error)")
        }
        let identity: OperationalIdentity
        do {
            identity = try OperationalChain.validate(
                noc: proof.noc, icac: proof.icac, root: root, at: wallClock)
        } catch {
            throw HandshakeError(.untrustedIdentity, at: step, "certificates: \(error)")
        }
        guard identity.fabricID == fabricID else {
            throw HandshakeError(.untrustedIdentity, at: step, "the certificate belongs to another fabric")
        }
        let signed = CASESignedData(
            noc: proof.noc, icac: proof.icac, senderKey: senderKey, receiverKey: receiverKey
        ).encoded()
        let isGenuine: Bool
        do {
            isGenuine = try identity.publicKey.verify(signature: proof.signature, message: signed)
        } catch {
            throw HandshakeError(.authenticationFailed, at: step, "signature: \(error.reason)")
        }
        guard isGenuine else { throw HandshakeError(.authenticationFailed, at: step, "its signature is wrong") }
        return identity
    }
}
