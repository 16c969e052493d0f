import HubControl
import NetIO

extension HubDialogue {
    /// Makes a request that must succeed.
    @discardableResult
    func call(
        _ method: String, _ params: JSONObject? = nil, within limit: Duration? = nil
    ) async throws -> JSONObject {
        try await result(of: try await begin(method, params), method, within: limit)
    }

    /// The result of a request that was sent before.
    @discardableResult
    func result(of id: Int64, _ method: String, within limit: Duration? = nil) async throws -> JSONObject {
        switch try await answer(to: id, within: limit ?? times.answer) {
        case .result(let result): return result
        case .refused(let refusal):
            throw ConformanceFailure(expected: "a result of \(method)", seen: refusal.words)
        }
    }

    /// Makes a request that must be refused.
    @discardableResult
    func refusal(
        of method: String, _ params: JSONObject, _ code: ControlErrorCode, _ reason: String? = nil,
        within limit: Duration? = nil
    ) async throws -> HubAnswer.Refusal {
        try await refusal(of: try await begin(method, params), method, code, reason, within: limit)
    }

    /// Makes a request without params that must be refused.
    @discardableResult
    func refusal(
        of method: String, _ code: ControlErrorCode, _ reason: String? = nil, within limit: Duration? = nil
    ) async throws -> HubAnswer.Refusal {
        try await refusal(of: try await begin(method), method, code, reason, within: limit)
    }

    /// The refusal of a request that was sent before.
    @discardableResult
    func refusal(
        of id: Int64, _ method: String, _ code: ControlErrorCode, _ reason: String? = nil, within limit: Duration? = nil
    ) async throws -> HubAnswer.Refusal {
        let answer = try await answer(to: id, within: limit)
        let wanted = "\(method) to be refused with \(code.rawValue) \(code.name)\(reason.map { " (\($0))" } ?? "")"
        guard case .refused(let refusal) = answer else {
            throw ConformanceFailure(expected: wanted, seen: answer.words)
        }
        guard refusal.code == Int64(code.rawValue), refusal.name == code.name, reason == nil || refusal.reason == reason
        else { throw ConformanceFailure(expected: wanted, seen: refusal.words) }
        guard !refusal.message.isEmpty else {
            throw ConformanceFailure(
                expected: "the error to have a message", seen: "an empty one", rule: "hub-control.md §4")
        }
        return refusal
    }

    /// Waits for a goaway with this code and the end of the connection after it.
    @discardableResult
    func goaway(_ code: ControlErrorCode, within limit: Duration? = nil) async throws -> HubAnswer.Refusal {
        let wanted = "goaway \(code.rawValue) \(code.name)"
        let refusal = try await wait(for: wanted, within: limit) { $0.goaway }
        guard refusal.code == Int64(code.rawValue), refusal.name == code.name else {
            throw ConformanceFailure(expected: wanted, seen: "goaway \(refusal.words)")
        }
        _ = try await ended()
        return refusal
    }
}

/// Fails unless the condition holds.
func expect(
    _ condition: Bool, _ expected: String, seen: @autoclosure () -> String, rule: String? = nil, meaning: String? = nil
) throws(ConformanceFailure) {
    guard condition else {
        throw ConformanceFailure(expected: expected, seen: seen(), rule: rule, meaning: meaning)
    }
}

/// Fails unless both are equal.
func expectEqual<T: Equatable>(
    _ found: T, _ wanted: T, _ what: String, rule: String? = nil, meaning: String? = nil
) throws(ConformanceFailure) {
    guard found == wanted else {
        throw ConformanceFailure(
            expected: "\(what) to be \(plain(wanted))", seen: plain(found), rule: rule, meaning: meaning)
    }
}

/// A value in words that fit into a sentence.
private func plain<T>(_ value: T) -> String {
    switch value {
    case let json as JSONValue: json.text()
    case let json as JSONObject: JSONValue.object(json).text()
    case let optional as any OptionalValue: optional.content.map { plain($0) } ?? "absent"
    default: "\(value)"
    }
}

private protocol OptionalValue {
    var content: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var content: Any? { map { $0 } }
}

extension JSONObject {
    /// A member that must be there, of a type.
    func need(_ name: String, of what: String = "the result", rule: String? = nil) throws -> JSONValue {
        guard let value = self[name] else {
            throw ConformanceFailure(
                expected: "\(what) to have \(name)",
                seen: isEmpty ? "an empty object" : members.map(\.name).joined(separator: ", "), rule: rule)
        }
        return value
    }

    func text(_ name: String, of what: String = "the result", rule: String? = nil) throws -> String {
        guard let text = try need(name, of: what, rule: rule).string else { throw wrongType(name, what, "text", rule) }
        return text
    }

    func number(_ name: String, of what: String = "the result", rule: String? = nil) throws -> Int64 {
        guard let number = try need(name, of: what, rule: rule).integer else {
            throw wrongType(name, what, "a whole number", rule)
        }
        return number
    }

    func truth(_ name: String, of what: String = "the result", rule: String? = nil) throws -> Bool {
        guard let value = try need(name, of: what, rule: rule).bool else {
            throw wrongType(name, what, "true or false", rule)
        }
        return value
    }

    func list(_ name: String, of what: String = "the result", rule: String? = nil) throws -> [JSONValue] {
        guard let array = try need(name, of: what, rule: rule).array else {
            throw wrongType(name, what, "a list", rule)
        }
        return array
    }

    func listed(_ name: String, of what: String = "the result", rule: String? = nil) throws -> [JSONObject] {
        try list(name, of: what, rule: rule).map { value in
            guard let object = value.object else { throw wrongType(name, what, "a list of objects", rule) }
            return object
        }
    }

    func record(_ name: String, of what: String = "the result", rule: String? = nil) throws -> JSONObject {
        guard let object = try need(name, of: what, rule: rule).object else {
            throw wrongType(name, what, "an object", rule)
        }
        return object
    }

    /// A 64-bit id: 16 lower-case hexadecimal digits.
    func id(_ name: String, of what: String = "the result") throws -> String {
        let text = try text(name, of: what)
        try expect(
            text.utf8.count == 16 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) },
            "\(name) of \(what) to be 16 lower-case hexadecimal digits", seen: "“\(text)”", rule: "hub-control.md")
        return text
    }

    private func wrongType(_ name: String, _ what: String, _ type: String, _ rule: String?) -> ConformanceFailure {
        ConformanceFailure(
            expected: "\(name) of \(what) to be \(type)", seen: self[name]?.text() ?? "nothing", rule: rule)
    }
}
