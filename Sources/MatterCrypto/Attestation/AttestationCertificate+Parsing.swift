import COpenSSL
import MatterWire

extension AttestationCertificate {
    /// Reads one certificate from DER.
    ///
    /// The cryptographic library's own parser has to accept it too: a certificate that two parsers read differently
    /// is not worth trusting.
    ///
    /// - Throws: ``AttestationError`` `malformed` for anything that is not exactly one X.509 certificate in DER.
    public init(der: [UInt8]) throws(AttestationError) {
        guard der.count <= Self.maximumAuthoritySize else {
            throw AttestationError(
                code: .tooLarge,
                reason: "a certificate of \(der.count) bytes is longer than \(Self.maximumAuthoritySize)")
        }
        guard Self.libraryAccepts(der) else {
            throw AttestationError(code: .malformed, reason: "the bytes are no X.509 certificate in DER")
        }
        do throws(CryptoError) {
            self = try Self.read(der)
        } catch {
            throw AttestationError(code: .malformed, reason: "the certificate is not readable (\(error.reason))")
        }
    }

    private static func libraryAccepts(_ der: [UInt8]) -> Bool {
        der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let certificate = d2i_X509(nil, &cursor, buffer.count) else {
                CryptoError.discardQueue()
                return false
            }
            X509_free(certificate)
            return cursor == buffer.baseAddress?.advanced(by: buffer.count)
        }
    }

    private static func read(_ der: [UInt8]) throws(CryptoError) -> AttestationCertificate {
        var outer = DERReader(der[...])
        var certificate = try outer.contents(DER.sequence)
        try outer.end()
        let signedPart = try certificate.element(DER.sequence)
        let algorithm = Array(try certificate.element(DER.sequence).encoded)
        let signature = Array(try certificate.octetAlignedBits())
        try certificate.end()

        var fields = DERReader(signedPart.content)
        var version = 1
        if fields.nextTag == DER.constructedContext(0) {
            var wrapper = try fields.contents(DER.constructedContext(0))
            let number = Array(try wrapper.unsignedInteger())
            try wrapper.end()
            guard number.count == 1 else { throw CryptoError(.malformed, "version") }
            version = Int(number[0]) + 1
        }
        // Negative serial numbers exist in old certificates: they are refused here, as by RFC 5280.
        let serialNumber = Array(try fields.unsignedInteger())
        let innerAlgorithm = Array(try fields.element(DER.sequence).encoded)
        let issuer = try AttestationName(reading: &fields)
        var validity = try fields.contents(DER.sequence)
        let notBefore = try CertificateTime.read(&validity)
        let notAfter = try CertificateTime.read(&validity)
        try validity.end()
        let subject = try AttestationName(reading: &fields)
        let publicKey = try key(&fields)
        for unique: UInt8 in 1...2 where fields.nextTag == DER.primitiveContext(unique) { _ = try fields.element() }
        let extensions = try extensions(&fields)
        try fields.end()
        return AttestationCertificate(
            der: der, version: version, serialNumber: serialNumber, subject: subject, issuer: issuer,
            notBefore: notBefore, notAfter: notAfter, publicKey: publicKey,
            isSignedWithECDSAAndSHA256: algorithm == DER.ecdsaWithSHA256 && innerAlgorithm == algorithm,
            extensions: extensions, signedPart: Array(signedPart.encoded), signature: signature)
    }

    /// Reads a SubjectPublicKeyInfo; `nil` for a key of another kind, which the format rules then report.
    private static func key(_ fields: inout DERReader) throws(CryptoError) -> P256PublicKey? {
        var information = try fields.contents(DER.sequence)
        let algorithm = Array(try information.element(DER.sequence).encoded)
        let bits = Array(try information.element(DER.bitString).content)
        try information.end()
        guard algorithm == DER.p256Algorithm, bits.first == 0 else { return nil }
        do throws(CryptoError) {
            return try P256PublicKey(bytes: Array(bits.dropFirst()))
        } catch {
            return nil
        }
    }

    private static func extensions(_ fields: inout DERReader) throws(CryptoError) -> [Extension] {
        guard !fields.isAtEnd else { return [] }
        var wrapper = try fields.contents(DER.constructedContext(3))
        var list = try wrapper.contents(DER.sequence)
        try wrapper.end()
        var extensions: [Extension] = []
        while !list.isAtEnd {
            var item = try list.contents(DER.sequence)
            let identifier = Array(try item.element(DER.objectIdentifier).content)
            var isCritical = false
            if item.nextTag == DER.boolean { isCritical = try item.boolean() }
            let value = Array(try item.element(DER.octetString).content)
            try item.end()
            extensions.append(Extension(identifier: identifier, isCritical: isCritical, value: value))
        }
        return extensions
    }
}

