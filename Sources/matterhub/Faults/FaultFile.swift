import Foundation
import HubControl
import MatterProtocol

/// Fault rules from the command line and from a file.
///
/// The file is JSON: `{"faults": [RULE, …]}`, each rule a text as `--fault` takes it, or an object with `stage`, `kind`
/// and optionally `argument`, `from` and `times` (a number, or "always").
enum FaultFile {
    /// `--fault RULE …` and `--faults FILE`, the file's rules first.
    static func plan(_ options: ParsedOptions) throws -> FaultPlan {
        var rules: [FaultRule] = []
        if let path = try options.string("faults") { rules = try read(path) }
        for text in options.strings("fault") {
            do throws(FaultPlanError) {
                rules.append(try FaultRule(text))
            } catch {
                throw UsageError("--fault \(text): \(error)")
            }
        }
        guard rules.count <= FaultPlan.limit else { throw UsageError("at most \(FaultPlan.limit) faults") }
        return FaultPlan(rules)
    }

    private static func read(_ path: String) throws -> [FaultRule] {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure("\(path) cannot be read: \(error.localizedDescription)")
        }
        do throws(ControlProtocolError) {
            return try rules(JSONObject(parsing: Array(data)))
        } catch {
            throw CommandFailure("\(path): \(error)", status: .usage)
        }
    }

    /// - Throws: ``ControlProtocolError`` with the place in the file.
    static func rules(_ json: JSONObject) throws(ControlProtocolError) -> [FaultRule] {
        if let other = json.members.map(\.name).first(where: { $0 != "faults" }) {
            throw ControlProtocolError(.wrongType, path: other, reason: "there is only “faults”")
        }
        guard let array = json["faults"]?.array else {
            throw ControlProtocolError(.wrongType, path: "faults", reason: "a list of rules")
        }
        var rules: [FaultRule] = []
        for (index, value) in array.enumerated() { rules.append(try rule(value, "faults[\(index)]")) }
        return rules
    }

    private static func rule(_ value: JSONValue, _ path: String) throws(ControlProtocolError) -> FaultRule {
        do throws(FaultPlanError) {
            if let text = value.string { return try FaultRule(text) }
            guard let object = value.object, let stage = object["stage"]?.string, let kind = object["kind"]?.string
            else {
                throw FaultPlanError(.form, "", offset: 0, "a text, or an object with stage and kind")
            }
            let known = ["stage", "kind", "argument", "from", "times"]
            if let other = object.members.map(\.name).first(where: { !known.contains($0) }) {
                throw FaultPlanError(
                    .form, other, offset: 0, "no such member; there are \(known.joined(separator: ", "))")
            }
            let times: Int?
            switch object["times"] {
            case nil: times = 1
            case .string("always")?: times = nil
            case let value?: times = value.integer.flatMap { Int(exactly: $0) } ?? 0
            }
            let from = object["from"].map { $0.integer.flatMap { Int(exactly: $0) } ?? 0 } ?? 1
            let argument = object["argument"].map { $0.string ?? $0.integer.map { String($0) } ?? "" }
            return try FaultRule(stage: stage, kind: kind, argument: argument, from: from, times: times)
        } catch {
            throw ControlProtocolError(.wrongType, path: path, reason: "\(error)")
        }
    }

    /// The options of commands that take faults.
    static let options: [CommandOption] = [
        .value("fault", "RULE", "STAGE:KIND[=ARGUMENT][@N][xM]: go wrong on purpose; may be given several times"),
        .value("faults", "FILE", "JSON, {\"faults\": [RULE, …]}; see “matterhub faults --list”"),
    ]
}
