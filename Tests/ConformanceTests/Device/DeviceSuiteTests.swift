import Conformance
import MatterNode
import MatterProtocol
import MatterWire
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

    @Test(arguments: ["any:corrupt@1x*", "any:silence@60x*", "any:closeSession@30x*", "any:duplicate@1x*"])
    func `a run ends, and says something of every case, whatever the device does`(_ fault: String) async throws {
        let (report, _, _, _) = try await DeviceBenchHome().run(faults: try FaultPlan([fault])) { order in
            order.passcodeAttempts = 10
        }
        #expect(report.records.count == DeviceSuite.suite.cases.count)
        for record in report.records {
            #expect(record.outcome != .interrupted, "\(record.name)")
            if case .failed(let failure) = record.outcome {
                #expect(failure.meaning != nil && failure.rule != nil, "\(record.name): \(failure.summary)")
                // Errors of our own are no findings.
                #expect(failure.expected != "the case to go on", "\(record.name): \(failure.seen)")
            }
        }
        // A message that comes twice as two messages is no handshake either.
        #expect(report.hasFailures)
    }

    @Test func `no report of a run has the passcode or the code`() async throws {
        let bench = try DeviceBenchHome()
        let (report, _, _, _) = try await bench.run(defects: [.staysOpen], only: ["pase", "complete"])
        let payload = bench.home.identity.payload
        let texts = [
            TAPReport.text(report), JUnitReport.text(report), HTMLReport.text(report), LineReport.summary(report),
        ]
        let (qr, manual) = (try #require(payload.qrCode), try #require(payload.manualCode))
        for text in texts {
            #expect(!text.contains(String(payload.passcode.rawValue)))
            #expect(!text.contains(qr) && !text.contains(manual))
        }
    }

    @Test func `every defect is tried`() {
        #expect(Set(Self.broken.compactMap(\.defect)) == Set(DeviceDefect.allCases))
    }
}
