@testable import MatterCrypto
import MatterProtocol
import MatterWire
import TestSupport
import Testing

/// An authority that decides what a test wants.
struct FakeAuthority: CommissioningAuthority {
    var verdict = AttestationVerdict(rules: [], missingAuthority: nil)
    var csrProblem: CSRProblem?
    var issueError: CryptoError?
    var nonceError: CryptoError?
    static let key: P256PublicKey = {
        do {
            return try P256PrivateKey.generate(using: SystemSecretSource()).publicKey
        } catch {
            fatalError("no key: \(error)")
        }
    }()

    func nonce() throws(CryptoError) -> [UInt8] {
        if let nonceError { throw nonceError }
        return [UInt8](repeating: 9, count: 32)
    }
    func judge(_ evidence: AttestationEvidence) -> AttestationVerdict { verdict }
    func check(_ request: CSREvidence) throws(CSRProblem) -> P256PublicKey {
        if let csrProblem { throw csrProblem }
        return Self.key
    }
    func issue(_ key: P256PublicKey, nodeID: NodeID) throws(CryptoError) -> IssuedCertificates {
        if let issueError { throw issueError }
        return IssuedCertificates(noc: [1, 2, 3])
    }

    static let refused = AttestationVerdict(broken: .authorityTrusted, detail: "nobody trusts it")
}

/// A commissioner with a device and a driver that answer at once, and everything that happened as words.
struct CommissionBench {
    /// What the other side does with a request.
    enum Answer {
        /// The owner's judgement of the device.
        case decision(Bool)
        case attributes([ConcreteAttributePath: TLVValue])
        case response(UInt32, TLVValue)
        case status(StatusIB)
        case failure(InteractionFailure.Code)
        case operational(OperationalFailure?)
        /// Nothing comes.
        case silence
    }

    var machine: CommissionerMachine
    var now = MonotonicInstant.at(100)
    /// Answers by the word of the action; a list is used up, then the device's own answer counts.
    var answers: [String: [Answer]] = [:]
    var attributes = CommissionBench.typicalAttributes
    var isJournalSlow = false
    private(set) var log: [String] = []
    private(set) var failure: CommissioningFailure?
    private(set) var device: CommissionedDevice?
    private(set) var settled: DeviceState?
    private(set) var notes: [CommissioningNote] = []
    private(set) var entries: [CommissioningJournalEntry] = []
    private(set) var pending: [(word: String, action: CommissionerMachine.Action)] = []
    private(set) var commands: [ClusterCommand] = []

    init(
        _ authority: FakeAuthority = FakeAuthority(), _ change: (inout CommissioningPlan) -> Void = { _ in }
    ) {
        var plan = CommissioningPlan(
            nodeID: NodeID(rawValue: 0x1234), fabricID: FabricID(rawValue: 5), rootCertificate: [7, 7],
            rootPublicKey: Self.rootKey, ipkEpochKey: [UInt8](repeating: 3, count: 16), adminSubject: 1,
            adminVendor: VendorID(rawValue: 0xFFF1), attestationChallenge: [UInt8](repeating: 4, count: 16),
            wallClock: EpochSeconds(rawValue: 1_000_000))
        change(&plan)
        machine = CommissionerMachine(plan: plan, authority: authority)
    }

    static let rootKey = [UInt8](repeating: 4, count: 65)

    static func fabric(node: UInt64, fabric: UInt64 = 5, root: [UInt8] = rootKey) -> TLVValue {
        .members(
            (1, .octets(root)), (2, .unsigned(0xFFF1)), (3, .unsigned(fabric)), (4, .unsigned(node)), (5, .utf8("")),
            (254, .unsigned(2)))
    }