/// The two time forms of X.509 (RFC 5280 §4.1.2.5): UTCTime for 1950 … 2049, GeneralizedTime otherwise.
enum CertificateTime {
    /// 9999-12-31T23:59:59Z, which says that a certificate has no end.
    static let never = EpochSeconds(unixSeconds: 253_402_300_799)

    /// Reads one time; seconds are mandatory and the zone is `Z`.
    static func read(_ fields: inout DERReader) throws(CryptoError) -> EpochSeconds {
        let element = try fields.element()
        var digits = Array(element.content)
        guard digits.popLast() == UInt8(ascii: "Z"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw CryptoError(.malformed, "a time that is not in UTC, or no time")
        }
        let numbers = digits.map { Int($0) - 0x30 }
        let year: Int
        switch (element.tag, numbers.count) {
        case (DER.utcTime, 12):
            let short = numbers[0] * 10 + numbers[1]
            year = short >= 50 ? 1900 + short : 2000 + short
        case (DER.generalizedTime, 14):
            year = numbers[0] * 1000 + numbers[1] * 100 + numbers[2] * 10 + numbers[3]
        default:
            throw CryptoError(.malformed, "a time in an unknown form")
        }
        let rest = stride(from: numbers.count - 10, to: numbers.count, by: 2).map { numbers[$0] * 10 + numbers[$0 + 1] }
        guard (1...12).contains(rest[0]), (1...31).contains(rest[1]), rest[2] < 24, rest[3] < 60, rest[4] < 60 else {
            throw CryptoError(.malformed, "a time with a field out of range")
        }
        let days = daysSince1970(year: year, month: rest[0], day: rest[1])
        return EpochSeconds(unixSeconds: Int64(days * 86_400 + rest[2] * 3600 + rest[3] * 60 + rest[4]))
    }

    /// The DER element for a time; the year has four digits at most.
    static func encoded(_ time: EpochSeconds) -> [UInt8] {
        let seconds = Int(time.unixSeconds)
        let days = seconds >= 0 ? seconds / 86_400 : -((86_399 - seconds) / 86_400)
        let (year, month, day) = date(daysSince1970: days)
        let second = seconds - days * 86_400
        let short = [month, day, second / 3600, second / 60 % 60, second % 60]
        let isShort = (1950...2049).contains(year)
        let pairs = isShort ? [year % 100] + short : [year / 100, year % 100] + short
        let text = pairs.flatMap { [UInt8($0 / 10) + 0x30, UInt8($0 % 10) + 0x30] } + [UInt8(ascii: "Z")]
        return DER.element(isShort ? DER.utcTime : DER.generalizedTime, text)
    }

    // The proleptic Gregorian calendar in 400-year cycles of 146,097 days, with years that begin in March.

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let cycle = (year >= 0 ? year : year - 399) / 400
        let yearOfCycle = year - cycle * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return cycle * 146_097 + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - 719_468
    }

    private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let cycle = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfCycle = shifted - cycle * 146_097
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }
}
