public import MatterWire

/// Values that follow from a fabric's root key and its group keys.
public enum FabricKeys {
    /// Returns the 8 bytes that stand for a fabric in DNS-SD names, as a big-endian number (Core §4.3.2.2).
    public static func compressedFabricID(
        rootPublicKey: P256PublicKey, fabricID: FabricID
    ) throws(CryptoError) -> CompressedFabricID {
        let bytes = try KeyDerivation.hkdf(
            ikm: Array(rootPublicKey.bytes.dropFirst()), salt: fabricID.rawValue.bigEndianBytes,
            info: "CompressedFabric", count: 8)
        return CompressedFabricID(rawValue: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Returns the 16-byte operational group key of an epoch key (Core §4.17.2).
    ///
    /// CASE uses this key of key set 0 (the IPK); AddNOC and KeySetWrite carry the epoch key instead.
    public static func operationalKey(
        epochKey: [UInt8], compressedFabricID: CompressedFabricID
    ) throws(CryptoError) -> [UInt8] {
        try KeyDerivation.hkdf(
            ikm: epochKey, salt: compressedFabricID.rawValue.bigEndianBytes, info: "GroupKey v1.0", count: 16)
    }

    /// Returns the session id of group messages under an operational group key (Core §4.17.3.6).
    public static func groupSessionID(operationalKey: [UInt8]) throws(CryptoError) -> SessionID {
        let bytes = try KeyDerivation.hkdf(ikm: operationalKey, salt: [], info: "GroupKeyHash", count: 2)
        return SessionID(rawValue: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
    }

    /// Returns the 16-byte key that hides the header of group messages (Core §4.9.1).
    public static func privacyKey(operationalKey: [UInt8]) throws(CryptoError) -> [UInt8] {
        try KeyDerivation.hkdf(ikm: operationalKey, salt: [], info: "PrivacyKey", count: 16)
    }

    /// Returns the 32 bytes in Sigma1 that tell a responder which of its fabrics is meant (Core §4.14.2.4.1).
    ///
    /// - Parameters:
    ///   - ipk: the operational key of key set 0, not the epoch key.
    ///   - initiatorRandom: 32 bytes from the same Sigma1.
    ///   - nodeID: the responder's.
    public static func destinationID(
        ipk: [UInt8], initiatorRandom: [UInt8], rootPublicKey: P256PublicKey, fabricID: FabricID, nodeID: NodeID
    ) throws(CryptoError) -> [UInt8] {
        var message = initiatorRandom + rootPublicKey.bytes
        message.appendLittleEndian(fabricID.rawValue, byteCount: 8)
        message.appendLittleEndian(nodeID.rawValue, byteCount: 8)
        return try HMAC.sha256(key: ipk, message: message)
    }
}

extension UInt64 {
    /// The eight bytes, most significant first.
    fileprivate var bigEndianBytes: [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> UInt64($0)) }
    }
}
