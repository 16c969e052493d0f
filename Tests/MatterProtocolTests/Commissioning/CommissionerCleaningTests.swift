@testable import MatterCrypto
import MatterProtocol
import MatterWire
import Testing

@Suite("Commissioner: what it cleans, and how it settles what it does not know") struct CommissionerCleaningTests {
    // MARK: - Cleaning before CommissioningComplete

    @Test func `a failure is told within a second, and its cleaning goes on`() {
        var bench = CommissionBench()
        bench.run(until: "CSRRequest pase")
        bench.answers["ArmFailSafe(0) pase"] = [.silence]
        bench.cancel()
        #expect(bench.failure == nil)
        #expect(bench.machine.deadline == bench.now.advanced(by: .milliseconds(800)))
        bench.fire()
        #expect(bench.failure?.deviceState == .cleaning)
        #expect(bench.failure?.failSafeEnds != nil)
        #expect(bench.settled == nil)
        bench.answer("ArmFailSafe(0) pase")
        #expect(bench.settled == .clean)
        #expect(bench.log.filter { $0.hasPrefix("failed") }.count == 1)
    }

    @Test func `when the device is gone its fail-safe does the cleaning`() {
        var bench = CommissionBench()
        bench.answers["AddNOC pase"] = [.failure(.unreachable)]
        bench.answers["ArmFailSafe(0) pase"] = [.failure(.unreachable)]
        bench.run()
        #expect(bench.log.last == "failed addNOC deviceVanished cleaning")
        let end = bench.failure?.failSafeEnds
        #expect(bench.machine.deadline == end)
        bench.fire()
        #expect(bench.log.last == "settled clean")
    }

    @Test func `without a PASE session nobody tries to end the fail-safe`() {
        var bench = CommissionBench()
        bench.run(until: "CSRRequest pase")
        bench.sessionClosed(.pase)
        #expect(bench.log.last == "failed csr deviceVanished cleaning")
        bench.drain()
        #expect(bench.settled == .clean)
    }

    @Test func `a PASE session that ends after AddNOC does no harm`() {
        var bench = CommissionBench()
        bench.run(until: "establish")
        bench.sessionClosed(.pase)
        bench.answer("establish")
        #expect(bench.log.last == "finished")
    }

    @Test(arguments: [(UInt64(0), true), (3, true), (4, true), (2, false)])
    func `the answer to the disarming tells whether the device is clean`(_ code: UInt64, _ isClean: Bool) {
        var bench = CommissionBench()
        bench.run(until: "CSRRequest pase")
        bench.answers["ArmFailSafe(0) pase"] = [.response(1, .members((0, .unsigned(code))))]
        bench.cancel()
        #expect((bench.settled == .clean) == isClean)
        bench.drain()
        #expect(bench.settled == .clean)
    }

    // MARK: - CommissioningComplete

    @Test(arguments: [
        InteractionFailure.Code.unreachable, .sessionClosed, .timedOut, .mismatchedAnswer,
        .malformed(TLVError(code: .truncated)),
    ]) func `a lost answer is settled over a new session`(_ code: InteractionFailure.Code) {
        var bench = CommissionBench()
        bench.answers["CommissioningComplete operational"] = [.failure(code)]
        bench.run()
        #expect(
            bench.log.suffix(4) == [
                "note outcomeUnknown", "establish", "CommissioningComplete operational", "finished",
            ])
    }

    @Test func `a device that has it already says that no fail-safe is armed, and shows our fabric`() {
        let disarmed = CommissionBench.Answer.response(5, .members((0, .unsigned(3)), (1, .utf8(""))))
        var bench = CommissionBench()
        bench.answers["CommissioningComplete operational"] = [.failure(.timedOut), disarmed]
        bench.answers["read 1 operational"] = [
            .attributes([ConcreteAttributePath(0, 0x3E, 1): .array([CommissionBench.fabric(node: 0x1234)])])
        ]
        bench.run()
        #expect(bench.log.suffix(2) == ["read 1 operational", "finished"])
        bench = CommissionBench()
        bench.answers["CommissioningComplete operational"] = [.failure(.timedOut), disarmed]
        bench.answers["read 1 operational"] = [.attributes([ConcreteAttributePath(0, 0x3E, 1): .array([])])]
        bench.run()
        bench.drain()
        #expect(bench.failure?.cause == .deadline)
        #expect(bench.settled == .clean)
    }

    @Test func `a device that gave up by itself is clean`() {
        var bench = CommissionBench()
        bench.answers["CommissioningComplete operational"] = [.failure(.timedOut)]
        bench.answers["establish"] = [.operational(nil), .operational(.noSharedTrustRoots)]
        bench.run()
        #expect(bench.log.suffix(2) == ["failed complete deadline clean", "settled clean"])
    }

    @Test func `a device that answers never again is unknown, and sought for its fail-safe's time and a minute`() {
        var bench = CommissionBench()
        bench.answers["CommissioningComplete operational"] = [.failure(.unreachable)]
        bench.answers["establish"] =
            [.operational(nil)] + [CommissionBench.Answer](repeating: .operational(.noAnswer), count: 500)
        bench.run()
        bench.fire()
        #expect(bench.failure?.cause == .deviceVanished)
        #expect(bench.failure?.deviceState == .unknown)
        #expect(bench.settled == nil)
        let start = bench.now
        bench.drain()
        #expect(bench.settled == .unknown)
        #expect(start.duration(to: bench.now) > .seconds(100))
        #expect(start.duration(to: bench.now) < .seconds(125))
    }

    @Test func `a cancel after CommissioningComplete finds the device again and removes the fabric`() {
        var bench = CommissionBench()
        bench.run(until: "CommissioningComplete operational")
        bench.sessionClosed(.operational)
        bench.answers["establish"] = [.operational(.noAnswer), .operational(.busy(.seconds(1)))]
        bench.cancel()
        #expect(bench.log.last == "establish")
        bench.drain()
        #expect(bench.failure?.deviceState == .unknown)
        #expect(bench.log.suffix(2) == ["RemoveFabric(2) operational", "settled clean"])
    }

    @Test func `without the fabric's index it is read first`() {
        var bench = CommissionBench()
        bench.answers["AddNOC pase"] = [.response(8, .members((0, .unsigned(0))))]
        bench.run(until: "CommissioningComplete operational")
        bench.answers["read 1 operational"] = [
            .failure(.timedOut), .attributes([ConcreteAttributePath(0, 0x3E, 5): .unsigned(3)]),
        ]
        bench.cancel()
        bench.drain()
        #expect(bench.log.suffix(2) == ["RemoveFabric(3) operational", "settled clean"])
    }

    @Test func `a removal without an answer is tried again, and a device without our root is clean`() {
        var bench = CommissionBench()
        bench.run(until: "CommissioningComplete operational")
        bench.answers["RemoveFabric(2) operational"] = [.failure(.sessionClosed)]
        bench.answers["establish"] = [.operational(.noSharedTrustRoots)]
        bench.cancel()
        bench.drain()
        #expect(bench.settled == .clean)
    }

    @Test func `a refused CommissioningComplete leaves the fail-safe to clean`() {
        var bench = CommissionBench()
        bench.answers["CommissioningComplete operational"] = [
            .response(5, .members((0, .unsigned(2)), (1, .utf8("no"))))
        ]
        bench.run()
        #expect(
            bench.log.suffix(3) == ["ArmFailSafe(0) pase", "failed complete deviceRefused clean", "settled clean"])
        #expect(
            bench.failure?.peerStatus
                == .command("CommissioningComplete", code: 2, name: "InvalidAuthentication", text: "no"))
    }
}
