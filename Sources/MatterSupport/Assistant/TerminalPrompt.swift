import Glibc
import NetIO

/// Questions in the terminal of this process.
enum TerminalPrompt {
    /// Asks in the terminal; `nil` when standard input or standard error is none.
    static func prompt() -> (@Sendable (String) async throws -> String?)? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        return { question in try await ask(question, from: STDIN_FILENO) }
    }

    /// How often a waiting reader looks whether it is still wanted, in milliseconds.
    private static let patience: Int32 = 100
    /// No answer is longer, in bytes.
    private static let maximumLine = 4096

    /// Shows a question on standard error and reads one line.
    ///
    /// - Returns: `nil` at the end of input.
    /// - Throws: `CancellationError` when the task is cancelled; no input is taken then.
    static func ask(_ question: String, from descriptor: Int32) async throws -> String? {
        FileHandle.standardError.write(Data("\(question)\n> ".utf8))
        let wanted = Locked(true)
        let line = await withTaskCancellationHandler {
            await DedicatedThread.call { @Sendable in readLine(from: descriptor) { wanted.withLock { $0 } } }
        } onCancel: {
            wanted.withLock { $0 = false }
        }
        try Task.checkCancellation()
        return line ?? nil
    }

    /// Byte by byte, so that nothing behind the line is taken away from others.
    private static func readLine(from descriptor: Int32, while isWanted: () -> Bool) -> String? {
        var line: [UInt8] = []
        while isWanted() {
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, patience) > 0 else { continue }
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            if line.count < maximumLine { line.append(byte) }
        }
        return nil
    }
}
