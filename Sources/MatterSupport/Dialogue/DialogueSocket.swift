import Glibc
import HubControl
import NetIO

/// One end of the socket between an app and the process of its extension.
///
/// Reading and writing block threads of their own, a thread for each call: a dialogue has a dozen messages.
final class DialogueSocket: Sendable {
    private let descriptor: Int32
    private let decoder = Locked(DialogueDecoder())

    /// Owns the descriptor, which is closed when the last user of the object is gone.
    init(takingOwnership descriptor: Int32) { self.descriptor = descriptor }

    deinit { Glibc.close(descriptor) }

    /// Two sockets that are connected with each other; neither is inherited by other processes.
    ///
    /// - Throws: ``MatterSetupError`` `extensionUnusable` when the system has none left.
    static func pair() throws(MatterSetupError) -> (ours: DialogueSocket, theirs: Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(bitPattern: SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw MatterSetupError(
                .extensionUnusable, "no socket for the extension's process: \(String(cString: strerror(errno)))")
        }
        return (DialogueSocket(takingOwnership: ends[0]), ends[1])
    }

    /// Waits for the next message; for one reader at a time. Ends at once after ``shutDown()``.
    ///
    /// - Returns: `nil` when the other side has closed.
    /// - Throws: ``MatterSetupError`` `extensionGarbled` for bytes that are no dialogue.
    func receive() async throws(MatterSetupError) -> DialogueMessage? {
        while true {
            do throws(ControlProtocolError) {
                if let message = try decoder.withLock({ decoder throws(ControlProtocolError) in try decoder.next() }) {
                    return message
                }
            } catch {
                throw MatterSetupError(.extensionGarbled, "no dialogue of MatterHub's: \(error.message)")
            }
            let bytes = await DedicatedThread.call { @Sendable [self] in read() }
            guard let bytes, !bytes.isEmpty else {
                guard !decoder.withLock({ $0.isInsideMessage }) else {
                    throw MatterSetupError(.extensionGarbled, "the dialogue ended in the middle of a message")
                }
                return nil
            }
            decoder.withLock { $0.append(bytes) }
        }
    }

    /// Sends a message; does nothing when the other side is gone, which the next ``receive()`` tells.
    ///
    /// - Throws: ``MatterSetupError`` `extensionGarbled` when the message is too long to be sent.
    func send(_ message: DialogueMessage) async throws(MatterSetupError) {
        let bytes = try Self.bytes(message)
        _ = await DedicatedThread.call { @Sendable [self] in write(bytes, flags: 0) }
    }

    /// Sends a short message without waiting; it is lost when the other side reads nothing.
    func sendNow(_ message: DialogueMessage) {
        do throws(MatterSetupError) {
            write(try Self.bytes(message), flags: Int32(MSG_DONTWAIT))
        } catch {
            // Only a message beyond the limit throws, and short ones are not.
        }
    }

    /// Ends the dialogue in both directions and wakes whoever waits; idempotent.
    func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func bytes(_ message: DialogueMessage) throws(MatterSetupError) -> [UInt8] {
        do throws(ControlProtocolError) {
            return try message.encoded()
        } catch {
            throw MatterSetupError(.extensionGarbled, error.message)
        }
    }

    /// - Returns: at least one byte; none at the end or after a failure, which for the dialogue are the same.
    private func read() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            return Array(buffer[..<max(0, count)])
        }
    }

    private func write(_ bytes: [UInt8], flags: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, flags | Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { sent += count } else if errno != EINTR { return }
        }
    }
}
