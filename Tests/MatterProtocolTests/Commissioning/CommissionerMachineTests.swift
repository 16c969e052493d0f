@testable import MatterCrypto
import MatterProtocol
import MatterWire
import Testing

@Suite("Commissioner: a device that does as it should (Core §5.5)") struct CommissionerMachineTests {
    @Test func `every step comes in order, once`() {
        var bench = CommissionBench()
        bench.run()
        #expect(bench.log == goodRun)
        #expect(bench.device?.nodeID == NodeID(rawValue: 0x1234))
        #expect(bench.device?.fabricIndex == FabricIndex(rawValue: 2))
        #expect(bench.device?.vendorID == VendorID(rawValue: 0xFFF1))
        #expect(bench.device?.productID == ProductID(rawValue: 0x8001))
        #expect(bench.device?.noc == [1, 2, 3])
        #expect(bench.device?.verdict?.accepted == true)
        #expect(bench.device?.elapsed ?? .zero > .zero)
        #expect(bench.machine.isDone)
        #expect(bench.machine.deadline == nil)
    }

    @Test func `nothing happens before the start or after the end`() {
        var bench = CommissionBench()
        #expect(bench.machine.deadline == nil)
        #expect(bench.machine.timerFired(now: .at(1000)).isEmpty)
        bench.run()
        #expect(bench.machine.start(now: bench.now).isEmpty)
        #expect(bench.machine.cancel(now: bench.now).isEmpty)
        #expect(bench.machine.timerFired(now: .at(1000)).isEmpty)
        #expect(bench.machine.sessionClosed(.pase, now: bench.now).isEmpty)
    }

    @Test func `AddNOC carries the epoch key, our subject and no empty intermediate`() throws {
        var bench = CommissionBench()
        bench.run()
        let command = try #require(bench.commands.first { $0.name == "AddNOC" })
        #expect(
            command.fields
                == .members(
                    (0, .octets([1, 2, 3])), (2, .octets([UInt8](repeating: 3, count: 16))), (3, .unsigned(1)),
                    (4, .unsigned(0xFFF1))))
        #expect(bench.commands.last?.fields == .structure([]))
    }

    @Test func `the time sent is microseconds since 2000`() throws {
        var bench = CommissionBench()
        bench.run()
        let command = try #require(bench.commands.first { $0.name == "SetUTCTime" })
        #expect(command.fields == .members((0, .unsigned(1_000_000_000_000)), (1, .unsigned(2))))
    }

    // MARK: - Steps that some devices do not need

    @Test func `a wired device without a clock is asked for neither`() {
        var bench = CommissionBench()
        bench.attributes[ConcreteAttributePath(0, 0x31, 0xFFFC)] = .unsigned(4)
        bench.attributes[ConcreteAttributePath(0, 0x38, 0xFFFC)] = nil
        bench.run()
        #expect(bench.log.last == "finished")
        #expect(!bench.log.contains { $0.contains("Regulatory") || $0.contains("UTC") || $0 == "entered regulatory" })
    }

    @Test func `a device that tells next to nothing of itself is commissioned with what is usual`() {
        var bench = CommissionBench()
        bench.attributes = [
            ConcreteAttributePath(0, 0x28, 2): .unsigned(1), ConcreteAttributePath(0, 0x28, 4): .unsigned(1),
        ]
        bench.run()
        #expect(bench.log.contains("ArmFailSafe(60) pase"))
        #expect(bench.log.last == "finished")
    }

    @Test(arguments: [
        (UInt64(2), RegulatoryLocation?.none, "(0 DE)"), (2, .outdoor, "(1 DE)"), (0, .outdoor, "(0 DE)"),
        (1, .indoor, "(1 DE)"),
    ]) func `the location is the device's own where it has no choice`(
        _ capability: UInt64, _ wanted: RegulatoryLocation?, _ expected: String
    ) {
        var bench = CommissionBench {
            $0.location = wanted
            $0.country = "DE"
        }
        bench.attributes[ConcreteAttributePath(0, 0x30, 3)] = .unsigned(capability)
        bench.run()
        #expect(bench.log.contains("SetRegulatoryConfig\(expected) pase"))
    }

    @Test func `a country that the device does not know becomes XX, and then its own`() {
        var bench = CommissionBench { $0.country = "DE" }
        let outside = CommissionBench.Answer.response(3, .members((0, .unsigned(1)), (1, .utf8(""))))
        bench.answers["SetRegulatoryConfig(0 DE) pase"] = [outside]
        bench.answers["SetRegulatoryConfig(0 XX) pase"] = [outside]
        bench.run()
        let place = bench.log.firstIndex(of: "SetRegulatoryConfig(0 DE) pase") ?? 0
        #expect(
            Array(bench.log[(place + 1)...].prefix(3)) == [
                "SetRegulatoryConfig(0 XX) pase", "note locationRefused", "SetUTCTime pase",
            ])
        #expect(bench.log.last == "finished")
    }

    @Test func `a refused location or time is told and goes on`() {
        var bench = CommissionBench()
        bench.answers["SetRegulatoryConfig(0 XX) pase"] = [.status(StatusIB(.unsupportedCommand))]
        bench.answers["SetUTCTime pase"] = [.status(StatusIB(.failure, clusterStatus: 2))]
        bench.run()
        #expect(
            bench.notes == [
                .locationRefused(.interaction(StatusIB(.unsupportedCommand))),
                .timeRefused(.interaction(StatusIB(.failure, clusterStatus: 2))),
            ])
        #expect(bench.log.last == "finished")
    }

    @Test(arguments: [
        (UInt16?.none, UInt64(60), UInt64(900), "60"), (nil, 120, 900, "120"), (nil, 10, 900, "60"),
        (300, 60, 900, "300"),
        (300, 60, 100, "100"),
    ]) func `the fail-safe is the caller's, else the device's, at least a minute and within its limit`(
        _ wanted: UInt16?, _ recommended: UInt64, _ limit: UInt64, _ expected: String
    ) {
        var bench = CommissionBench { $0.failSafeSeconds = wanted }
        bench.attributes[ConcreteAttributePath(0, 0x30, 1)] =
            .members((0, .unsigned(recommended)), (1, .unsigned(limit)))
        bench.run()
        #expect(bench.log.contains("ArmFailSafe(\(expected)) pase"))
    }

    @Test func `a success with a cluster status of zero is a success`() {
        var bench = CommissionBench()
        bench.answers["AddTrustedRootCertificate pase"] = [.status(StatusIB(.success, clusterStatus: 0))]
        bench.run()
        #expect(bench.log == goodRun)
    }

    // MARK: - Attestation

    @Test func `refused attestation is told and ignored under warn`() {
        var bench = CommissionBench(FakeAuthority(verdict: FakeAuthority.refused)) { $0.attestationPolicy = .warn }
        bench.run()
        #expect(bench.notes == [.attestationIgnored(FakeAuthority.refused)])
        #expect(bench.device?.verdict == FakeAuthority.refused)
    }

    // MARK: - The owner decides

    @Test func `the owner is asked about good devices too, and lets one in`() {
        var bench = CommissionBench { $0.attestationPolicy = .ask }
        bench.run()
        #expect(bench.device != nil)
        #expect(bench.device?.attestation?.dac == [0x30])
        #expect(bench.notes.isEmpty)
        let asked = bench.log.firstIndex(of: "decide true")
        #expect(asked != nil && asked.map { bench.log[$0 + 1] } == "entered csr")
    }

    @Test func `a bad device goes on when the owner says so, and the verdict is told`() {
        var bench = CommissionBench(FakeAuthority(verdict: FakeAuthority.refused)) { $0.attestationPolicy = .ask }
        bench.answers["decide false"] = [.decision(true)]
        bench.run()
        #expect(bench.device?.verdict == FakeAuthority.refused)
        #expect(bench.notes == [.attestationIgnored(FakeAuthority.refused)])
    }

    @Test(arguments: [true, false]) func `a device that the owner does not let in is left clean`(isGood: Bool) {
        var bench = CommissionBench(isGood ? FakeAuthority() : FakeAuthority(verdict: FakeAuthority.refused)) {
            $0.attestationPolicy = .ask
        }
        bench.answers["decide \(isGood)"] = [.decision(false)]
        bench.run()
        #expect(bench.failure?.cause == .attestationRefused)
        #expect(bench.failure?.stage == .attestation)
        #expect(bench.failure?.deviceState == .clean)
        #expect(bench.failure?.verdict?.accepted == isGood)
        #expect(bench.log.suffix(3).first == "ArmFailSafe(0) pase")
    }

    @Test func `an owner who never answers is not waited for longer than the fail-safe lasts`() {
        var bench = CommissionBench { $0.attestationPolicy = .ask }
        bench.run(until: "decide true")
        #expect(bench.device == nil && bench.failure == nil)
        bench.fire()
        #expect(bench.failure?.cause == .deadline)
        #expect(bench.failure?.deviceState == .clean)
        #expect(bench.log.contains("abandon"))
        // The answer that comes after all changes nothing.
        let log = bench.log
        bench.answer("decide true", .decision(true))
        #expect(bench.log == log)
    }

    @Test func `cancelling while the owner thinks ends the question and cleans`() {
        var bench = CommissionBench { $0.attestationPolicy = .ask }
        bench.run(until: "decide true")
        bench.cancel()
        #expect(bench.failure?.cause == .sessionEnded)
        #expect(bench.failure?.deviceState == .clean)
        #expect(bench.log.contains("abandon"))
    }

    @Test func `while the owner thinks, other events change nothing`() {
        var bench = CommissionBench { $0.attestationPolicy = .ask }
        bench.run(until: "decide true")
        let log = bench.log
        let other = CommissionerMachine.RequestID(rawValue: 999)
        #expect(bench.machine.readCompleted(other, .success(ReadResult()), now: bench.now).isEmpty)
        #expect(bench.machine.invokeCompleted(other, .failure(InteractionFailure(.timedOut)), now: bench.now).isEmpty)
        #expect(bench.machine.decided(other, proceeds: true, now: bench.now).isEmpty)
        #expect(bench.machine.operationalSessionEstablished(other, now: bench.now).isEmpty)
        #expect(bench.machine.operationalSessionFailed(other, .noAnswer, now: bench.now).isEmpty)
        #expect(bench.machine.journalled(other, now: bench.now).isEmpty)
        #expect(bench.log == log)
        bench.answer("decide true", .decision(true))
        #expect(bench.device != nil)
    }

    @Test func `nothing is asked when attestation is off`() {
        var bench = CommissionBench(FakeAuthority(verdict: FakeAuthority.refused)) { $0.attestationPolicy = .off }
        bench.run()
        #expect(
            !bench.log.contains { $0.contains("Attestation") || $0.contains("Chain") || $0.contains("attestation") })
        #expect(bench.log.last == "finished")
        #expect(bench.device?.verdict == nil)
    }

    // MARK: - A device that was here before

    @Test func `a membership that no longer counts is removed first`() {
        var bench = CommissionBench()
        bench.attributes[ConcreteAttributePath(0, 0x3E, 1)] = .array([CommissionBench.fabric(node: 0x99)])
        bench.run()
        let place = bench.log.firstIndex(of: "ArmFailSafe(60) pase") ?? 0
        #expect(
            Array(bench.log[(place + 1)...].prefix(2)) == ["RemoveFabric(2) pase", "note staleFabricRemoved 153"])
        #expect(bench.device?.replacedNode == NodeID(rawValue: 0x99))
    }

    @Test func `another fabric of the same id, or under the same root, is none of ours`() {
        var bench = CommissionBench { $0.knownNodes = [NodeID(rawValue: 0x99)] }
        bench.attributes[ConcreteAttributePath(0, 0x3E, 1)] = .array([
            CommissionBench.fabric(node: 0x99, root: [UInt8](repeating: 1, count: 65)),
            CommissionBench.fabric(node: 0x99, fabric: 6),
        ])
        bench.run()
        #expect(bench.log == goodRun)
    }

    @Test func `a breadcrumb of an earlier attempt is told`() {
        var bench = CommissionBench()
        bench.attributes[ConcreteAttributePath(0, 0x30, 0)] = .unsigned(9)
        bench.run()
        #expect(bench.notes == [.earlierAttempt(breadcrumb: 9)])
    }

    // MARK: - Journal

    @Test func `AddNOC and CommissioningComplete wait for their entries`() {
        var bench = CommissionBench()
        bench.isJournalSlow = true
        bench.run()
        #expect(bench.log.last == "AddTrustedRootCertificate pase")
        #expect(bench.machine.deadline == bench.now.advanced(by: .seconds(10)))
        bench.answer("journal addNOC")
        #expect(bench.log.last == "establish")
        bench.answer("journal complete")
        #expect(bench.log.last == "finished")
        #expect(bench.entries.map(\.stage) == [.addNOC, .complete])
        #expect(bench.entries.map(\.nodeID.rawValue) == [0x1234, 0x1234])
        // Armed some milliseconds after the start for 60 s; the entry errs upwards, by a second or two.
        for entry in bench.entries { #expect((1_000_060...1_000_062).contains(entry.failSafeEnds.rawValue)) }
    }

    @Test func `a journal that answers late or never ends it`() {
        for word in ["journal addNOC", "journal complete"] {
            var bench = CommissionBench()
            bench.isJournalSlow = true
            bench.run()
            if word == "journal complete" { bench.answer("journal addNOC") }
            bench.drain()
            #expect(bench.failure?.cause == .internalError)
            #expect(bench.settled == .clean)
        }
        var bench = CommissionBench()
        bench.isJournalSlow = true
        bench.run(until: "AddTrustedRootCertificate pase")
        bench.answer("journal addNOC", .failure(.timedOut))
        #expect(
            bench.log.suffix(4) == [
                "abandon", "ArmFailSafe(0) pase", "failed addRoot internalError clean", "settled clean",
            ])
    }

    // MARK: - Extending the fail-safe

    @Test func `the fail-safe is extended before a step that might outlast it, and the journal is told`() {
        var bench = CommissionBench()
        bench.run(until: "SetUTCTime pase")
        bench.now = bench.now.advanced(by: .seconds(14))
        bench.answers["CertificateChainRequest(2) pase"] = [.silence]
        bench.answer("SetUTCTime pase")
        bench.now = bench.now.advanced(by: .seconds(14))
        bench.answers["AddNOC pase"] = [.silence]
        bench.answer("CertificateChainRequest(2) pase")
        #expect(bench.log.filter { $0 == "ArmFailSafe(60) pase" }.count == 2)
        #expect(
            bench.log.firstIndex(of: "note failSafeExtended") ?? 0 < bench.log.firstIndex(of: "CSRRequest pase") ?? 0)
        bench.now = bench.now.advanced(by: .seconds(29))
        bench.answer("AddNOC pase")
        #expect(bench.log.last == "finished")
        #expect(bench.log.filter { $0 == "ArmFailSafe(60) pase" }.count == 3)
        #expect(bench.entries.map(\.stage) == [.addNOC, .complete, .complete])
        #expect(bench.entries[2].failSafeEnds > bench.entries[1].failSafeEnds)
    }

    @Test func `it is not extended past the device's limit`() {
        var bench = CommissionBench()
        bench.attributes[ConcreteAttributePath(0, 0x30, 1)] = .members((0, .unsigned(60)), (1, .unsigned(60)))
        bench.run(until: "AddNOC pase")
        bench.now = bench.now.advanced(by: .seconds(29))
        bench.answer("AddNOC pase")
        #expect(bench.log.last == "finished")
        #expect(bench.log.filter { $0.hasPrefix("ArmFailSafe") }.count == 1)
    }

    @Test(arguments: [
        CommissionBench.Answer.failure(.unreachable), .failure(.sessionClosed), .status(StatusIB(.busy)),
        .response(1, .members((0, .unsigned(4)))),
    ]) func `a device that cannot extend after AddNOC still gets its session`(_ answer: CommissionBench.Answer) {
        var bench = CommissionBench()
        bench.run(until: "AddNOC pase")
        bench.now = bench.now.advanced(by: .seconds(29))
        bench.answers["ArmFailSafe(60) pase"] = [answer]
        bench.answer("AddNOC pase")
        #expect(bench.log.last == "finished")
    }

    // MARK: - Operational session

    @Test func `silence is tried again at once, three times in all`() {
        var bench = CommissionBench()
        bench.answers["establish"] = [.operational(.noAnswer), .operational(.noAnswer)]
        bench.run()
        #expect(bench.log.filter { $0 == "establish" }.count == 3)
        #expect(bench.log.last == "finished")
        bench = CommissionBench()
        bench.answers["establish"] = [CommissionBench.Answer](repeating: .operational(.noAnswer), count: 3)
        bench.run()
        #expect(
            bench.log.suffix(3) == ["ArmFailSafe(0) pase", "failed operational deviceVanished clean", "settled clean"])
    }

    @Test func `a busy device is given its time`() {
        var bench = CommissionBench()
        bench.answers["establish"] = [CommissionBench.Answer](repeating: .operational(.busy(.seconds(2))), count: 5)
        bench.run()
        for _ in 0..<5 {
            #expect(bench.log.last == "establish")
            #expect(bench.machine.deadline == bench.now.advanced(by: .seconds(2)))
            bench.fire()
        }
        #expect(bench.log.last == "finished")
    }

    @Test func `an attempt that brings nothing in its time is dropped`() {
        var bench = CommissionBench()
        bench.run(until: "establish")
        #expect(bench.machine.deadline ?? bench.now <= bench.now.advanced(by: .seconds(30)))
        bench.fire()
        #expect(bench.log.contains("abandon"))
        #expect(bench.log.last == "finished")
    }

    @Test(arguments: [
        (OperationalFailure.noSharedTrustRoots, CommissioningCause.deviceRefused),
        (.handshake("bad signature"), .protocolError), (.busy(.seconds(20)), .deviceBusy),
    ]) func `a session that never comes is a failure that says why`(
        _ failure: OperationalFailure, _ cause: CommissioningCause
    ) {
        var bench = CommissionBench()
        bench.answers["establish"] = [CommissionBench.Answer](repeating: .operational(failure), count: 9)
        bench.run()
        bench.drain()
        #expect(bench.failure?.cause == cause)
        #expect(bench.failure?.stage == .operational)
        #expect(bench.settled == .clean)
    }
}
