import Conformance
import MatterNode
import MatterProtocol
import TestSupport
import Testing
import VirtualHome

/// A device that breaks a rule, and the cases that must see it: these and no others.
struct BrokenDevice: Sendable, CustomTestStringConvertible {
    var defect: DeviceDefect?
    var faults: [String] = []
    var failing: Set<String>

    init(_ defect: DeviceDefect, _ failing: String...) {
        self.defect = defect
        self.failing = Set(failing)
    }

    init(_ faults: [String], _ failing: String...) {
        self.faults = faults
        self.failing = Set(failing)
    }

    var testDescription: String { defect?.rawValue ?? faults.joined(separator: " ") }
}

@Suite("DeviceSuite", .serialized) struct DeviceSuiteTests {
    @Test func `a good device passes every case and is left as it was`() async throws {
        let (report, left, fabrics, isOpen) = try await DeviceBenchHome().run()
        for record in report.records { #expect(record.outcome == .passed, "\(record.name)") }
        #expect(report.records.flatMap(\.remarks).isEmpty)
        #expect(left.isEmpty && fabrics == 0 && isOpen)
        #expect(report.coverage.allSatisfy { !$0.cases.isEmpty })
        print("device suite: \(report.summary), \(report.records.count) cases")
    }

    @Test func `there are at least 35 cases, each with a meaning and a behaviour`() {
        let suite = DeviceSuite.suite
        #expect(suite.cases.count >= 35)
        for behaviour in suite.behaviours {
            #expect(suite.cases.contains { $0.behaviours.contains(behaviour.id) }, "\(behaviour.id)")
        }
    }

    private static let broken: [BrokenDevice] = [
        BrokenDevice(
            .noFailSafeNeeded, "order.csr-needs-failsafe", "order.root-needs-failsafe", "order.noc-needs-failsafe"),
        BrokenDevice(
            .keepsFabric, "failsafe.new-device", "failsafe.expiry-removes-fabric", "failsafe.expiry-removes-root",
            "failsafe.expiry-reopens"),
        BrokenDevice(.keepsRoot, "failsafe.expiry-removes-root"),
        BrokenDevice(.keepsBreadcrumb, "failsafe.expiry-clears-breadcrumb"),
        BrokenDevice(.keepsFailSafe, "failsafe.disconnect"),
        BrokenDevice(.keepsSessions, "removal.ends-sessions"),
        BrokenDevice(.deafToDisarm, "failsafe.disarm", "failsafe.disarm-rolls-back"),
        BrokenDevice(.stealsFailSafe, "failsafe.busy", "failsafe.open-window"),
        BrokenDevice(.completesOverPASE, "order.complete-over-pase"),
        BrokenDevice(.takesAnyNOC, "order.noc-of-another-key"),
        BrokenDevice(.takesSecondRoot, "order.root-twice"),
        BrokenDevice(.takesFabricTwice, "fabrics.twice"),
        BrokenDevice(.sharesLabels, "fabrics.label-conflict"),
        BrokenDevice(.weakStretching, "pase.parameters"),
        BrokenDevice(.endlessWindow, "window.attempt-limit"),
        BrokenDevice(.neverBusyWindow, "window.duplicate"),
        BrokenDevice(.weakWindow, "window.parameters"),
        BrokenDevice(.untimedWindow, "window.untimed"),
        BrokenDevice(.staysOpen, "complete.closes-window"),
        BrokenDevice(.staysClosed, "removal.commissionable-again"),
        BrokenDevice(.secondCommissioner, "pase.one-commissioner"),
        BrokenDevice(.everyoneAdministers, "acl.stranger-reads", "acl.stranger-commands"),
        BrokenDevice(.showsForeignFabrics, "fabrics.filtered"),
        BrokenDevice(.runsDuplicates, "message.duplicate-not-run"),
        BrokenDevice(.ignoresDuplicates, "message.duplicate-acknowledged"),
        BrokenDevice(.restartsOnGarbage, "message.malformed"),
        BrokenDevice(.wrongDiscriminator, "advertisement.txt", "advertisement.window"),
        BrokenDevice(["attestation:wrongNonce@1x*"], "attestation.nonce"),
        BrokenDevice(["attestation:wrongSignature@1x*"], "attestation.signature"),
        BrokenDevice(["csr:wrongNonce@1x*"], "csr.nonce"),
        BrokenDevice(["csr:wrongSignature@1x*"], "csr.signature"),
    ]

    @Test(arguments: broken)
    func `a broken device fails exactly the cases that are about it`(_ device: BrokenDevice) async throws {
        let (report, left, fabrics, isOpen) = try await DeviceBenchHome().run(
            faults: try FaultPlan(device.faults), defects: device.defect.map { [$0] } ?? []
        ) { order in
            // Twenty wrong passcodes are a third of a run: only for the device that they are about.
            if device.defect != .endlessWindow { order.passcodeAttempts = 10 }
        }
        var failing: Set<String> = []
        for record in report.records {
            switch record.outcome {
            case .passed: break
            case .failed(let failure):
                failing.insert(record.name)
                #expect(failure.rule?.hasPrefix("Core §") == true && failure.meaning != nil, "\(record.name)")
                if !device.failing.contains(record.name) { Issue.record("\(record.name): \(failure.summary)") }
            case .skipped where record.name == "window.attempt-limit" && device.defect != .endlessWindow: break
            case .skipped(let reason): Issue.record("\(record.name) skipped: \(reason)")
            case .interrupted: Issue.record("\(record.name) interrupted")
            }
        }
        #expect(failing == device.failing)
        #expect(left.isEmpty && fabrics == 0, "\(left)")
        #expect(isOpen == (device.defect != .staysClosed))
    }

    @Test func `every defect is tried`() {
        #expect(Set(Self.broken.compactMap(\.defect)) == Set(DeviceDefect.allCases))
    }
}
