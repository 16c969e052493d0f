import Dispatch

/// Resolves the instances of a browse, or one named instance, down to addresses.
///
///                 slot free            resolved            first address
///     waiting ──────────────▶ resolving ────────▶ addressing ──────────▶ found ──▶ reports every change
///        ▲                        │                   │                    │
///        └── slot over and others wait ───────────────┘   others wait: its operations end, it stays as it is known
///
/// Each step runs as soon as what it needs is there; nothing waits for all of anything.
// Sendable: the stored state is touched on `queue` only.
final class ServiceTracker: @unchecked Sendable {
    /// Three operations each, and D-Bus allows a user 256 connections.
    static let concurrentInstances = 24
    /// How long an instance without answer may keep others waiting.
    private static let slot = DispatchTimeInterval.seconds(3)
    /// How long after a failed resolve the next one starts; the daemon itself has asked several times by then.
    private static let retryDelay = DispatchTimeInterval.seconds(1)

    private final class Entry {
        let service: ServiceName
        /// Distinguishes this stay in a slot from earlier ones.
        var turn = 0
        var resolve: DNSServiceOperation?
        var queries: [DNSServiceOperation] = []
        var resolved: ResolvedService?
        var addresses: [SocketAddress] = []
        var reported: ServiceInstance?
        init(_ service: ServiceName) { self.service = service }
    }

    private let queue: DispatchQueue
    private let output: DNSServiceDirectory.Output<ServiceChange>
    private var browse: DNSServiceOperation?
    private var counts: [ServiceName: Int] = [:]
    private var entries: [ServiceName: Entry] = [:]
    /// In slots, the longest there first.
    private var active: [ServiceName] = []
    private var waiting: [ServiceName] = []
    private var isEnded = false

    init(queue: DispatchQueue, _ output: DNSServiceDirectory.Output<ServiceChange>) {
        self.queue = queue
        self.output = output
    }

    // MARK: Starting, on the queue

    func browse(_ type: ServiceType, interface: UInt32) {
        let operation = DNSServiceOperation(queue: queue) { @Sendable [weak self] in self?.browseReplied($0) }
        browse = operation
        operation.browse(type, interface: interface)
    }

    func watch(_ service: ServiceName) { add(service) }

    /// Ends all operations; callable from anywhere.
    func end() {
        queue.async { @Sendable [self] in
            isEnded = true
            browse?.endOnQueue()
            for entry in entries.values { endOperations(entry) }
            entries = [:]
        }
    }

    private func browseReplied(_ reply: DNSServiceOperation.Reply) {
        switch reply {
        case .browsed(let added, let service):
            switch DNSServiceDirectory.count(added, service, &counts) {
            case .added(let service): add(service)
            case .removed(let service): remove(service)
            case nil: break
            }
        case .failed(let error): output.finish(error)
        case .resolved, .address, .registered: break
        }
    }

    // MARK: Slots

    private func add(_ service: ServiceName) {
        guard !isEnded, entries[service] == nil else { return }
        entries[service] = Entry(service)
        waiting.append(service)
        fillSlots()
    }

    private func remove(_ service: ServiceName) {
        guard let entry = entries.removeValue(forKey: service) else { return }
        endOperations(entry)
        active.removeAll { $0 == service }
        waiting.removeAll { $0 == service }
        if entry.reported != nil { output.yield(.lost(service)) }
        fillSlots()
    }

    private func fillSlots() {
        while !waiting.isEmpty {
            if active.count >= Self.concurrentInstances {
                // One that is known gives its slot up and stays as it was last seen.
                guard let index = active.firstIndex(where: { entries[$0]?.reported != nil }) else { return }
                if let entry = entries[active.remove(at: index)] { endOperations(entry) }
            }
            let service = waiting.removeFirst()
            guard let entry = entries[service] else { continue }
            active.append(service)
            startResolve(entry)
            let turn = entry.turn
            queue.asyncAfter(deadline: .now() + Self.slot) { @Sendable [weak self] in self?.slotOver(service, turn) }
        }
    }

