internal import CDNSSD
import Dispatch
import Glibc

/// One running DNS-SD operation; owns one `DNSServiceRef`.
///
/// Everything happens on the directory's queue: starting, the daemon's answers, and the end.
// Sendable: the stored state is touched on `queue` only.
final class DNSServiceOperation: @unchecked Sendable {
    enum Reply: Sendable {
        case browsed(added: Bool, ServiceName)
        case resolved(ResolvedService)
        case address(added: Bool, IPAddress, interface: UInt32)
        /// With the name that the daemon gave the service.
        case registered(name: String)
        /// The operation is over.
        case failed(NetError)
    }

    private let queue: DispatchQueue
    private let handler: @Sendable (Reply) -> Void
    private var reference: DNSServiceRef?
    private var source: (any DispatchSourceRead)?
    private var isEnded = false
    /// Opens once the operation is over and its reference released.
    let ended = Gate()

    /// - Parameter handler: called on the queue; not after ``end()`` took effect.
    init(queue: DispatchQueue, handler: @escaping @Sendable (Reply) -> Void) {
        self.queue = queue
        self.handler = handler
    }

    // MARK: Starting, on the queue

    func browse(_ type: ServiceType, interface: UInt32) {
        start("DNSServiceBrowse") { reference, context in
            DNSServiceBrowse(reference, 0, interface, type.description, nil, Self.browsed, context)
        }
    }

    func resolve(_ service: ServiceName) {
        start("DNSServiceResolve") { reference, context in
            DNSServiceResolve(
                reference, 0, service.interface, service.name, service.type, service.domain, Self.resolved, context)
        }
    }

    func queryAddresses(_ host: String, v6: Bool, interface: UInt32) {
        let type = v6 ? kDNSServiceType_AAAA : kDNSServiceType_A
        start("DNSServiceQueryRecord") { reference, context in
            DNSServiceQueryRecord(
                reference, 0, interface, host, UInt16(type), UInt16(kDNSServiceClass_IN), Self.answered, context)
        }
    }

    /// - Parameters:
    ///   - type: with subtypes: `_matterc._udp,_L3840,_CM`.
    ///   - txt: the wire form.
    func register(_ name: String, _ type: String, port: UInt16, txt: [UInt8], interface: UInt32) {
        start("DNSServiceRegister") { reference, context in
            DNSServiceRegister(
                reference, 0, interface, name, type, nil, nil, port.bigEndian, UInt16(txt.count), txt,
                Self.registered, context)
        }
    }

    /// Replaces the attributes of a registration; on the queue.
    func update(txt: [UInt8]) throws(NetError) {
        guard let reference else { throw NetError(.closed, "DNSServiceUpdateRecord") }
        let status = DNSServiceUpdateRecord(reference, nil, 0, UInt16(txt.count), txt, 0)
        guard status == 0 else { throw NetError(dnsService: status, "DNSServiceUpdateRecord") }
    }

