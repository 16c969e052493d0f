/// A payload together with the text that it was read from, so that a fault found later still has a place.
public struct ParsedOnboardingPayload: Hashable, Sendable {
    /// Which text form the payload had.
    public enum Form: Hashable, Sendable {
        /// `MT:` and base-38.
        case qrCode
        /// 11 digits.
        case shortManualCode
        /// 21 digits, with vendor and product id.
        case longManualCode
    }

    /// What to do with blanks in a manual code.
    public enum Blanks: Hashable, Sendable {
        /// A blank is a bad character, as for the CHIP SDK's parser: for data.
        case refused
        /// Blanks before, after and between digits, and around a QR payload, mean nothing: for what people type.
        case ignored
    }

    /// What the text's structure says; not yet checked for validity.
    public let payload: OnboardingPayload
    /// The text form.
    public let form: Form
    /// Offsets of the characters after `MT:`, or of the digits, within the text.
    private let places: [Int]

    /// Reads exactly one payload: a QR text, perhaps between foreign parts set off by `%`, or a manual code with or
    /// without dashes.
    ///
    /// - Throws: ``OnboardingPayloadError``; `severalPayloads` when the text holds more than one.
    public init(_ text: String, blanks: Blanks = .refused) throws(OnboardingPayloadError) {
        let scalars = Text(text, blanks: blanks)
        guard scalars.isQRCode else {
            try self.init(manual: scalars)
            return
        }
        let body = try scalars.qrBody()
        if let star = body.first(where: { $0.scalar == "*" }) {
            throw OnboardingPayloadError(
                .severalPayloads, "‘*’ joins several payloads; give one of them", offset: star.offset)
        }
        try self.init(qr: body[...], end: scalars.end)
    }

    /// Reads every payload of a text: the parts of a QR text that `*` joins, or one manual code.
    ///
    /// - Returns: at least one result; a part that is no payload does not spoil the others.
    public static func all(in text: String, blanks: Blanks = .refused) -> [Result<Self, OnboardingPayloadError>] {
        let scalars = Text(text, blanks: blanks)
        guard scalars.isQRCode else {
            return [Result { () throws(OnboardingPayloadError) in try Self(manual: scalars) }]
        }
        let body: [Text.Place]
        do {
            body = try scalars.qrBody()
        } catch {
            return [.failure(error)]
        }
        return body.split(omittingEmptySubsequences: false) { $0.scalar == "*" }.map { part in
            let end = part.endIndex < body.endIndex ? body[part.endIndex].offset : scalars.end
            return Result { () throws(OnboardingPayloadError) in try Self(qr: part, end: end) }
        }
    }

    /// The payload, when commissioning may use it.
    ///
    /// - Throws: ``OnboardingPayloadError`` of the validity layer, with the offset where the field begins in the text.
    public func validated() throws(OnboardingPayloadError) -> OnboardingPayload {
        guard let (field, error) = payload.fault else { return payload }
        switch form {
        case .qrCode: throw error.at(places[OnboardingPayload.qrOffset(of: field)])
        case .shortManualCode, .longManualCode: throw error.at(places[OnboardingPayload.manualDigit(of: field)])
        }
    }

    // MARK: - Forms

    private init(qr body: ArraySlice<Text.Place>, end: Int) throws(OnboardingPayloadError) {
        let places = body.map(\.offset)
        do {
            payload = try OnboardingPayload(qrBody: body.map(\.scalar))
        } catch {
            throw error.placed(places, end: end)
        }
        form = .qrCode
        self.places = places
    }

    private init(manual text: Text) throws(OnboardingPayloadError) {
        let digits = try text.digits()
        let places = digits.map(\.offset)
        do {
            payload = try OnboardingPayload(manualDigits: digits.map { UInt8($0.scalar.value - 0x30) })
        } catch {
            throw error.placed(places, end: text.end)
        }
        form = digits.count == OnboardingPayload.longDigitCount ? .longManualCode : .shortManualCode
        self.places = places
    }
}

extension OnboardingPayloadError {
    /// The error with its offset, counted within `places`, turned into an offset of the whole text.
    fileprivate func placed(_ places: [Int], end: Int) -> Self {
        offset.map { at($0 < places.count ? places[$0] : end) } ?? self
    }
}

/// The scalars of a text with their places.
private struct Text {
    struct Place {
        let scalar: Unicode.Scalar
        let offset: Int
    }

    var scalars: [Place]
    /// The offset just behind the last scalar.
    var end: Int

    init(_ text: String, blanks: ParsedOnboardingPayload.Blanks) {
        scalars = text.unicodeScalars.enumerated().map { Place(scalar: $1, offset: $0) }
        end = scalars.count
        guard blanks == .ignored else { return }
        while let last = scalars.last, last.scalar.properties.isWhitespace {
            scalars.removeLast()
            end = last.offset
        }
        scalars = Array(scalars.drop { $0.scalar.properties.isWhitespace })
        if !isQRCode { scalars.removeAll { $0.scalar.properties.isWhitespace } }
    }

    /// Everything that does not begin like a number (in whatever script) is taken for a QR text.
    var isQRCode: Bool {
        guard let first = scalars.first(where: { $0.scalar != "-" }) else { return scalars.isEmpty }
        return first.scalar.properties.numericType != .decimal
    }

    /// The characters after `MT:` of the first part, of those that `%` sets off, that begins so.
    func qrBody() throws(OnboardingPayloadError) -> [Place] {
        guard !scalars.isEmpty else { throw OnboardingPayloadError(.empty, "the text is empty", offset: 0) }
        let prefix = Array(OnboardingPayload.prefix.unicodeScalars)
        for part in scalars.split(whereSeparator: { $0.scalar == "%" }) where part.count >= prefix.count {
            if zip(part, prefix).allSatisfy({ $0.scalar == $1 }) { return Array(part.dropFirst(prefix.count)) }
        }
        throw prefixError(prefix)
    }

    private func prefixError(_ prefix: [Unicode.Scalar]) -> OnboardingPayloadError {
        let matching = zip(scalars, prefix).prefix { $0.scalar == $1 }.count
        let place = matching < scalars.count ? scalars[matching].offset : end
        let start = scalars.prefix(prefix.count).map(\.scalar)
        if String(String.UnicodeScalarView(start)).uppercased() == OnboardingPayload.prefix {
            return OnboardingPayloadError(.badPrefix, "“MT:” must be upper case", offset: place)
        }
        guard matching < scalars.count else {
            return OnboardingPayloadError(.badPrefix, "the text ends within “MT:”", offset: place)
        }
        return OnboardingPayloadError(
            .badPrefix,
            "\(scalars[matching].scalar.shown) where \(prefix[matching].shown) was expected: a QR payload begins"
                + " “MT:”, a manual code with a digit",
            offset: place)
    }

    func digits() throws(OnboardingPayloadError) -> [Place] {
        let digits = scalars.filter { $0.scalar != "-" }
        guard let bad = digits.first(where: { !("0"..."9").contains($0.scalar) }) else { return digits }
        let hint: String
        switch bad.scalar {
        case "O", "o": hint = "; is it a zero?"
        case "I", "l": hint = "; is it a one?"
        default: hint = ""
        }
        throw OnboardingPayloadError(
            .badCharacter, "\(bad.scalar.shown) in a manual code, which has the digits 0 to 9 and dashes only\(hint)",
            offset: bad.offset)
    }
}
