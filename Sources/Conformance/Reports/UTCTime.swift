/// A time of the calendar, for reports.
struct UTCTime {
    let secondsSince1970: Int64

    /// `2026-11-30T13:00:00Z`.
    var text: String {
        let day = secondsSince1970 >= 0 ? secondsSince1970 / 86400 : -((86399 - secondsSince1970) / 86400)
        let second = secondsSince1970 - day * 86400
        // Years begin in March here, so that the leap day is the last one; an era has 400 years.
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let calendarMonth = month < 10 ? month + 3 : month - 9
        let year = yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0)
        return Self.digits(year, 4) + "-" + Self.digits(calendarMonth, 2) + "-"
            + Self.digits(dayOfYear - (153 * month + 2) / 5 + 1, 2) + "T" + Self.digits(second / 3600, 2) + ":"
            + Self.digits(second / 60 % 60, 2) + ":" + Self.digits(second % 60, 2) + "Z"
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
