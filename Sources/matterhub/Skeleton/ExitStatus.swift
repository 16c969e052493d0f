import HubControl

/// What the program's exit status says; the one place where the numbers are given.
enum ExitStatus: Int32, CaseIterable {
    case ok = 0
    case failed = 1
    case usage = 2
    case notPermitted = 3
    case unreachable = 4
    case timedOut = 5
    case interrupted = 130

    var meaning: String {
        switch self {
        case .ok: "done"
        case .failed: "failed: the message says what, why and what to do"
        case .usage: "wrong usage, nothing was done"
        case .notPermitted: "no grant, or one that does not cover it"
        case .unreachable: "the hub, the device or a service cannot be reached"
        case .timedOut: "not finished within the time limit"
        case .interrupted: "stopped by Ctrl-C"
        }
    }

    /// The table that `--help` shows.
    static var documentation: String {
        "Exit status:\n"
            + allCases.map { status in
                let number = String(status.rawValue)
                return "  " + String(repeating: " ", count: 3 - number.count) + number + "  " + status.meaning
            }.joined(separator: "\n")
    }

    /// The status for an error that the hub answered.
    init(_ code: ControlErrorCode) {
        switch code {
        case .permissionDenied, .unauthenticated: self = .notPermitted
        case .unavailable: self = .unreachable
        case .deadlineExceeded: self = .timedOut
        case .cancelled, .unknown, .invalidArgument, .notFound, .alreadyExists, .resourceExhausted,
            .failedPrecondition, .aborted, .outOfRange, .unimplemented, .internal, .dataLoss:
            self = .failed
        }
    }
}

/// A mistake in the command line.
struct UsageError: Error {
    let message: String
    init(_ message: String) { self.message = message }
}

/// A failure that the message explains, with the exit status that goes with it.
struct CommandFailure: Error {
    let status: ExitStatus
    let message: String
    init(_ message: String, status: ExitStatus = .failed) {
        self.message = message
        self.status = status
    }
}
