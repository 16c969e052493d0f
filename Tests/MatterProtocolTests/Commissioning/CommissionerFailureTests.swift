@testable import MatterCrypto
import MatterProtocol
import MatterWire
import Testing

@Suite("Commissioner: what fails, where, and what is left (design of the session)") struct CommissionerFailureTests {
    /// What each kind of failure is called.
    private static let kinds: [(CommissionBench.Answer, CommissioningCause)] = [
        (.failure(.unreachable), .deviceVanished), (.failure(.sessionClosed), .deviceVanished),
        (.failure(.timedOut), .deadline), (.failure(.malformed(TLVError(code: .truncated))), .protocolError),
        (.failure(.mismatchedAnswer), .protocolError), (.failure(.status(.unsupportedAccess)), .deviceRefused),
        (.failure(.status(.busy)), .deviceBusy),
    ]

    @Test(
        arguments: goodRunRequests.indices.filter {
            goodRunRequests[$0].word != "establish" && goodRunRequests[$0].stage < .operational
        })
    func `every request can fail in every way`(_ index: Int) {
        let (word, stage) = goodRunRequests[index]
        for (answer, cause) in Self.kinds {
            // Location and time may be refused, and a read has no busy of its own.
            if word.hasPrefix("SetUTC") || word.hasPrefix("SetReg") || word.hasPrefix("read"),
                case .failure(.status) = answer
            {
                continue
            }
            var bench = CommissionBench()
            bench.answers[word] = [answer]
            bench.run()
            bench.drain()
            #expect(bench.failure?.stage == stage, "\(word) \(answer)")
            #expect(bench.failure?.cause == cause, "\(word) \(answer)")
            #expect(bench.machine.isDone)
            let isRefusedArm = word == "ArmFailSafe(60) pase" && (cause == .deviceRefused || cause == .deviceBusy)
            let isUntouched = stage == .readInfo || isRefusedArm
            #expect(bench.settled == (isUntouched ? .untouched : .clean), "\(word) \(answer)")
            #expect(bench.log.filter { $0.hasPrefix("failed") }.count == 1)
            #expect(bench.failure?.message.isEmpty == false)
            #expect(bench.failure?.advice.isEmpty == false)
        }
    }

    @Test(arguments: goodRunRequests.indices) func `every request can be cancelled, and its late answer means nothing`(
        _ index: Int
    ) {
        let (word, stage) = goodRunRequests[index]
        var bench = CommissionBench()
        bench.run(until: word)
        #expect(bench.failure == nil)
        let before = bench.log.count
        bench.cancel()
        #expect(bench.log[before] == "abandon")
        #expect(bench.failure?.cause == .sessionEnded)
        #expect(bench.failure?.stage == stage)
        switch stage {
        case .readInfo: #expect(bench.settled == .untouched)
        case .complete:
            #expect(
                bench.log.suffix(3) == [
                    "RemoveFabric(2) operational", "failed complete sessionEnded clean", "settled clean",
                ])
        default:
            #expect(bench.log.suffix(3).first == "ArmFailSafe(0) pase")
            #expect(bench.settled == .clean)
        }
        let after = bench.log.count
        bench.answer(word)
        #expect(bench.log.count == after)
        bench.cancel()
        #expect(bench.log.count == after)
    }

    @Test(arguments: goodRunRequests.indices) func `every request that is never answered ends in time`(_ index: Int) {
        let (word, stage) = goodRunRequests[index]
        var bench = CommissionBench()
        bench.answers[word] = [CommissionBench.Answer](repeating: .silence, count: 9)
        bench.run()
        let start = bench.now
        bench.drain()
        #expect(bench.machine.isDone)
        #expect(bench.failure?.stage == stage || stage == .complete)
        #expect(start.duration(to: bench.now) < .seconds(300))
    }

    @Test func `cancelled before the start, nothing was touched`() {
        var bench = CommissionBench()
        bench.cancel()
        #expect(bench.log == ["failed readInfo sessionEnded untouched", "settled untouched"])
    }

    @Test func `cancelled while the device is busy or the journal is written`() {
        var bench = CommissionBench()
        bench.answers["establish"] = [.operational(.busy(.seconds(9)))]
        bench.run()
        bench.cancel()
        #expect(
            bench.log.suffix(3) == ["ArmFailSafe(0) pase", "failed operational sessionEnded clean", "settled clean"])
        bench = CommissionBench()
        bench.isJournalSlow = true
        bench.run()
        bench.cancel()
        #expect(bench.failure?.stage == .addRoot)
        #expect(bench.settled == .clean)
        bench.answer("journal addNOC")
        #expect(bench.log.last == "settled clean")
    }

    // MARK: - What the device says

    @Test func `a busy fail-safe says when to come back, and nothing is disarmed`() {
        var bench = CommissionBench()
        bench.attributes[ConcreteAttributePath(0, 0x30, 1)] = .members((0, .unsigned(90)), (1, .unsigned(900)))
        bench.answers["ArmFailSafe(90) pase"] = [.response(1, .members((0, .unsigned(4)), (1, .utf8(""))))]
        bench.run()
        #expect(bench.log.suffix(2) == ["failed armFailSafe deviceBusy untouched", "settled untouched"])
        #expect(bench.failure?.retryAfter == .seconds(90))
        #expect(bench.failure?.suggestedUserActions == [.tryAgainLater])
    }

    @Test func `a full table names its limit`() {
        for (word, answer) in [
            ("AddNOC pase", CommissionBench.Answer.response(8, .members((0, .unsigned(5))))),
            ("AddNOC pase", .status(StatusIB(.resourceExhausted))),
            ("AddTrustedRootCertificate pase", .status(StatusIB(.resourceExhausted))),
        ] {
            var bench = CommissionBench()
            bench.answers[word] = [answer]
            bench.run()
            #expect(bench.failure?.cause == .fabricTableFull)
            #expect(bench.failure?.limit == 5)
            #expect(bench.failure?.message.contains("takes 5") == true)
            #expect(bench.settled == .clean)
        }
    }

    @Test(arguments: [
        (UInt64(1), "InvalidPublicKey", CommissioningCause.deviceRefused), (2, "InvalidNodeOpId", .deviceRefused),
        (3, "InvalidNOC", .deviceRefused), (4, "MissingCsr", .deviceRefused),
        (6, "InvalidAdminSubject", .deviceRefused), (9, "FabricConflict", .alreadyOnFabric),
        (77, "status 77", .deviceRefused),
    ]) func `every status of AddNOC has its cause and name`(
        _ code: UInt64, _ name: String, _ cause: CommissioningCause
    ) {
        var bench = CommissionBench()
        bench.answers["AddNOC pase"] = [.response(8, .members((0, .unsigned(code)), (2, .utf8("hm"))))]
        bench.run()
        #expect(bench.failure?.cause == cause)
        #expect(
            bench.failure?.peerStatus
                == .command("AddNOC", code: UInt8(code), name: name, text: "hm"))
        #expect(bench.settled == .clean)
    }

    @Test func `a device that is ours already is refused untouched`() {
        var bench = CommissionBench { $0.knownNodes = [NodeID(rawValue: 0x99)] }
        bench.attributes[ConcreteAttributePath(0, 0x3E, 1)] = .array([CommissionBench.fabric(node: 0x99)])
        bench.run()
        #expect(bench.log.suffix(2) == ["failed readInfo alreadyOnFabric untouched", "settled untouched"])
        #expect(bench.failure?.existingNode == NodeID(rawValue: 0x99))
    }

    @Test func `refused attestation carries the verdict`() {
        var bench = CommissionBench(FakeAuthority(verdict: FakeAuthority.refused))
        bench.run()
        #expect(
            bench.log.suffix(3) == [
                "ArmFailSafe(0) pase", "failed attestation attestationRefused clean", "settled clean",
            ])
        #expect(bench.failure?.verdict == FakeAuthority.refused)
        #expect(bench.failure?.message.contains("nobody trusts it") == true)
    }

    @Test func `a bad certificate request, and trouble on our own side`() {
        var bench = CommissionBench(FakeAuthority(csrProblem: CSRProblem("another nonce")))
        bench.run()
        #expect(bench.failure?.stage == .csr)
        #expect(bench.failure?.cause == .protocolError)
        bench = CommissionBench(FakeAuthority(issueError: CryptoError(.library, "no")))
        bench.run()
        #expect(bench.failure?.cause == .internalError)
        #expect(bench.settled == .clean)
        bench = CommissionBench(FakeAuthority(nonceError: CryptoError(.library, "no")))
        bench.run()
        #expect(bench.failure?.stage == .attestation)
        #expect(bench.failure?.cause == .internalError)
        #expect(bench.settled == .clean)
    }

    @Test func `a fail-safe that ended too early is called that`() {
        var bench = CommissionBench()
        bench.answers["AddNOC pase"] = [.status(StatusIB(.failsafeRequired))]
        bench.run()
        #expect(bench.log.suffix(2) == ["failed addNOC deadline clean", "settled clean"])
    }

    @Test(arguments: [
        ("CSRRequest pase", CommissionBench.Answer.response(5, .members((0, .octets([1]))))),
        ("CSRRequest pase", .response(9, .structure([]))), ("CSRRequest pase", .status(.success)),
        ("AddNOC pase", .response(8, .structure([]))), ("ArmFailSafe(60) pase", .response(1, .members((0, .null)))),
        ("AddTrustedRootCertificate pase", .response(0, .structure([]))),
        ("read 6 pase", .attributes([ConcreteAttributePath(0, 0x30, 0): .utf8("?")])),
        ("read 4 pase", .attributes([ConcreteAttributePath(0, 0x3E, 1): .array([.unsigned(1)])])),
        ("read 4 pase", .attributes([ConcreteAttributePath(0, 0x3E, 1): .unsigned(1)])),
    ]) func `an answer of another shape is the device's mistake`(_ word: String, _ answer: CommissionBench.Answer) {
        var bench = CommissionBench()
        bench.answers[word] = [answer]
        bench.run()
        bench.drain()
        #expect(bench.failure?.cause == .protocolError)
        #expect(bench.settled == (word.hasPrefix("read") ? .untouched : .clean))
    }

    @Test func `a device that does not say who made it fails attestation's needs only`() {
        var bench = CommissionBench()
        bench.attributes[ConcreteAttributePath(0, 0x28, 2)] = nil
        bench.run()
        #expect(bench.failure?.cause == .protocolError)
        bench = CommissionBench { $0.attestationPolicy = .off }
        bench.attributes[ConcreteAttributePath(0, 0x28, 2)] = nil
        bench.run()
        #expect(bench.log.last == "finished")
    }

    @Test func `every cause has advice`() {
        for cause: CommissioningCause in [
            .deviceVanished, .deadline, .deviceBusy, .deviceRefused, .protocolError, .attestationRefused,
            .alreadyOnFabric, .fabricTableFull, .sessionEnded, .internalError,
        ] {
            #expect(!CommissioningFailure(stage: .csr, cause: cause, message: "").advice.isEmpty)
        }
    }

    @Test func `stages are numbered in order`() {
        #expect(CommissioningStage.allCases.map(\.index) == Array(1...11))
        #expect(CommissioningStage.total == 11)
        #expect(CommissioningStage.allCases.sorted() == CommissioningStage.allCases)
        #expect(Set(CommissioningStage.allCases.map(\.title)).count == 11)
    }
}