    /// A light on a Wi-Fi network that has a clock.
    static let typicalAttributes: [ConcreteAttributePath: TLVValue] = [
        ConcreteAttributePath(0, 0x30, 0): .unsigned(0),
        ConcreteAttributePath(0, 0x30, 1): .members((0, .unsigned(60)), (1, .unsigned(900))),
        ConcreteAttributePath(0, 0x30, 2): .unsigned(0), ConcreteAttributePath(0, 0x30, 3): .unsigned(2),
        ConcreteAttributePath(0, 0x28, 2): .unsigned(0xFFF1), ConcreteAttributePath(0, 0x28, 4): .unsigned(0x8001),
        ConcreteAttributePath(0, 0x31, 0xFFFC): .unsigned(1), ConcreteAttributePath(0, 0x38, 0xFFFC): .unsigned(0),
        ConcreteAttributePath(0, 0x3E, 1): .array([]), ConcreteAttributePath(0, 0x3E, 2): .unsigned(5),
    ]

    // MARK: - Driving

    /// Starts, and goes on until nothing is left to answer.
    mutating func run() { take(machine.start(now: now)) }

    /// Starts, and stops before the answer to the first action with this word.
    mutating func run(until word: String) {
        answers[word] = [.silence]
        run()
    }

    mutating func cancel() { take(machine.cancel(now: now)) }

    mutating func fire() {
        guard let deadline = machine.deadline else { return }
        now = max(now, deadline)
        take(machine.timerFired(now: now))
    }

    /// Fires timers until the machine is done.
    mutating func drain() {
        for _ in 0..<200 where machine.deadline != nil { fire() }
    }

    /// Answers what was left in silence.
    mutating func answer(_ word: String, _ answer: Answer? = nil) {
        guard let index = pending.firstIndex(where: { $0.word == word }) else {
            Issue.record("\(word) is not pending")
            return
        }
        let action = pending.remove(at: index).action
        take(result(of: action, word, answer ?? ownAnswer(to: action, word)))
    }

    mutating func sessionClosed(_ channel: CommissionerMachine.Channel) {
        take(machine.sessionClosed(channel, now: now))
    }

    private mutating func take(_ actions: [CommissionerMachine.Action]) {
        var queue = actions
        while !queue.isEmpty {
            let action = queue.removeFirst()
            let word = Self.word(action)
            log.append(word)
            note(action)
            let isAsking: Bool
            switch action {
            case .read, .invoke, .decide, .establishOperationalSession: isAsking = true
            case .journal: isAsking = !isJournalSlow
            case .entered, .abandon, .note, .finished, .failed, .settled: isAsking = false
            }
            if case .journal = action, isJournalSlow { pending.append((word, action)) }
            guard isAsking else { continue }
            var answer = ownAnswer(to: action, word)
            if var list = answers[word], !list.isEmpty {
                answer = list.removeFirst()
                answers[word] = list
            }
            if case .silence = answer {
                pending.append((word, action))
                continue
            }
            now = now.advanced(by: .milliseconds(5))
            queue += result(of: action, word, answer)
        }
    }

    private mutating func note(_ action: CommissionerMachine.Action) {
        switch action {
        case .failed(let failure):
            #expect(self.failure == nil)
            self.failure = failure
        case .finished(let device): self.device = device
        case .settled(let state): settled = state
        case .note(let note): notes.append(note)
        case .journal(_, let entry): entries.append(entry)
        case .invoke(_, let command, over: _): commands.append(command)
        case .entered, .read, .decide, .establishOperationalSession, .abandon: break
        }
    }

