import MatterProtocol
import MatterWire
import Testing

@Suite("Fault injector") struct FaultInjectorTests {
    private let start = MonotonicInstant(sinceStart: .zero)
    private let exchange = ExchangeHandle(rawValue: 7)

    private func request(_ command: ClusterCommand) -> InboundMessage {
        InboundMessage(
            protocolID: .interactionModel, opcode: InteractionOpcode.invokeRequest.rawValue,
            payload: InvokeRequest(commands: [CommandDataIB(path: command.path, fields: command.fields)]).encoded())
    }
    private let arm = ClusterCommand.armFailSafe(seconds: 60, breadcrumb: 0)
    private let read = InboundMessage(
        protocolID: .interactionModel, opcode: InteractionOpcode.readRequest.rawValue,
        payload: ReadRequest(attributes: [AttributePath()]).encoded())
    private func handshake(_ opcode: SecureChannelOpcode) -> InboundMessage {
        InboundMessage(protocolID: .secureChannel, opcode: opcode.rawValue, payload: [0x15, 0x18])
    }

    private func verdicts(
        _ rules: String..., for messages: [InboundMessage], session: SessionInfo.Kind = .pase
    ) throws -> [FaultInjector.Verdict] {
        var injector = FaultInjector(try FaultPlan(rules))
        return messages.map { injector.received($0, on: exchange, opens: true, session: session, now: start) }
    }

