extension Subscribers {
    /// How many values a subscriber wants.
    public struct Demand: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// The number; `nil` for all.
        public let max: Int?

        private init(_ max: Int?) { self.max = max }

        /// All that come.
        public static let unlimited = Demand(nil)
        /// None.
        public static let none = Demand(0)
        /// At most `value`, which must not be negative.
        public static func max(_ value: Int) -> Demand {
            precondition(value >= 0, "a subscriber can't take a demand back")
            return Demand(value)
        }

        /// The sum; unlimited when either is, or when it is too large for a number.
        public static func + (left: Demand, right: Demand) -> Demand {
            guard let a = left.max, let b = right.max else { return .unlimited }
            let (sum, overflow) = a.addingReportingOverflow(b)
            return overflow ? .unlimited : Demand(sum)
        }
        /// The sum with a number.
        public static func + (left: Demand, right: Int) -> Demand { left + .max(right) }
        /// Adds a demand.
        public static func += (left: inout Demand, right: Demand) { left = left + right }
        /// Adds a number.
        public static func += (left: inout Demand, right: Int) { left = left + right }
        /// The difference, at least none; unlimited stays unlimited.
        public static func - (left: Demand, right: Demand) -> Demand {
            guard let a = left.max else { return .unlimited }
            guard let b = right.max else { return .none }
            return Demand(Swift.max(0, a - b))
        }
        /// The difference with a number.
        public static func - (left: Demand, right: Int) -> Demand { left - .max(right) }
        /// Subtracts a demand.
        public static func -= (left: inout Demand, right: Demand) { left = left - right }
        /// Subtracts a number.
        public static func -= (left: inout Demand, right: Int) { left = left - right }

        /// Whether `left` is the smaller demand.
        public static func < (left: Demand, right: Demand) -> Bool {
            switch (left.max, right.max) {
            case (let a?, let b?): a < b
            case (_?, nil): true
            case (nil, _): false
            }
        }
        /// Whether a number is less than a demand.
        public static func < (left: Int, right: Demand) -> Bool { right.max.map { left < $0 } ?? true }
        /// Whether a demand is more than a number.
        public static func > (left: Demand, right: Int) -> Bool { right < left }
        /// Whether a demand is a number.
        public static func == (left: Demand, right: Int) -> Bool { left.max == right }

        /// `unlimited` or `max(n)`.
        public var description: String { max.map { "max(\($0))" } ?? "unlimited" }
    }
}
