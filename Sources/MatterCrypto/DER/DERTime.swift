package import MatterWire

/// The two time types of X.509, in the only forms that RFC 5280 §4.1.2.5 allows: whole seconds, UTC.
package enum DERTime {
    /// What stands for "does not expire": 99991231235959Z (RFC 5280 §4.1.2.5).
    private static let never: [UInt8] = Array("99991231235959Z".utf8)

    /// What the two types can say with four digits of year: 1950 up to a second before ``never``, in Unix seconds.
    private static let expressible: ClosedRange<Int64> = -631_152_000...253_402_300_798

    /// UTCTime before 2050, GeneralizedTime from then on, and the end of 9999 for `nil`; clamped to 1950 … 9999.
    package static func encoded(_ time: EpochSeconds?) -> [UInt8] {
        guard let time else { return DER.element(DER.generalizedTime, never) }
        let seconds = min(max(time.unixSeconds, expressible.lowerBound), expressible.upperBound)
        // Counted from 1950, so that neither part is negative.
        let (day, second) = (seconds - expressible.lowerBound).quotientAndRemainder(dividingBy: 86_400)
        let days = day + expressible.lowerBound / 86_400
        let date = civil(daysSinceUnixEpoch: days)
        let digits =
            twoDigits(date.month) + twoDigits(date.day) + twoDigits(second / 3600) + twoDigits(second / 60 % 60)
            + twoDigits(second % 60) + Array("Z".utf8)
        return date.year < 2050
            ? DER.element(DER.utcTime, twoDigits(date.year % 100) + digits)
            : DER.element(DER.generalizedTime, twoDigits(date.year / 100) + twoDigits(date.year % 100) + digits)
    }

    /// Reads a UTCTime (1950 … 2049) or a GeneralizedTime; `nil` for the end of 9999.
    ///
    /// - Throws: `malformed` for other forms and for dates that do not exist.
    package static func decode(_ reader: inout DERReader) throws(CryptoError) -> EpochSeconds? {
        let element = try reader.element()
        let text = Array(element.content)
        let yearDigits: Int
        switch element.tag {
        case DER.utcTime: yearDigits = 2
        case DER.generalizedTime: yearDigits = 4
        default: throw CryptoError(.malformed, "DER: tag \(element.tag) is no time")
        }
        if element.tag == DER.generalizedTime, text == never { return nil }
        let digits = text.dropLast().map { Int64($0) - 0x30 }
        guard text.last == 0x5A, digits.count == yearDigits + 10, digits.allSatisfy({ (0...9).contains($0) }) else {
            throw CryptoError(.malformed, "DER: time not of the form that X.509 allows")
        }
        let fields = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
        let (month, day) = (fields[fields.count - 5], fields[fields.count - 4])
        let year =
            yearDigits == 4 ? fields[0] * 100 + fields[1] : (fields[0] < 50 ? 2000 : 1900) + fields[0]
        let days = daysSinceUnixEpoch(year: year, month: month, day: day)
        guard (1...12).contains(month), civil(daysSinceUnixEpoch: days) == (year, month, day),
            fields[fields.count - 3] < 24, fields[fields.count - 2] < 60, fields[fields.count - 1] < 60
        else { throw CryptoError(.malformed, "DER: no such time") }
        let seconds = fields.suffix(3).reduce(0) { $0 * 60 + $1 }
        return EpochSeconds(unixSeconds: days * 86_400 + seconds)
    }

    private static func twoDigits(_ number: Int64) -> [UInt8] {
        [UInt8(0x30 + number / 10 % 10), UInt8(0x30 + number % 10)]
    }

    /// The date in the Gregorian calendar; years from 0 to 9999.
    ///
    /// Counts 400-year eras of years that begin in March, so that a leap day is the last day of its year.
    private static func civil(daysSinceUnixEpoch days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func daysSinceUnixEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
