import HubControl
import MatterCrypto

/// What is printed on one attestation case.
struct AttestationCaseReport {
    /// One rule, as printed.
    struct Line {
        var rule: String
        var passed: Bool
        var detail: String
    }

    /// The rule that the row itself has to keep, ahead of the rules on the attestation.
    static let rowRule = "case"

    var name: String
    var accepted: Bool
    var lines: [Line]
    var isMarkedAccepted: Bool?

    /// Judges one row.
    init(_ row: AttestationCaseFile.Row, by runner: AttestationCaseRunner) {
        name = row.name
        isMarkedAccepted = row.isMarkedAccepted
        switch row.content {
        case .success(let item):
            do throws(CryptoError) {
                let verdict = try runner.verdict(on: item)
                accepted = verdict.accepted
                lines = [Line(rule: Self.rowRule, passed: true, detail: "the case has all that the check needs")]
                lines += verdict.rules.map { Line(rule: $0.rule.rawValue, passed: $0.passed, detail: $0.detail) }
            } catch {
                accepted = false
                lines = Self.malformed("dac_private_key: \(error.reason)")
            }
        case .failure(let error):
            accepted = false
            lines = Self.malformed(error.reason)
        }
    }

    private static func malformed(_ reason: String) -> [Line] {
        [Line(rule: rowRule, passed: false, detail: reason)]
            + AttestationRule.allCases.map {
                Line(rule: $0.rawValue, passed: false, detail: "not checked, because \(rowRule) failed")
            }
    }

    /// One line of JSON: `{"name", "accepted", "rules": [{"rule", "passed", "detail"}]}`.
    var json: String {
        let rules = lines.map { line -> JSONValue in
            ["rule": .string(line.rule), "passed": .bool(line.passed), "detail": .string(line.detail)]
        }
        return JSONValue.object(["name": .string(name), "accepted": .bool(accepted), "rules": .array(rules)]).text()
    }

    /// A few lines for a person: the verdict, then every broken rule.
    var text: String {
        var text = "\(accepted ? "accepted" : "refused ")  \(name)"
        if let isMarkedAccepted, isMarkedAccepted != accepted {
            text += "  (marked as \(isMarkedAccepted ? "accepted" : "refused"))"
        }
        for line in lines where !line.passed && !line.detail.hasPrefix("not checked") {
            text += "\n          \(line.rule): \(line.detail)"
        }
        return text
    }
}
