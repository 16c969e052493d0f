import Dispatch

/// A service that is announced on the local link as long as this value lives.
package final class DNSServiceRegistration: Sendable {
    /// How long the daemon may take: probing the name takes it a second; Avahi's library never calls back on some
    /// conflicts, so no answer means one.
    package static let defaultTimeout = Duration.seconds(6)

    /// The instance's name as announced.
    package let name: String
    /// Ends, after at most one failure, when the daemon drops the registration or it is withdrawn; for a single consumer.
    ///
    /// After a failure (the daemon ended, or a service with the same name appeared) withdraw and register again.
    package let losses: AsyncStream<NetError>
    private let directory: DNSServiceDirectory
    private let operation: DNSServiceOperation
    private let lossOutput: AsyncStream<NetError>.Continuation

    fileprivate init(
        _ name: String, _ losses: AsyncStream<NetError>, _ lossOutput: AsyncStream<NetError>.Continuation,
        _ directory: DNSServiceDirectory, _ operation: DNSServiceOperation
    ) {
        self.lossOutput = lossOutput
        self.name = name
        self.losses = losses
        self.directory = directory
        self.operation = operation
    }

    deinit {
        operation.end()
        lossOutput.finish()
    }

    /// Replaces the attributes without a gap in the announcement.
    package func update(_ txt: TXTRecord) async throws(NetError) {
        let bytes = try txt.encoded()
        let operation = operation
        let error: NetError? = await withCheckedContinuation { continuation in
            directory.queue.async { @Sendable in
                do throws(NetError) {
                    try operation.update(txt: bytes)
                    continuation.resume(returning: nil)
                } catch { continuation.resume(returning: error) }
            }
        }
        if let error { throw error }
    }

    /// Withdraws the service, with a goodbye to the link, and returns when the daemon has been told; idempotent.
    package func withdraw() async {
        operation.end()
        lossOutput.finish()
        await operation.ended.wait()
    }
}

extension DNSServiceDirectory {
    /// Announces a service and waits until the daemon has done so.
    ///
    /// - Parameters:
    ///   - name: the instance's name, 1 ... 63 bytes of UTF-8.
    ///   - type: `_matterc._udp`.
    ///   - subtypes: `_L3840`, `_CM`.
    ///   - port: host order.
    ///   - interface: an interface index; 0 for all.
    /// - Throws: ``NetError``: `nameConflict` when another service has the name, also when the daemon doesn't answer in
    ///   time; `serviceMissing`; `badAddress` for a malformed name or type; `tooLarge`.
    package func register(
        _ name: String, type: String, subtypes: [String] = [], port: UInt16, txt: TXTRecord, interface: UInt32 = 0,
        timeout: Duration = DNSServiceRegistration.defaultTimeout, clock: DriverClock = DriverClock()
    ) async throws(NetError) -> DNSServiceRegistration {
        guard (1...63).contains(name.utf8.count) else {
            throw NetError(.badAddress, "DNSServiceRegister", reason: "a service name has 1 to 63 bytes: \(name)")
        }
        let bytes = try txt.encoded()
        let fullType = ([type] + subtypes).joined(separator: ",")
        // One answer, one failure: more can't come.
        let (replies, output) = AsyncStream<NetError?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let (losses, lossOutput) = AsyncStream<NetError>.makeStream(bufferingPolicy: .bufferingOldest(1))
        @Sendable func fail(_ error: NetError) {
            output.yield(error)
            lossOutput.yield(error)
            lossOutput.finish()
        }
        let operation = DNSServiceOperation(queue: queue) { @Sendable reply in
            switch reply {
            case .registered(name): output.yield(nil)
            case .registered(let other):
                // Avahi's library renames by itself ("name #2"), at once or when a conflict turns up later.
                let reason = "another service on the network has the name \(name); Avahi chose \(other)"
                fail(NetError(.nameConflict, "DNSServiceRegister", reason: reason))
            case .failed(let error): fail(error)
            case .browsed, .resolved, .address: break
            }
        }
        queue.async { @Sendable in operation.register(name, fullType, port: port, txt: bytes, interface: interface) }
        do throws(NetError) {
            try await withTimeout(timeout, clock: clock, "DNSServiceRegister") { () async throws(NetError) in
                guard let reply = await replies.first(where: { _ in true }) else {
                    throw NetError(.cancelled, "DNSServiceRegister")
                }
                if let error = reply { throw error }
            }
            return DNSServiceRegistration(name, losses, lossOutput, self, operation)
        } catch {
            operation.end()
            await operation.ended.wait()
            guard error.code == .timedOut else { throw error }
            throw NetError(
                .nameConflict, "DNSServiceRegister",
                reason:
                    "the daemon gave no answer within \(timeout): another service on the network has the name \(name)")
        }
    }

    /// The same, with " (2)", " (3)" and so on appended while the name is taken; ``DNSServiceRegistration/name`` tells.
    ///
    /// - Parameter tries: how many names are tried.
    package func registerRenaming(
        _ name: String, type: String, subtypes: [String] = [], port: UInt16, txt: TXTRecord, interface: UInt32 = 0,
        tries: Int = 5, timeout: Duration = DNSServiceRegistration.defaultTimeout, clock: DriverClock = DriverClock()
    ) async throws(NetError) -> DNSServiceRegistration {
        precondition(tries > 0, "at least one name is tried")
        var attempt = 1
        while true {
            do throws(NetError) {
                return try await register(
                    Self.variant(of: name, attempt), type: type, subtypes: subtypes, port: port, txt: txt,
                    interface: interface, timeout: timeout, clock: clock)
            } catch  where error.code == .nameConflict && attempt < tries {
                attempt += 1
            }
        }
    }

    /// The name of the n-th attempt, cut at a character so that it stays within 63 bytes.
    static func variant(of name: String, _ attempt: Int) -> String {
        guard attempt > 1 else { return name }
        let suffix = " (\(attempt))"
        var base = name
        while base.utf8.count + suffix.utf8.count > 63 { base.removeLast() }
        return base + suffix
    }
}