    private mutating func result(
        of action: CommissionerMachine.Action, _ word: String, _ answer: Answer
    ) -> [CommissionerMachine.Action] {
        switch (action, answer) {
        case (.read(let id, _, over: _), .attributes(let values)):
            let reports = values.map { AttributeReport.data(path: $0, version: .init(rawValue: 1), value: $1) }
            return machine.readCompleted(id, .success(ReadResult(attributes: reports)), now: now)
        case (.read(let id, _, over: _), .failure(let code)):
            return machine.readCompleted(id, .failure(InteractionFailure(code)), now: now)
        case (.invoke(let id, let command, over: _), .response(let number, let fields)):
            let path = CommandPath(
                endpoint: .root, cluster: command.path.cluster, command: CommandID(rawValue: number))
            let outcome = InvokeOutcome.response(path.command, fields)
            return machine.invokeCompleted(
                id, .success(InvokeResult(answers: [.init(path: path, outcome: outcome)])), now: now)
        case (.invoke(let id, let command, over: _), .status(let status)):
            return machine.invokeCompleted(
                id, .success(InvokeResult(answers: [.init(path: command.path, outcome: .status(status))])), now: now)
        case (.invoke(let id, _, over: _), .failure(let code)):
            return machine.invokeCompleted(id, .failure(InteractionFailure(code)), now: now)
        case (.establishOperationalSession(let id, _), .operational(let failure?)):
            return machine.operationalSessionFailed(id, failure, now: now)
        case (.establishOperationalSession(let id, _), _):
            return machine.operationalSessionEstablished(id, now: now)
        case (.decide(let id, _, _), .decision(let proceeds)):
            return machine.decided(id, proceeds: proceeds, now: now)
        case (.journal(let id, _), .failure):
            return machine.journalFailed(id, reason: "disk full", now: now)
        case (.journal(let id, _), _):
            return machine.journalled(id, now: now)
        case (.read, _), (.invoke, _), (.decide, _), (.entered, _), (.abandon, _), (.note, _), (.finished, _),
            (.failed, _),
            (.settled, _):
            Issue.record("\(word) cannot be answered with \(answer)")
            return []
        }
    }

    /// What a good device answers.
    private func ownAnswer(to action: CommissionerMachine.Action, _ word: String) -> Answer {
        let ok = TLVValue.members((0, .unsigned(0)), (1, .utf8("")))
        switch action {
        case .read(_, let paths, over: _):
            let wanted = Set(paths.compactMap(\.concrete))
            return .attributes(attributes.filter { wanted.contains($0.key) })
        case .invoke(_, let command, over: _):
            let signed = TLVValue.members((0, .octets([1])), (1, .octets([UInt8](repeating: 0, count: 64))))
            switch command.name {
            case "AttestationRequest", "CSRRequest": return .response(command.response?.rawValue ?? 0, signed)
            case "CertificateChainRequest":
                return .response(3, .members((0, .octets([0x30]))))
            case "AddNOC", "RemoveFabric":
                return .response(8, .members((0, .unsigned(0)), (1, .unsigned(2))))
            default:
                guard let response = command.response else { return .status(.success) }
                return .response(response.rawValue, ok)
            }
        case .establishOperationalSession: return .operational(nil)
        case .decide(_, _, let verdict): return .decision(verdict.accepted)
        case .journal: return .status(.success)
        case .entered, .abandon, .note, .finished, .failed, .settled: return .silence
        }
    }

    /// An action in words.
    static func word(_ action: CommissionerMachine.Action) -> String {
        switch action {
        case .entered(let stage): return "entered \(stage.rawValue)"
        case .read(_, let paths, over: let channel): return "read \(paths.count) \(channel)"
        case .invoke(_, let command, over: let channel):
            var detail = ""
            switch command.name {
            case "ArmFailSafe", "RemoveFabric", "CertificateChainRequest":
                detail = "(\(command.fields[0]?.unsigned ?? 0))"
            case "SetRegulatoryConfig":
                detail = "(\(command.fields[0]?.unsigned ?? 9) \(command.fields[1]?.utf8 ?? ""))"
            default: break
            }
            return "\(command.name)\(detail) \(channel)"
        case .decide(_, _, let verdict): return "decide \(verdict.accepted)"
        case .journal(_, let entry): return "journal \(entry.stage.rawValue)"
        case .establishOperationalSession: return "establish"
        case .abandon: return "abandon"
        case .note(let note):
            switch note {
            case .locationRefused: return "note locationRefused"
            case .timeRefused: return "note timeRefused"
            case .attestationIgnored: return "note attestationIgnored"
            case .staleFabricRemoved(let node): return "note staleFabricRemoved \(node.rawValue)"
            case .earlierAttempt(let breadcrumb): return "note earlierAttempt \(breadcrumb)"
            case .failSafeExtended: return "note failSafeExtended"
            case .outcomeUnknown: return "note outcomeUnknown"
            }
        case .finished: return "finished"
        case .failed(let failure):
            return "failed \(failure.stage.rawValue) \(failure.cause.rawValue) \(failure.deviceState.rawValue)"
        case .settled(let state): return "settled \(state.rawValue)"
        }
    }
}
