import Glibc

/// Why an operation of the network drivers failed.
package struct NetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is; callers decide by it.
    package enum Code: Hashable, Sendable {
        /// Another socket has the port.
        case addressInUse
        /// The address isn't one of this machine's, or the address family is missing.
        case addressUnavailable
        /// No route, network down, host unreachable: not fatal for the socket; another address may work.
        case unreachable
        /// The peer answered that nobody listens there.
        case refused
        /// The deadline passed.
        case timedOut
        /// We closed it, or it was closed in order before the bytes that were asked for.
        case closed
        /// The peer broke the connection off.
        case reset
        /// The kernel's or our send buffer is full.
        case wouldBlock
        /// More bytes than the link or a stated limit takes.
        case tooLarge
        /// The kernel's rights or a firewall forbid it.
        case notPermitted
        /// Text that is no address, or a name that has none.
        case badAddress
        /// The bytes ended without the closing mark of TLS: an attacker may have cut them.
        case truncated
        /// The other side doesn't speak TLS as we do.
        case handshakeFailed
        /// The peer broke the rules of TLS after the handshake, or ended with an alert.
        case protocolViolation
        /// The peer's certificate or its issuer isn't the one that is trusted.
        case untrusted
        /// Key or certificate bytes that can't be used.
        case badCredentials
        /// A daemon that DNS-SD needs doesn't run.
        case serviceMissing
        /// Another service on the link has the name.
        case nameConflict
        /// The task was cancelled.
        case cancelled
        /// Anything else; `systemError` or `reason` says what.
        case system
    }

    package let code: Code
    /// The call that failed, as its manual page names it.
    package let operation: String
    /// The `errno` (or DNS-SD error) value; 0 when there was none.
    package let systemError: Int32
    /// More in plain words, when there is more to say.
    package let reason: String?

    package init(_ code: Code, _ operation: String, systemError: Int32 = 0, reason: String? = nil) {
        self.code = code
        self.operation = operation
        self.systemError = systemError
        self.reason = reason
    }

    /// The failure of a system call, from its `errno`.
    package init(errno value: Int32, _ operation: String, reason: String? = nil) {
        self.init(Self.code(errno: value), operation, systemError: value, reason: reason)
    }

    package var description: String {
        var parts = [operation]
        if let reason { parts.append(reason) }
        if systemError > 0, let text = strerror(systemError) { parts.append(String(cString: text)) }
        if parts.count == 1 { parts.append("\(code)") }
        return parts.joined(separator: ": ")
    }

    private static func code(errno value: Int32) -> Code {
        switch value {
        case EADDRINUSE: .addressInUse
        case EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT: .addressUnavailable
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, ENODEV, ENXIO, ENONET: .unreachable
        case ECONNREFUSED: .refused
        case ETIMEDOUT: .timedOut
        case ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN: .reset
        case EAGAIN, ENOBUFS: .wouldBlock
        case EMSGSIZE: .tooLarge
        case EACCES, EPERM: .notPermitted
        case EBADF: .closed
        default: .system
        }
    }
}
