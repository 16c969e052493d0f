extension OnboardingPayload {
    /// What begins every QR payload.
    static let prefix = "MT:"
    /// Bytes of the fixed fields, before the optional TLV structure.
    static let fixedByteCount = 11

    /// The fixed fields in the order of their bits, least significant first (Core §5.1.3.1, table 35).
    private enum Bits {
        static let version = 0..<3
        static let vendorID = 3..<19
        static let productID = 19..<35
        static let flow = 35..<37
        static let discoveryCapabilities = 37..<45
        static let discriminator = 45..<57
        static let passcode = 57..<84
        static let padding = 84..<88
    }

    /// The text of the QR code, `MT:` and base-38.
    ///
    /// `nil` when something that a QR code must say is not known: the whole discriminator or the discovery
    /// capabilities. Absent vendor and product ids are written as 0.
    public var qrCode: String? {
        guard let bytes = packed else { return nil }
        return Self.prefix + Base38.encode(bytes)
    }

    /// The fixed fields as 11 bytes and the optional TLV structure; `nil` when ``qrCode`` is.
    public var packed: [UInt8]? {
        guard let long = discriminator.long, let discoveryCapabilities else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.fixedByteCount)
        func put(_ value: some BinaryInteger, _ field: Range<Int>) {
            for (index, bit) in field.enumerated() where UInt64(value) >> UInt64(index) & 1 == 1 {
                bytes[bit / 8] |= 1 << UInt8(bit % 8)
            }
        }
        put(version, Bits.version)
        put(vendorID?.rawValue ?? 0, Bits.vendorID)
        put(productID?.rawValue ?? 0, Bits.productID)
        put(flow.rawValue, Bits.flow)
        put(discoveryCapabilities.rawValue, Bits.discoveryCapabilities)
        put(long.rawValue, Bits.discriminator)
        put(passcode.rawValue, Bits.passcode)
        return data.isEmpty ? bytes : bytes + TLVValue.structure(data).encoded()
    }

    /// Reads the part of a QR payload after `MT:`.
    ///
    /// - Parameter body: one payload, without prefix and without `*`.
    /// - Throws: ``OnboardingPayloadError`` with offsets from the start of `body`.
    init(qrBody body: [Unicode.Scalar]) throws(OnboardingPayloadError) {
        guard !body.isEmpty else { throw OnboardingPayloadError(.empty, "nothing follows “MT:”", offset: 0) }
        let bytes: [UInt8]
        do {
            bytes = try Base38.decode(body)
        } catch {
            throw Self.explain(error, in: body)
        }
        guard bytes.count >= Self.fixedByteCount else {
            let wanted = Base38.encodedLength(ofBytes: Self.fixedByteCount)
            throw OnboardingPayloadError(
                .badLength, "only \(body.count) characters follow “MT:”; the fixed fields take \(wanted)",
                offset: body.count)
        }
        func field(_ range: Range<Int>) -> UInt32 {
            range.reversed().reduce(0) { $0 << 1 | UInt32(bytes[$1 / 8] >> UInt8($1 % 8) & 1) }
        }
        guard field(Bits.padding) == 0 else {
            throw OnboardingPayloadError(
                .reservedBits, "the 4 padding bits after the passcode are not zero",
                offset: Self.characterOffset(ofBit: Bits.padding.lowerBound))
        }
        guard let discriminator = Discriminator(rawValue: UInt16(field(Bits.discriminator))),
            let passcode = Passcode(rawValue: field(Bits.passcode)), let flow = Flow(rawValue: UInt8(field(Bits.flow)))
        else { preconditionFailure("the fields have as many bits as their types") }
        self.init(
            version: UInt8(field(Bits.version)), vendorID: VendorID(rawValue: UInt16(field(Bits.vendorID))),
            productID: ProductID(rawValue: UInt16(field(Bits.productID))), flow: flow,
            discoveryCapabilities: DiscoveryCapabilities(rawValue: UInt8(field(Bits.discoveryCapabilities))),
            discriminator: .long(discriminator), passcode: passcode)
        if bytes.count > Self.fixedByteCount { data = try Self.data(Array(bytes[Self.fixedByteCount...])) }
    }

    /// Where in the body the group of characters begins that carries the first bit of `field`.
    static func qrOffset(of field: Field) -> Int {
        switch field {
        case .version: characterOffset(ofBit: Bits.version.lowerBound)
        case .flow: characterOffset(ofBit: Bits.flow.lowerBound)
        case .passcode: characterOffset(ofBit: Bits.passcode.lowerBound)
        }
    }

    private static func characterOffset(ofBit bit: Int) -> Int { bit / 24 * 5 }
    private static func characterOffset(ofByte byte: Int) -> Int { byte / 3 * 5 }

    private static func data(_ bytes: [UInt8]) throws(OnboardingPayloadError) -> [TLVElement] {
        func fail(_ reason: String, byte: Int = 0) -> OnboardingPayloadError {
            OnboardingPayloadError(
                .malformedData, "the characters after the fixed fields (19 after “MT:”) \(reason)",
                offset: characterOffset(ofByte: fixedByteCount + byte))
        }
        let value: TLVValue
        do {
            value = try TLVValue.decode(bytes)
        } catch {
            let byte = min(error.offset ?? 0, bytes.count - 1)
            throw fail("hold no TLV structure (\(error.code), byte \(error.offset ?? 0))", byte: byte)
        }
        guard case .structure(let members) = value else { throw fail("hold TLV that is no structure") }
        for member in members {
            guard case .context(let tag) = member.tag else { continue }
            if let reason = fault(tag, member.value) { throw fail("hold a bad member \(tag) (\(reason))") }
        }
        return members
    }

    /// What is wrong with a member of the optional data; `nil` for unknown members, which are kept.
    private static func fault(_ tag: UInt8, _ value: TLVValue) -> String? {
        func number(_ name: String, _ limit: UInt64) -> String? {
            guard let number = value.unsigned, number <= limit else { return "\(name): no number up to \(limit)" }
            return nil
        }
        switch tag {
        case 0:
            if value.unsigned != nil { return nil }
            guard let text = value.utf8, text.utf8.count <= 32 else {
                return "serial number: neither text of at most 32 bytes nor a number"
            }
            return nil
        case 1: return number("PBKDF iterations", UInt64(UInt32.max))
        case 2:
            guard let salt = value.octets, (16...32).contains(salt.count) else {
                return "PBKDF salt: not 16 to 32 bytes"
            }
            return nil
        case 3: return number("number of devices", UInt64(UInt8.max))
        case 4: return number("commissioning timeout", UInt64(UInt16.max))
        default: return nil
        }
    }

    private static func explain(_ failure: Base38.Failure, in body: [Unicode.Scalar]) -> OnboardingPayloadError {
        switch failure.code {
        case .badCharacter(let scalar) where ("a"..."z").contains(scalar):
            OnboardingPayloadError(
                .badCharacter, "\(scalar.shown) is lower case; QR payloads are upper case", offset: failure.offset)
        case .badCharacter(let scalar):
            OnboardingPayloadError(
                .badCharacter, "\(scalar.shown) is none of the 38 characters of a QR payload (0-9 A-Z - .)",
                offset: failure.offset)
        case .incompleteGroup:
            OnboardingPayloadError(
                .badLength,
                "\(body.count) characters follow “MT:”; the last group of \(body.count - failure.offset) is incomplete,"
                    + " so a character is missing or too many",
                offset: failure.offset)
        case .overflow:
            OnboardingPayloadError(
                .groupOverflow,
                "the group “\(String(String.UnicodeScalarView(body[failure.offset..<min(failure.offset + 5, body.count)])))”"
                    + " stands for a number that is too large, so one of its characters is wrong",
                offset: failure.offset)
        }
    }
}