    private func start(
        _ operation: String,
        _ call: (UnsafeMutablePointer<DNSServiceRef?>, UnsafeMutableRawPointer) -> DNSServiceErrorType
    ) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isEnded else { return }
        // Kept for the callbacks, released when the reference has been deallocated and no more can come.
        let context = Unmanaged.passRetained(self)
        var reference: DNSServiceRef?
        let status = call(&reference, context.toOpaque())
        guard status == 0, let reference else {
            context.release()
            reply(.failed(NetError(dnsService: status, operation)))
            return
        }
        let descriptor = DNSServiceRefSockFD(reference)
        guard descriptor >= 0 else {
            DNSServiceRefDeallocate(reference)
            context.release()
            reply(.failed(NetError(.system, "DNSServiceRefSockFD")))
            return
        }
        self.reference = reference
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        self.source = source
        source.setEventHandler { @Sendable [weak self] in self?.process() }
        source.setCancelHandler { @Sendable [self] in
            // The reference owns the descriptor that the source watched until now.
            if let reference = self.reference { DNSServiceRefDeallocate(reference) }
            self.reference = nil
            ended.open()
            Unmanaged.passUnretained(self).release()
        }
        source.resume()
    }

    // MARK: Ending

    /// Ends the operation; callable from anywhere, idempotent. ``ended`` opens when the daemon has been told.
    func end() { queue.async { @Sendable [self] in endOnQueue() } }

    /// The same, for callers on the queue.
    func endOnQueue() {
        guard !isEnded else { return }
        isEnded = true
        if let source { source.cancel() } else { ended.open() }
    }

    private func process() {
        guard !isEnded, let reference else { return }
        let status = DNSServiceProcessResult(reference)
        if status != 0 { reply(.failed(NetError(dnsService: status, "DNSServiceProcessResult"))) }
    }

    private func reply(_ reply: Reply) {
        guard !isEnded else { return }
        if case .failed = reply { endOnQueue() }
        handler(reply)
    }

    // MARK: Callbacks of the library, on the queue, inside `DNSServiceProcessResult`

    private static func operation(_ context: UnsafeMutableRawPointer?) -> DNSServiceOperation? {
        context.map { Unmanaged<DNSServiceOperation>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let browsed: DNSServiceBrowseReply = { _, flags, interface, status, name, type, domain, context in
        guard let operation = operation(context) else { return }
        guard status == 0, let name, let type, let domain else {
            return operation.reply(.failed(NetError(dnsService: status, "DNSServiceBrowse")))
        }
        let service = ServiceName(
            name: String(cString: name), type: withoutFinalDot(type), domain: withoutFinalDot(domain),
            interface: interface)
        operation.reply(.browsed(added: flags & UInt32(kDNSServiceFlagsAdd) != 0, service))
    }

    private static let resolved: DNSServiceResolveReply = {
        _, _, interface, status, _, host, port, count, txt, context in
        guard let operation = operation(context) else { return }
        guard status == 0, let host else {
            return operation.reply(.failed(NetError(dnsService: status, "DNSServiceResolve")))
        }
        let bytes = txt.map { Array(UnsafeBufferPointer(start: $0, count: Int(count))) } ?? []
        operation.reply(
            .resolved(
                ResolvedService(
                    host: String(cString: host), port: UInt16(bigEndian: port), txt: TXTRecord(encoded: bytes),
                    interface: interface)))
    }

    private static let answered: DNSServiceQueryRecordReply = {
        _, flags, interface, status, _, type, _, count, data, _, context in
        guard let operation = operation(context) else { return }
        guard status == 0 else {
            return operation.reply(.failed(NetError(dnsService: status, "DNSServiceQueryRecord")))
        }
        let isAddress = Int(type) == kDNSServiceType_A || Int(type) == kDNSServiceType_AAAA
        guard isAddress, let data, let ip = IPAddress(bytes: UnsafeRawBufferPointer(start: data, count: Int(count)))
        else { return }
        operation.reply(.address(added: flags & UInt32(kDNSServiceFlagsAdd) != 0, ip, interface: interface))
    }

    private static let registered: DNSServiceRegisterReply = { _, _, status, name, _, _, context in
        guard let operation = operation(context) else { return }
        guard status == 0, let name else {
            return operation.reply(.failed(NetError(dnsService: status, "DNSServiceRegister")))
        }
        operation.reply(.registered(name: String(cString: name)))
    }

    private static func withoutFinalDot(_ text: UnsafePointer<CChar>) -> String {
        let text = String(cString: text)
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

extension NetError {
    /// The failure of a DNS-SD call; asks what is missing where the library only says "unknown".
    init(dnsService status: DNSServiceErrorType, _ operation: String) {
        switch Int(status) {
        case kDNSServiceErr_NameConflict, kDNSServiceErr_AlreadyRegistered:
            self.init(
                .nameConflict, operation, systemError: status, reason: "another service on the network has this name")
        case kDNSServiceErr_NoSuchName, kDNSServiceErr_NoSuchRecord:
            self.init(.badAddress, operation, systemError: status, reason: "nobody answers for this name")
        case kDNSServiceErr_BadParam, kDNSServiceErr_Invalid:
            self.init(.badAddress, operation, systemError: status, reason: "the name, type or attributes are malformed")
        default:
            if let missing = DNSServiceAvailability.current().explanation {
                self.init(.serviceMissing, operation, systemError: status, reason: missing)
            } else {
                self.init(.system, operation, systemError: status, reason: "DNS-SD error \(status)")
            }
        }
    }
}
