import NetIO

/// A command that has not been sent yet.
public struct BatchableCommand<ResponseType>: Sendable {
    let source: TraitSource
    let command: UInt32
    let fields: [CommandField]
    let isTimed: Bool
}

extension BatchableCommand where ResponseType == Void {
    /// Sends the command and waits until the device has done it.
    package func send() async throws {
        try await source.send(command, fields, isTimed: isTimed)
    }
}

/// Collects commands within ``Home/sendBatchedCommands(_:)``.
///
/// Used only within the closure that gets it, and on the main actor.
public final class CommandBatcher {
    /// Why a command has no result.
    public enum CommandBatcherError: Error, Hashable, Sendable {
        /// The closure has not ended yet.
        case notCommitted
        /// The device has not answered yet.
        case rpcNotCompleted
        /// No answer belongs to the command.
        case responseNotFound
        /// The answer has another form.
        case failedToTransformResponse
        /// The closure has ended.
        case alreadyCommitted
    }

    /// Gives the result of one command after the batch was sent.
    public struct ResultProvider<Response>: Sendable {
        fileprivate let outcome: Locked<Outcome>

        /// What the device answered.
        ///
        /// - Throws: why it failed, or ``CommandBatcherError`` before there is an answer.
        public func get() throws -> Response where Response == Void {
            switch outcome.withLock({ $0 }) {
            case .collected: throw CommandBatcherError.notCommitted
            case .sent: throw CommandBatcherError.rpcNotCompleted
            case .done: return
            case .failed(let error): throw error
            }
        }
    }

    fileprivate enum Outcome: Sendable {
        case collected, sent, done
        case failed(HomeError)
    }

    private var commands: [(command: BatchableCommand<Void>, outcome: Locked<Outcome>)] = []
    private var isCommitted = false

    init() {}

    /// Adds a command.
    ///
    /// - Returns: what gives its result later.
    @discardableResult
    public func add(_ batchable: BatchableCommand<Void>) -> ResultProvider<Void> {
        guard !isCommitted else {
            return ResultProvider(
                outcome: Locked(.failed(HomeError(code: .failedPrecondition, message: "the batch was sent already"))))
        }
        let outcome = Locked(Outcome.collected)
        commands.append((batchable, outcome))
        return ResultProvider(outcome: outcome)
    }

    /// What was added; nothing can be added any more.
    func commit() -> CollectedCommands {
        isCommitted = true
        return CollectedCommands(commands: commands)
    }

    /// Commands that are sent at once.
    struct CollectedCommands: Sendable {
        fileprivate let commands: [(command: BatchableCommand<Void>, outcome: Locked<Outcome>)]

        /// Sends all commands at the same time and waits for all.
        ///
        /// - Throws: ``HomeError``: the one failure, or `bulk` with all of them.
        func send() async throws(HomeError) {
            let errors = await withTaskGroup(of: (Int, HomeError?).self) { group in
                for (index, entry) in commands.enumerated() {
                    entry.outcome.withLock { $0 = .sent }
                    group.addTask {
                        let error = await entry.command.failure()
                        entry.outcome.withLock { $0 = error.map { .failed($0) } ?? .done }
                        return (index, error)
                    }
                }
                return await group.reduce(into: [Int: HomeError]()) { $0[$1.0] = $1.1 }
            }
            let ordered = errors.sorted { $0.key < $1.key }.map(\.value)
            guard let first = ordered.first else { return }
            throw ordered.count == 1 ? first : .bulk(ordered)
        }
    }
}

extension BatchableCommand where ResponseType == Void {
    /// Sends the command.
    ///
    /// - Returns: why it failed.
    fileprivate func failure() async -> HomeError? {
        do throws(HomeError) {
            try await source.send(command, fields, isTimed: isTimed)
            return nil
        } catch {
            return error
        }
    }
}
