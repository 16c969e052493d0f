import HubControl
import NetIO
import Transcript

/// Prints the steps of a replay, and counts what was different.
final class ReplayReport: Sendable {
    private let console: Console
    private let isJSON: Bool
    private let counts = Locked((passed: 0, different: 0))

    init(_ invocation: Invocation) {
        console = invocation.console
        isJSON = invocation.isJSON
    }

    func ready(port: UInt16) {
        if isJSON {
            console.print(["event": "ready", "port": JSONValue(port)])
        } else {
            console.print("Plays the hub on port \(port).")
        }
    }

    func step(_ action: ClientReplay.Action) {
        switch action {
        case .passed(let frame): passed(frame)
        case .differs(let difference): differs(difference)
        case .connect, .send, .close, .finished: break
        }
    }

    func step(_ action: HubReplay.Action) {
        switch action {
        case .passed(let frame): passed(frame)
        case .differs(let difference): differs(difference)
        case .send, .close: break
        }
    }

    private func passed(_ frame: Dialogue.Placed<DialogueFrame>) {
        counts.withLock { $0.passed += 1 }
        guard isJSON else { return }
        console.print([
            "event": "passed", "line": JSONValue(frame.line), "connection": .string(frame.value.connection),
            "from": .string(frame.value.sender.rawValue), "kind": .string(frame.value.kind),
            "method": frame.value.method.map { .string($0) },
        ])
    }

    private func differs(_ difference: DialogueDifference) {
        counts.withLock { $0.different += 1 }
        DifferenceReport(console: console, isJSON: isJSON).show(difference)
    }

    /// - Returns: the exit status.
    func finish() -> ExitStatus {
        let (passed, different) = counts.withLock { $0 }
        if isJSON {
            console.print([
                "event": "finished", "passed": JSONValue(passed), "differences": JSONValue(different),
            ])
        } else {
            console.print("\(passed) frames as in the transcript, \(different) differences.")
        }
        return different == 0 ? .ok : .failed
    }
}
