import COpenSSL

/// The curve's group and order, made once: making them costs as much as a signature.
///
/// Safe to share: never changed after `init`, and point arithmetic only reads the group.
struct P256Curve: @unchecked Sendable {
    private let group: OpaquePointer
    private static let made = P256Curve()

    /// The order of the group, 32 bytes big-endian.
    static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    private init?() {
        guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else { return nil }
        self.group = group
    }

    /// The library's group object, which lives as long as the process.
    static func group() throws(CryptoError) -> OpaquePointer {
        guard let made else { throw .drain("EC_GROUP_new_by_curve_name") }
        return made.group
    }

    /// Whether 32 big-endian bytes are a private key: 1 … order − 1.
    static func isScalar(_ bytes: [UInt8]) -> Bool {
        bytes.count == 32 && bytes.contains { $0 != 0 } && bytes.lexicographicallyPrecedes(order)
    }

    /// Draws a uniform scalar from 1 … order − 1: 32 bytes big-endian.
    static func randomScalar(using secrets: any SecretSource) throws(CryptoError) -> [UInt8] {
        // One draw in 2^32 is out of range; many in a row mean that the source is broken.
        for _ in 0..<16 {
            let bytes = try secrets.bytes(32)
            if isScalar(bytes) { return bytes }
        }
        throw CryptoError(.invalidArgument, "the source of secrets gives no usable scalar")
    }

    /// The point `scalar` · G.
    static func multiplyGenerator(_ scalar: borrowing BigNumber) throws(CryptoError) -> CurvePoint {
        let point = try CurvePoint()
        guard EC_POINT_mul(try group(), point.handle, scalar.handle, nil, nil, nil) == 1 else {
            throw .drain("EC_POINT_mul")
        }
        return point
    }

    /// The remainder of a big-endian number after division by the order: 32 bytes, leading zeros kept.
    static func reduce(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        let number = try BigNumber(bytes: bytes)
        let modulus = try BigNumber(bytes: order)
        let remainder = try BigNumber(bytes: [])
        guard let context = BN_CTX_secure_new() else { throw .drain("BN_CTX_secure_new") }
        defer { BN_CTX_free(context) }
        guard BN_nnmod(remainder.handle, number.handle, modulus.handle, context) == 1 else { throw .drain("BN_nnmod") }
        return try remainder.bytes32()
    }
}

/// The owner of one `BIGNUM`, wiped when freed.
struct BigNumber: ~Copyable {
    let handle: OpaquePointer

    /// The number of these big-endian bytes, treated as a secret.
    init(bytes: [UInt8]) throws(CryptoError) {
        guard let handle = BN_bin2bn(bytes, Int32(bytes.count), nil) else { throw .drain("BN_bin2bn") }
        BN_set_flags(handle, BN_FLG_CONSTTIME)
        self.handle = handle
    }

    deinit { BN_clear_free(handle) }

    /// 32 bytes, big-endian; throws when the number is larger.
    func bytes32() throws(CryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard BN_bn2binpad(handle, &bytes, 32) == 32 else { throw .drain("BN_bn2binpad") }
        return bytes
    }
}

/// The owner of one point of the curve.
struct CurvePoint: ~Copyable {
    let handle: OpaquePointer

    /// The point at infinity.
    init() throws(CryptoError) {
        guard let handle = EC_POINT_new(try P256Curve.group()) else { throw .drain("EC_POINT_new") }
        self.handle = handle
    }

    /// The point of 65 uncompressed bytes.
    ///
    /// - Throws: `invalidKey` for any other form and for points off the curve.
    static func decode(_ bytes: [UInt8]) throws(CryptoError) -> CurvePoint {
        let point = try CurvePoint()
        guard bytes.count == P256PublicKey.byteCount, bytes[0] == 0x04,
            EC_POINT_oct2point(try P256Curve.group(), point.handle, bytes, bytes.count, nil) == 1
        else {
            CryptoError.discardQueue()
            throw CryptoError(.invalidKey, "not an uncompressed point of P-256")
        }
        return point
    }

    deinit { EC_POINT_clear_free(handle) }

    /// `scalar` · this point. One scalar at a time: only that way every build of the library takes constant time.
    func multiplied(by scalar: borrowing BigNumber) throws(CryptoError) -> CurvePoint {
        let product = try CurvePoint()
        guard EC_POINT_mul(try P256Curve.group(), product.handle, nil, handle, scalar.handle, nil) == 1 else {
            throw .drain("EC_POINT_mul")
        }
        return product
    }

    /// This point plus `other`.
    func adding(_ other: borrowing CurvePoint) throws(CryptoError) -> CurvePoint {
        let sum = try CurvePoint()
        guard EC_POINT_add(try P256Curve.group(), sum.handle, handle, other.handle, nil) == 1 else {
            throw .drain("EC_POINT_add")
        }
        return sum
    }

    /// This point minus `other`.
    func subtracting(_ other: consuming CurvePoint) throws(CryptoError) -> CurvePoint {
        guard EC_POINT_invert(try P256Curve.group(), other.handle, nil) == 1 else { throw .drain("EC_POINT_invert") }
        return try adding(other)
    }

    /// 65 bytes, uncompressed.
    ///
    /// - Throws: `invalidKey` for the point at infinity.
    func bytes() throws(CryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: P256PublicKey.byteCount)
        let count = EC_POINT_point2oct(
            try P256Curve.group(), handle, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
        guard count == P256PublicKey.byteCount else {
            CryptoError.discardQueue()
            throw CryptoError(.invalidKey, "the point at infinity")
        }
        return bytes
    }
}