    private func slotOver(_ service: ServiceName, _ turn: Int) {
        guard let entry = entries[service], entry.turn == turn, entry.reported == nil, !waiting.isEmpty else { return }
        endOperations(entry)
        active.removeAll { $0 == service }
        waiting.append(service)
        fillSlots()
    }

    private func endOperations(_ entry: Entry) {
        entry.turn += 1
        entry.resolve?.endOnQueue()
        entry.resolve = nil
        for query in entry.queries { query.endOnQueue() }
        entry.queries = []
    }

    // MARK: Resolving

    private func startResolve(_ entry: Entry) {
        let (service, turn) = (entry.service, entry.turn)
        let operation = DNSServiceOperation(queue: queue) { @Sendable [weak self] in
            self?.resolveReplied($0, service, turn)
        }
        entry.resolve = operation
        operation.resolve(service)
    }

    private func resolveReplied(_ reply: DNSServiceOperation.Reply, _ service: ServiceName, _ turn: Int) {
        guard let entry = entries[service], entry.turn == turn else { return }
        switch reply {
        case .resolved(let resolved):
            // Port 0 says that the service isn't reachable for now: the running resolve reports the next one.
            guard resolved.port != 0 else { return }
            let isMoved = entry.resolved?.host != resolved.host || entry.resolved?.interface != resolved.interface
            entry.resolved = resolved
            if isMoved { startQueries(entry, resolved) } else { report(entry) }
        case .failed(let error):
            guard error.code != .serviceMissing else { return output.finish(error) }
            entry.resolve = nil
            // What ended this may have ended the queries: the next answer starts them anew.
            entry.resolved = nil
            queue.asyncAfter(deadline: .now() + Self.retryDelay) { @Sendable [weak self] in
                self?.retryResolve(service, turn)
            }
        case .browsed, .address, .registered: break
        }
    }

    private func retryResolve(_ service: ServiceName, _ turn: Int) {
        guard let entry = entries[service], entry.turn == turn, entry.resolve == nil else { return }
        startResolve(entry)
    }

    private func startQueries(_ entry: Entry, _ resolved: ResolvedService) {
        for query in entry.queries { query.endOnQueue() }
        entry.addresses = []
        let (service, turn) = (entry.service, entry.turn)
        entry.queries = [true, false].map { v6 in
            let operation = DNSServiceOperation(queue: queue) { @Sendable [weak self] in
                self?.queryReplied($0, service, turn, host: resolved.host)
            }
            operation.queryAddresses(resolved.host, v6: v6, interface: resolved.interface)
            return operation
        }
    }

    private func queryReplied(
        _ reply: DNSServiceOperation.Reply, _ service: ServiceName, _ turn: Int, host: String
    ) {
        guard let entry = entries[service], entry.turn == turn, let resolved = entry.resolved, resolved.host == host
        else { return }
        switch reply {
        case .address(let added, let ip, let interface):
            let address = SocketAddress(ip: ip, port: resolved.port, scope: interface)
            entry.addresses.removeAll { $0.ip == ip && $0.scope == address.scope }
            if added { entry.addresses.append(address) }
            report(entry)
        case .failed(let error): if error.code == .serviceMissing { output.finish(error) }
        case .browsed, .resolved, .registered: break
        }
    }

    private func report(_ entry: Entry) {
        guard let resolved = entry.resolved else { return }
        guard !entry.addresses.isEmpty else {
            if entry.reported != nil {
                entry.reported = nil
                output.yield(.lost(entry.service))
            }
            return
        }
        for index in entry.addresses.indices { entry.addresses[index].port = resolved.port }
        let instance = ServiceInstance(
            service: entry.service, host: resolved.host, port: resolved.port, txt: resolved.txt,
            interface: resolved.interface, addresses: entry.addresses)
        guard instance != entry.reported else { return }
        entry.reported = instance
        output.yield(.found(instance))
        fillSlots()
    }
}
