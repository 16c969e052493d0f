import MatterCrypto
import TestSupport
import Testing

@Suite("Hash") struct HashTests {
    /// FIPS 180-4, the one-block example "abc".
    @Test func `SHA-256 and SHA-1 of the standard's example`() throws {
        let message = Array("abc".utf8)
        #expect(
            try Hash.sha256(message).hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(try Hash.sha1(message).hex == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }

    @Test func `the empty message has a digest`() throws {
        #expect(
            try Hash.sha256([]).hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    /// RFC 4231, test cases 1 and 2.
    @Test func `HMAC matches the RFC and takes an empty key`() throws {
        #expect(
            try HMAC.sha256(key: .init(repeating: 0x0B, count: 20), message: Array("Hi There".utf8)).hex
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            try HMAC.sha256(key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8)).hex
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            try HMAC.sha256(key: [], message: [1]) == HMAC.sha256(key: .init(repeating: 0, count: 32), message: [1]))
    }
}

@Suite("AES-CCM (Core §3.6)") struct AESCCMTests {
    struct File: Decodable {
        let vectors: [Good]
        let mustFail: [Bad]
        static let all = Vectors.load(File.self, "aes-ccm.json")
    }
    struct Good: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let key, nonce, aad, plaintext, ciphertext, tag: HexBytes
        var testDescription: String { name }
    }
    struct Bad: Decodable, Sendable, CustomTestStringConvertible {
        let reason: String
        let key, nonce, aad, ciphertext, tag: HexBytes
        var testDescription: String { "\(reason): \(ciphertext)" }
    }

    @Test(arguments: File.all.vectors) func `seals and opens`(_ vector: Good) throws {
        let cipher = try AESCCM(key: vector.key.bytes)
        let sealed = try cipher.seal(vector.plaintext.bytes, nonce: vector.nonce.bytes, aad: vector.aad.bytes)
        #expect(sealed.hex == vector.ciphertext.bytes.hex + vector.tag.bytes.hex)
        #expect(
            try cipher.open(sealed, nonce: vector.nonce.bytes, aad: vector.aad.bytes) == vector.plaintext.bytes)
    }

    @Test(arguments: File.all.mustFail) func `refuses`(_ vector: Bad) throws {
        let cipher = try AESCCM(key: vector.key.bytes)
        let error = #expect(throws: CryptoError.self) {
            try cipher.open(
                vector.ciphertext.bytes + vector.tag.bytes, nonce: vector.nonce.bytes, aad: vector.aad.bytes)
        }
        #expect(error?.code == .authenticationFailed)
    }

    @Test(arguments: 0..<200) func `what was sealed opens, and no damaged byte does`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let cipher = try AESCCM(key: generator.bytes(16))
        let nonce = generator.bytes(13)
        let aad = generator.bytes(Int.random(in: 0...40, using: &generator))
        let message = generator.bytes(Int.random(in: 0...1300, using: &generator))
        let sealed = try cipher.seal(message, nonce: nonce, aad: aad)
        #expect(try cipher.open(sealed, nonce: nonce, aad: aad) == message)
        var damaged = sealed
        damaged[Int.random(in: 0..<damaged.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        let error = #expect(throws: CryptoError.self) { try cipher.open(damaged, nonce: nonce, aad: aad) }
        #expect(error?.code == .authenticationFailed)
    }

    @Test func `wrong lengths of key, nonce and message are refused`() throws {
        #expect(throws: CryptoError.self) { try AESCCM(key: .init(repeating: 0, count: 15)) }
        let cipher = try AESCCM(key: .init(repeating: 0, count: 16))
        #expect(throws: CryptoError.self) { try cipher.seal([1], nonce: .init(repeating: 0, count: 12)) }
        #expect(throws: CryptoError.self) {
            try cipher.seal(.init(repeating: 0, count: 0x1_0000), nonce: .init(repeating: 0, count: 13))
        }
        let error = #expect(throws: CryptoError.self) {
            try cipher.open(.init(repeating: 0, count: 15), nonce: .init(repeating: 0, count: 13))
        }
        #expect(error?.code == .authenticationFailed)
    }
}

@Suite("Key derivation (RFC 5869, RFC 8018)") struct KeyDerivationTests {
    struct HKDFFile: Decodable {
        let vectors: [HKDFVector]
        static let all = Vectors.load(HKDFFile.self, "hkdf.json").vectors
    }
    struct HKDFVector: Decodable, Sendable, CustomTestStringConvertible {
        let ikm, salt, info, okm: HexBytes
        let infoText: String?
        let length: Int
        let source: String
        var testDescription: String { source }
    }
    struct PBKDF2File: Decodable {
        let vectors: [PBKDF2Vector]
        static let all = Vectors.load(PBKDF2File.self, "pbkdf2.json").vectors
    }
    struct PBKDF2Vector: Decodable, Sendable, CustomTestStringConvertible {
        let password, salt, key: HexBytes
        let iterations, length: Int
        let source: String
        var testDescription: String { source }
    }

    @Test(arguments: HKDFFile.all) func `HKDF matches`(_ vector: HKDFVector) throws {
        #expect(
            try KeyDerivation.hkdf(
                ikm: vector.ikm.bytes, salt: vector.salt.bytes, info: vector.info.bytes, count: vector.length)
                == vector.okm.bytes)
        if let text = vector.infoText {
            #expect(
                try KeyDerivation.hkdf(ikm: vector.ikm.bytes, salt: vector.salt.bytes, info: text, count: vector.length)
                    == vector.okm.bytes)
        }
    }

    @Test(arguments: PBKDF2File.all) func `PBKDF2 matches`(_ vector: PBKDF2Vector) throws {
        #expect(
            try KeyDerivation.pbkdf2(
                password: vector.password.bytes, salt: vector.salt.bytes, iterations: vector.iterations,
                count: vector.length) == vector.key.bytes)
    }

    @Test func `impossible amounts are refused`() {
        #expect(throws: CryptoError.self) { try KeyDerivation.hkdf(ikm: [1], salt: [], info: "", count: 0) }
        #expect(throws: CryptoError.self) { try KeyDerivation.hkdf(ikm: [1], salt: [], info: "", count: 8161) }
        #expect(throws: CryptoError.self) {
            try KeyDerivation.pbkdf2(password: [1], salt: [1], iterations: 0, count: 32)
        }
    }
}

@Suite("Secrets") struct SecretTests {
    @Test func `constant-time equality is equality`() {
        #expect(ConstantTime.equal([], []))
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
    }

    @Test func `the system source gives what was asked for`() throws {
        #expect(try SystemSecretSource().bytes(0).isEmpty)
        #expect(try SystemSecretSource().bytes(32) != SystemSecretSource().bytes(32))
        #expect(throws: CryptoError.self) { try SystemSecretSource().bytes(-1) }
    }

    @Test func `a seeded source repeats`() throws {
        #expect(try SeededSecretSource(seed: 7).bytes(100) == SeededSecretSource(seed: 7).bytes(100))
        #expect(try SeededSecretSource(seed: 7).bytes(32) != SeededSecretSource(seed: 8).bytes(32))
    }

    @Test func `a source that gives no scalar ends with an error`() {
        struct Zeros: SecretSource {
            func bytes(_ count: Int) throws(CryptoError) -> [UInt8] { .init(repeating: 0, count: count) }
        }
        #expect(throws: CryptoError.self) { try P256PrivateKey.generate(using: Zeros()) }
    }
}
