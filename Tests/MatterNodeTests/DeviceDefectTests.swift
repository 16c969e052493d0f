import MatterProtocol
import MatterWire
import TestSupport
import Testing
import VirtualHome

@testable import MatterNode

/// Each defect breaks what it names and nothing else: what the conformance suite sees of them is in its own tests.
@Suite("DeviceDefect", .timeLimit(.minutes(1))) struct DeviceDefectTests {
    @Test(arguments: DeviceDefect.allCases.filter { $0 != .weakStretching })
    func `a device with a defect is commissioned and removed by a good controller`(_ defect: DeviceDefect) async throws
    {
        let home = try Home()
        try await home.withLight(defects: [defect]) { light in
            try await home.withController(port: 41) { controller in
                let node = NodeID(rawValue: 0x77)
                let outcome = await controller.commission(home.order(0x77), observer: StageObserver())
                #expect(outcome.report?.device.nodeID == node, "\(outcome)")
                _ = try await controller.invoke(home.command(2), on: node)
                #expect(await light.node.value(of: Home.onOff) == .bool(true))
                #expect(await controller.removeFabric(from: node, known: nil) == .removed)
                #expect(await light.node.fabrics.isEmpty)
                #expect(await light.node.isCommissionable == (defect != .staysClosed))
            }
        }
    }

    @Test func `a good controller gives no passcode to a device that stretches it too little`() async throws {
        let home = try Home()
        try await home.withLight(defects: [.weakStretching]) { _ in
            try await home.withController(port: 41) { controller in
                let outcome = await controller.commission(home.order(0x77), observer: StageObserver())
                guard case .refused(let reason)? = outcome.discoveryFailure?.cause else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(reason.contains("iterations or salt"), "\(reason)")
            }
        }
    }

    @Test func `names are told apart and say what they mean`() {
        #expect(Set(DeviceDefect.allCases.map(\.meaning)).count == DeviceDefect.allCases.count)
        #expect(DeviceDefect.allCases.allSatisfy { $0.rawValue.allSatisfy { $0.isLowercase || $0 == "-" } })
    }
}
