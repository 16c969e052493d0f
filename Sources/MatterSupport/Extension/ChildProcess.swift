import Glibc
import NetIO

/// A process that we started: ended and reaped by its id exactly once.
///
///     running ── it ends ──▶ ended(status)       signals reach it in `running` only, so never another of the same id
final class ChildProcess: Sendable {
    /// How a process ended.
    enum Ending: Hashable, Sendable, CustomStringConvertible {
        /// With an exit status.
        case exited(Int32)
        /// By a signal.
        case killed(Int32)
        /// Somebody else has reaped it.
        case unknown

        var description: String {
            switch self {
            case .exited(let status): "with status \(status)"
            case .killed(let signal): "by signal \(signal) (\(String(cString: strsignal(signal))))"
            case .unknown: "in an unknown way"
            }
        }
    }

    /// The process's id.
    let id: pid_t
    private let isRunning: Locked<Bool>
    private let reaper: Task<Ending, Never>

    /// Starts an executable with one open descriptor beside the standard ones; its input is empty, its output is ours.
    ///
    /// Blocks for a moment.
    ///
    /// - Parameters:
    ///   - inherited: becomes the child's descriptor `number`; still open here afterwards.
    /// - Throws: ``MatterSetupError`` `extensionUnusable`.
    init(
        starting path: String, environment: [String: String], inherited: Int32, as number: Int32
    ) throws(MatterSetupError) {
        guard access(path, X_OK) == 0 else { throw Self.unusable(path, errno) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, inherited, number)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var id = pid_t()
        let status = Self.withCStrings([path]) { arguments in
            Self.withCStrings(environment.map { "\($0.key)=\($0.value)" }.sorted()) { variables in
                posix_spawn(&id, path, &actions, &attributes, arguments, variables)
            }
        }
        guard status == 0 else { throw Self.unusable(path, status) }
        self.id = id
        let isRunning = Locked(true)
        self.isRunning = isRunning
        reaper = Task { [id] in await DedicatedThread.call { @Sendable in Self.reap(id, isRunning) } ?? .unknown }
    }

    /// Waits for its end.
    var ending: Ending { get async { await reaper.value } }

    /// Sends a signal; does nothing once the process has ended.
    func signal(_ number: Int32) {
        isRunning.withLock { isRunning in
            if isRunning { _ = kill(id, number) }
        }
    }

    /// Waits for the end first and reaps second, so that the id stays taken until no signal can be sent any more.
    private static func reap(_ id: pid_t, _ isRunning: Locked<Bool>) -> Ending {
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return isRunning.withLock { isRunning in
            isRunning = false
            var status: Int32 = 0
            guard waitpid(id, &status, 0) == id else { return .unknown }
            let signal = status & 0x7F
            return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
        }
    }

    private static func unusable(_ path: String, _ status: Int32) -> MatterSetupError {
        MatterSetupError(
            .extensionUnusable,
            "\(MatterExtensionHost.executableVariable) names “\(path)”, which cannot be run: \(String(cString: strerror(status)))"
        )
    }

    private static func withCStrings<R>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
    ) -> R {
        let pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}