    @Test func `counts the requests of its stage, and only those`() throws {
        let messages = [read, request(arm), read, request(arm), request(arm), request(arm)]
        let found = try verdicts("armFailSafe:silence@2x2", for: messages)
        #expect(
            found == [
                .deliver(messages[0]), .deliver(messages[1]), .deliver(messages[2]), .drop, .drop,
                .deliver(messages[5]),
            ])
    }

    @Test func `every stage is known by its requests`() throws {
        let credentials = [
            (CommissioningStage.pase, handshake(.pbkdfParamRequest)), (.pase, handshake(.pake1)),
            (.pase, handshake(.pake3)), (.readInfo, read), (.armFailSafe, request(arm)),
            (.regulatory, request(.setRegulatoryConfig(.indoor, country: "XX", breadcrumb: 0))),
            (.regulatory, request(.setUTCTime(EpochSeconds(rawValue: 1)))), (.attestation, request(.paiRequest)),
            (.attestation, request(.dacRequest)), (.attestation, request(.attestationRequest(nonce: [1]))),
            (.csr, request(.csrRequest(nonce: [1]))), (.addRoot, request(.addTrustedRoot([1]))),
            (
                .addNOC,
                request(.addNOC(noc: [1], icac: nil, ipk: [2], adminSubject: 1, adminVendor: VendorID(rawValue: 1)))
            ),
            (.operational, handshake(.sigma1)), (.operational, handshake(.sigma3)),
            (.complete, request(.commissioningComplete)),
        ]
        for (stage, message) in credentials {
            #expect(try verdicts("\(stage):silence", for: [message]) == [.drop], "\(stage)")
            for other in CommissioningStage.allCases where other != stage {
                #expect(try verdicts("\(other):silence", for: [message]) == [.deliver(message)], "\(stage) \(other)")
            }
            #expect(try verdicts("any:silence", for: [message]) == [.drop])
        }
        // Disarming is cleaning; a read over CASE belongs to no stage; an answer asks nothing.
        let disarm = request(.armFailSafe(seconds: 0, breadcrumb: 0))
        #expect(try verdicts("armFailSafe:silence", for: [disarm]) == [.deliver(disarm)])
        #expect(try verdicts("readInfo:silence", for: [read], session: .case) == [.deliver(read)])
        let status = handshake(.statusReport)
        #expect(try verdicts("any:silence", for: [status]) == [.deliver(status)])
    }

    @Test func `the first rule that applies counts, and each keeps its own count`() throws {
        let messages = [request(arm), request(arm), request(arm)]
        let found = try verdicts("armFailSafe:vanish@3", "any:reset@2", "armFailSafe:silence", for: messages)
        #expect(found == [.drop, .reset, .vanish])
    }

    @Test func `statuses are those that were asked for`() throws {
        func answer(_ rule: String, _ command: ClusterCommand) throws -> InvokeResponseIB? {
            guard case .answer(let message)? = try verdicts(rule, for: [request(command)]).first else { return nil }
            return try InvokeResponse(decoding: message.payload).responses.first
        }
        #expect(
            try answer("armFailSafe:error=busy", arm)
                == .status(CommandStatusIB(path: arm.path, status: StatusIB(.busy))))
        #expect(
            try answer("armFailSafe:error=cluster:3", arm)
                == .status(CommandStatusIB(path: arm.path, status: StatusIB(.failure, clusterStatus: 3))))
        guard case .command(let block)? = try answer("armFailSafe:busyFailSafe", arm) else {
            Issue.record("no response command")
            return
        }
        #expect(block.path.command.rawValue == 1)
        #expect(try GeneralCommissioningResponse(fields: block.fields).errorCode == .busyWithOtherAdmin)
        let addNOC = ClusterCommand.addNOC(
            noc: [1], icac: nil, ipk: [2], adminSubject: 1, adminVendor: VendorID(rawValue: 1))
        for (rule, status) in [("fabricTableFull", NOCResponse.Status.tableFull), ("labelConflict", .labelConflict)] {
            guard case .command(let block)? = try answer("addNOC:\(rule)", addNOC) else {
                Issue.record("no response command")
                return
            }
            #expect(try NOCResponse(fields: block.fields).status == status)
        }
        // A read has one status for all of it, a handshake a report.
        guard case .answer(let status)? = try verdicts("readInfo:error=busy", for: [read]).first,
            case .answer(let busy)? = try verdicts("pase:busy=700", for: [handshake(.pbkdfParamRequest)]).first,
            case .answer(let refused)? = try verdicts("pase:error", for: [handshake(.pake1)]).first
        else {
            Issue.record("no answers")
            return
        }
        #expect(try StatusResponse(decoding: status.payload).status == .busy)
        #expect(try StatusReport(decoding: busy.payload).busyWait == .milliseconds(700))
        #expect(try StatusReport(decoding: refused.payload) == .failure(.invalidParameter))
    }

    @Test func `another nonce and the other certificate are asked of the machines`() throws {
        let attestation = request(.attestationRequest(nonce: [1, 2]))
        guard case .deliver(let changed)? = try verdicts("attestation:wrongNonce", for: [attestation]).first else {
            Issue.record("not delivered")
            return
        }
        #expect(try InvokeRequest(decoding: changed.payload).commands[0].fields[0]?.octets == [0xFE, 2])
        #expect(
            try verdicts("attestation:wrongChain", for: [request(.paiRequest), request(.paiRequest)])
                == [.deliver(request(.dacRequest)), .deliver(request(.paiRequest))])
    }

    @Test func `a held request comes again at its time`() throws {
        var injector = FaultInjector(try FaultPlan(["armFailSafe:slow=5000"]))
        let message = request(arm)
        #expect(injector.received(message, on: exchange, opens: true, session: .pase, now: start) == .hold)
        #expect(injector.deadline == start.advanced(by: .seconds(5)))
        #expect(injector.timerFired(now: start.advanced(by: .seconds(4))).isEmpty)
        let held = injector.timerFired(now: start.advanced(by: .seconds(5)))
        #expect(held.map(\.message) == [message] && held.map(\.exchange) == [exchange] && held.map(\.opens) == [true])
        #expect(injector.deadline == nil)
        #expect(injector.takeFired().map(\.description) == ["armFailSafe:slow=5000"])
        #expect(injector.takeFired().isEmpty)
    }

    @Test func `answers are repeated, garbled, broken or wrongly signed, once`() throws {
        let nonce = request(.attestationRequest(nonce: [1]))
        let block = CommandDataIB(
            path: CommandPath(endpoint: .root, cluster: .operationalCredentials, command: CommandID(rawValue: 1)),
            fields: .members((0, .octets([1, 2, 3])), (1, .octets([UInt8](repeating: 9, count: 64)))))
        let answer = OutboundMessage(
            protocolID: .interactionModel, opcode: InteractionOpcode.invokeResponse.rawValue,
            payload: InvokeResponse(responses: [.command(block)]).encoded())
        func sending(_ kind: String) throws -> FaultInjector.Sending {
            var injector = FaultInjector(try FaultPlan(["attestation:\(kind)"]))
            #expect(
                injector.received(nonce, on: exchange, opens: true, session: .pase, now: start) == .deliver(nonce))
            // Answers on other exchanges are whole.
            #expect(injector.sending(answer, on: ExchangeHandle(rawValue: 8)).messages == [answer])
            defer { #expect(injector.sending(answer, on: exchange).messages == [answer]) }
            return injector.sending(answer, on: exchange)
        }
        #expect(try sending("duplicate").messages == [answer, answer])
        let broken = try sending("corrupt=mic")
        #expect(broken.messages == [answer] && broken.breaksDatagram)
        let garbled = try sending("corrupt").messages
        #expect(throws: (any Error).self) { try InvokeResponse(decoding: garbled[0].payload) }
        let signed = try InvokeResponse(decoding: try sending("wrongSignature").messages[0].payload)
        guard case .command(let other)? = signed.responses.first else {
            Issue.record("no command")
            return
        }
        #expect(other.fields[0] == block.fields[0])
        #expect(other.fields[1]?.octets == [UInt8](repeating: 9, count: 63) + [8])
    }

    @Test func `windows are announced wrongly as often as the rule says`() throws {
        var injector = FaultInjector(
            try FaultPlan(["discover:silence@2", "discover:duplicate@3", "discover:corrupt@4"]))
        #expect((0..<5).map { _ in injector.announcing() } == [.right, .absent, .twice, .withoutPort, .right])
    }

    @Test func `no more than the limit of requests is held`() throws {
        var injector = FaultInjector(try FaultPlan(["any:slowx*"]))
        let message = request(arm)
        for _ in 0..<FaultInjector.heldLimit {
            #expect(injector.received(message, on: exchange, opens: true, session: .pase, now: start) == .hold)
        }
        #expect(injector.received(message, on: exchange, opens: true, session: .pase, now: start) == .deliver(message))
        injector.restarted()
        #expect(injector.deadline == nil)
    }
}
