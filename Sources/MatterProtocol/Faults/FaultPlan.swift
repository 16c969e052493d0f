/// One fault of a virtual device: where, what, and how often.
public struct FaultRule: Hashable, Sendable {
    /// Where it happens; `nil` for every request that the kind is possible for, also outside of commissioning.
    public var stage: CommissioningStage?
    /// What happens.
    public var kind: FaultKind
    /// The first request of the stage that it happens to, from 1. Only requests that the kind is possible for count.
    public var from: Int
    /// To how many requests from there; `nil` for all.
    public var times: Int?

    /// Makes a rule.
    ///
    /// - Throws: ``FaultPlanError`` when the kind is not possible at the stage or a count is out of range.
    public init(
        stage: CommissioningStage?, kind: FaultKind, from: Int = 1, times: Int? = 1
    ) throws(FaultPlanError) {
        if let stage, !kind.applies(at: stage) {
            let possible = CommissioningStage.allCases.filter(kind.applies(at:)).map(\.rawValue)
            throw FaultPlanError(
                .impossible, "\(kind)", offset: 0,
                "does not happen at \(stage.rawValue); it does at \(possible.joined(separator: ", "))")
        }
        guard from >= 1 else { throw FaultPlanError(.count, "\(from)", offset: 0, "counting begins with 1") }
        if let times, times < 1 { throw FaultPlanError(.count, "\(times)", offset: 0, "at least 1 time") }
        self.stage = stage
        self.kind = kind
        self.from = from
        self.times = times
    }

    /// Makes a rule from its parts in text form, as a file has them.
    public init(
        stage: String, kind: String, argument: String?, from: Int, times: Int?
    ) throws(FaultPlanError) {
        let (found, reason) = FaultKind.parse(kind, argument)
        guard let found else {
            throw FaultPlanError(argument == nil ? .kind : .argument, argument ?? kind, offset: 0, reason)
        }
        try self.init(stage: try Self.stage(stage, offset: 0), kind: found, from: from, times: times)
    }

    /// Reads `STAGE:KIND[=ARGUMENT][@N][xM]`; `x*` is always.
    ///
    /// - Throws: ``FaultPlanError`` with the byte offset of what is wrong.
    public init(_ text: String) throws(FaultPlanError) {
        guard let colon = text.firstIndex(of: ":") else {
            throw FaultPlanError(.form, text, offset: 0, "the form is STAGE:KIND[=ARGUMENT][@N][xM]")
        }
        let stage = try Self.stage(String(text[..<colon]), offset: 0)
        var rest = text[text.index(after: colon)...]
        var times: Int? = 1
        var from = 1
        if let cross = rest.lastIndex(of: "x"), cross > rest.startIndex,
            Self.isCount(rest[rest.index(after: cross)...]),
            // The x of a hexadecimal argument is none of a count.
            rest[..<cross].split(whereSeparator: { $0 == "=" || $0 == ":" }).last != "0"
        {
            let count = rest[rest.index(after: cross)...]
            times = count == "*" ? nil : try Self.number(count, in: text)
            rest = rest[..<cross]
        }
        if let at = rest.lastIndex(of: "@") {
            from = try Self.number(rest[rest.index(after: at)...], in: text)
            rest = rest[..<at]
        }
        let parts = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first ?? ""
        let argument = parts.count == 2 ? String(parts[1]) : nil
        let (kind, reason) = FaultKind.parse(String(name), argument)
        guard let kind else {
            let isKnown = FaultKind.catalogue.contains { $0.name == name }
            let place = isKnown && parts.count == 2 ? parts[1].startIndex : rest.startIndex
            throw FaultPlanError(
                isKnown ? .argument : .kind, isKnown ? argument ?? "" : String(name), offset: Self.offset(place, text),
                reason)
        }
        do throws(FaultPlanError) {
            try self.init(stage: stage, kind: kind, from: from, times: times)
        } catch {
            throw FaultPlanError(error.code, error.text, offset: Self.offset(rest.startIndex, text), error.reason)
        }
    }

    private static func stage(_ text: String, offset: Int) throws(FaultPlanError) -> CommissioningStage? {
        if text == "any" { return nil }
        guard let stage = CommissioningStage(rawValue: text) else {
            let names = CommissioningStage.allCases.map(\.rawValue).joined(separator: ", ")
            throw FaultPlanError(.stage, text, offset: offset, "no such stage; there are \(names) and any")
        }
        return stage
    }

    /// Whether this may stand behind `x`: so that `error=0x9c` is no count.
    private static func isCount(_ text: Substring) -> Bool {
        text == "*" || !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func number(_ digits: Substring, in text: String) throws(FaultPlanError) -> Int {
        guard let number = UInt16(digits), number >= 1 else {
            throw FaultPlanError(
                .count, String(digits), offset: offset(digits.startIndex, text), "a count is 1 to 65535")
        }
        return Int(number)
    }

    private static func offset(_ index: String.Index, _ text: String) -> Int {
        text.utf8.distance(from: text.startIndex, to: index)
    }
}

extension FaultRule: CustomStringConvertible {
    /// The text form, without counts that are 1.
    public var description: String {
        let count = times.map { $0 == 1 ? "" : "x\($0)" } ?? "x*"
        return "\(stage?.rawValue ?? "any"):\(kind)" + (from == 1 ? "" : "@\(from)")
            + (count.isEmpty || from != 1 ? count : "@1" + count)
    }
}

/// What a virtual device does wrong. The first rule that applies to a request counts.
public struct FaultPlan: Hashable, Sendable {
    /// The rules, in order.
    public var rules: [FaultRule]
    /// Makes a plan.
    public init(_ rules: [FaultRule] = []) { self.rules = rules }
    /// Reads rules in their text form.
    public init(_ texts: [String]) throws(FaultPlanError) {
        rules = []
        for text in texts { rules.append(try FaultRule(text)) }
    }
    /// Whether everything goes well.
    public var isEmpty: Bool { rules.isEmpty }
    /// At most as many rules as this.
    public static let limit = 64
}

/// Why a text is no fault rule.
public struct FaultPlanError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Hashable, Sendable { case form, stage, kind, argument, count, impossible }
    /// What is wrong.
    public let code: Code
    /// The part that is wrong.
    public let text: String
    /// Where it begins in the rule's text, in bytes.
    public let offset: Int
    /// Why.
    public let reason: String
    /// Makes an error.
    public init(_ code: Code, _ text: String, offset: Int, _ reason: String) {
        self.code = code
        self.text = text
        self.offset = offset
        self.reason = reason
    }
    /// One line for people.
    public var description: String { "“\(text)” (at byte \(offset)): \(reason)" }
}
