@testable import MatterSupport
import MatterWire
import SetupDoubles
import Testing

@Suite("SetupFlow") struct SetupFlowTests {
    typealias Flow = SetupFlow

    static let code = try! SetupCode("MT:Y.K90AFN00KA0648G00", address: "127.0.0.1:5540")
    static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    static let homes: [Flow.Home] = [.init(displayName: "House"), .init(displayName: "Hut")]
    static let rooms: [Flow.Room] = [.init(displayName: "Kitchen"), .init(displayName: "Hall")]
    static let scan = [
        MatterAddDeviceExtensionRequestHandler.WiFiScanResult(
            ssid: Data("Net".utf8), rssi: -40, security: .wpa3Personal, band: .band5G)
    ]
    static let threadScan = [
        MatterAddDeviceExtensionRequestHandler.ThreadScanResult(
            networkName: "T", panID: 1, extendedPANID: 2, channel: 15, extendedAddress: Data(), rssi: -1, version: 4,
            linkQualityIndicator: 1)
    ]
    static let device = PhoneDevice(
        nodeID: NodeID(rawValue: 9), credential: FakePhone.credential, networks: [.wifi, .thread])

    static func plan(
        homes: [Flow.Home] = [Self.homes[0]], phone: Bool = false,
        criteria: MatterAddDeviceRequest.DeviceCriteria = .allDevices
    ) -> Flow.Plan {
        Flow.Plan(
            topology: .init(ecosystemName: "E", homes: homes), criteria: criteria, code: nil, usesPhoneFabric: phone,
            wifi: nil, thread: nil, scansNetworks: true, commissioningID: id)
    }

    static func examination(_ needs: NetworkNeeds = []) -> PhoneExamination {
        PhoneExamination(credential: FakePhone.credential, networks: needs)
    }

    // MARK: - Arrows

    @Test func `phone off, one home, no rooms`() {
        var flow = Flow(Self.plan())
        #expect(flow.step == nil)
        #expect(flow.handle(.started) == .scanCode)
        #expect(flow.step == .scan)
        #expect(flow.handle(.codeScanned(Self.code)) == .examine(Self.code))
        #expect(flow.step == .device)
        #expect(flow.handle(.examined(Self.examination())) == .call(.validate(FakePhone.credential)))
        #expect(flow.step == .validate)
        #expect(flow.handle(.answered(.done)) == .call(.rooms(Self.homes[0])))
        #expect(flow.step == .rooms)
        #expect(flow.handle(.answered(.rooms([]))) == .askName)
        #expect(flow.step == .name)
        #expect(
            flow.handle(.named("Lamp")) == .call(.commission(Self.homes[0], payload: Self.code.payload, id: Self.id)))
        #expect(flow.step == .commission)
        #expect(flow.handle(.answered(.done)) == .call(.configure(name: "Lamp", room: nil)))
        #expect(flow.step == .configure)
        let report = flow.report
        #expect(flow.handle(.answered(.done)) == .finish(.success(report)))
        #expect(flow.isFinished && flow.step == nil)
        #expect(report.name == "Lamp" && report.room == nil && report.home == Self.homes[0] && report.phone == nil)
        #expect(report.skippedValidation == nil && report.commissionedWith == Self.code.payload)
    }

    @Test func `phone on, two homes, rooms, both networks`() {
        var flow = Flow(Self.plan(homes: Self.homes, phone: true))
        _ = flow.handle(.started)
        #expect(flow.handle(.codeScanned(Self.code)) == .pickHome(Self.homes))
        #expect(flow.step == .home)
        #expect(flow.handle(.homePicked(Self.homes[1])) == .join(Self.code))
        let device = Self.device
        #expect(flow.handle(.joined(device)) == .call(.validate(FakePhone.credential)))
        #expect(flow.handle(.answered(.done)) == .call(.selectWiFi([])))
        #expect(flow.step == .wifi)
        let wifi = ExtensionAnswer.wifi(.network(ssid: Data([1]), credentials: Data([2])))
        #expect(flow.handle(.answered(wifi)) == .call(.selectThread([])))
        #expect(flow.step == .thread)
        #expect(flow.handle(.answered(.thread(.defaultSystemNetwork))) == .call(.rooms(Self.homes[1])))
        #expect(flow.handle(.answered(.rooms(Self.rooms))) == .pickRoom(Self.rooms))
        #expect(flow.step == .room)
        #expect(flow.handle(.roomPicked(Self.rooms[1])) == .askName)
        #expect(flow.handle(.named("Lamp")) == .openWindow(device))
        #expect(flow.step == .window)
        #expect(
            flow.handle(.windowOpened("MT:NEW")) == .call(.commission(Self.homes[1], payload: "MT:NEW", id: Self.id)))
        #expect(flow.handle(.answered(.done)) == .call(.configure(name: "Lamp", room: Self.rooms[1])))
        let report = flow.report
        #expect(flow.handle(.answered(.done)) == .finish(.success(report)))
        #expect(report.phone == device)
        #expect(report.wifi == .network(ssid: Data([1]), credentials: Data([2])))
        #expect(report.thread == .defaultSystemNetwork)
    }

    @Test func `without homes every call gets none`() {
        var flow = Flow(Self.plan(homes: []))
        _ = flow.handle(.started)
        #expect(flow.handle(.codeScanned(Self.code)) == .examine(Self.code))
        _ = flow.handle(.examined(Self.examination()))
        #expect(flow.handle(.answered(.done)) == .call(.rooms(nil)))
    }

    @Test func `a code that the app gives is not scanned`() {
        var plan = Self.plan()
        plan.code = Self.code
        var flow = Flow(plan)
        #expect(flow.handle(.started) == .examine(Self.code))
    }

    @Test func `without a credential validate is skipped, and the report says why`() {
        var flow = Flow(Self.plan())
        _ = flow.handle(.started)
        _ = flow.handle(.codeScanned(Self.code))
        let found = PhoneExamination(credential: nil, credentialMissing: "no second PASE")
        #expect(flow.handle(.examined(found)) == .call(.rooms(Self.homes[0])))
        #expect(flow.report.skippedValidation == "no second PASE")
    }

    @Test func `listed networks make the extension choose, and none are listed without a scan`() {
        var plan = Self.plan()
        plan.wifi = Self.scan
        plan.thread = Self.threadScan
        var flow = Self.validating(plan)
        #expect(flow.handle(.answered(.done)) == .call(.selectWiFi(Self.scan)))
        #expect(flow.handle(.answered(.wifi(.defaultSystemNetwork))) == .call(.selectThread(Self.threadScan)))
        plan.scansNetworks = false
        flow = Self.validating(plan)
        #expect(flow.handle(.answered(.done)) == .call(.selectWiFi([])))
        #expect(flow.handle(.answered(.wifi(.defaultSystemNetwork))) == .call(.selectThread([])))
    }

    @Test func `only Thread`() {
        var flow = Flow(Self.plan())
        _ = flow.handle(.started)
        _ = flow.handle(.codeScanned(Self.code))
        _ = flow.handle(.examined(Self.examination(.thread)))
        #expect(flow.handle(.answered(.done)) == .call(.selectThread([])))
    }

    @Test func `going on without a room`() {
        var flow = Self.at(.room, phone: false)
        #expect(flow.handle(.roomPicked(nil)) == .askName)
        #expect(flow.report.room == nil)
    }

    @Test func `a device that the request does not show is refused`() {
        var flow = Flow(Self.plan(criteria: .vendorID(1)))
        _ = flow.handle(.started)
        guard case .finish(.failure(let failure)) = flow.handle(.codeScanned(Self.code)),
            case .setup(let error) = failure.cause
        else { return #expect(Bool(false)) }
        #expect(error.code == .deviceNotShown && failure.step == .scan)
        #expect(error.message.contains("vendor 65521"))
    }

    @Test func `a home or room that was not offered is refused`() {
        var flow = Self.at(.home, phone: false)
        guard case .finish(.failure(let failure)) = flow.handle(.homePicked(.init(displayName: "Elsewhere"))) else {
            return #expect(Bool(false))
        }
        #expect(failure.step == .home)
        flow = Self.at(.room, phone: true)
        #expect(flow.handle(.roomPicked(.init(displayName: "Attic"))) == .remove(Self.device))
    }

    // MARK: - Failures, at every step

    static let joinedSteps: [MatterSetupStep] = [
        .validate, .wifi, .thread, .rooms, .room, .name, .window, .commission, .configure,
    ]

    @Test(arguments: MatterSetupStep.allCases, [false, true])
    func `a failure ends the setup, and takes the phone off a device that it joined`(
        _ step: MatterSetupStep, _ phone: Bool
    ) {
        guard phone || step != .window else { return }
        for cause in [SetupFailure.Cause.cancelled, .handler(PortableError(domain: "d", code: 1))] {
            var flow = Self.at(step, phone: phone)
            #expect(flow.step == step)
            let expected = Flow.Action.finish(.failure(SetupFailure(cause, at: step)))
            guard phone, Self.joinedSteps.contains(step) else {
                #expect(flow.handle(.failed(cause)) == expected)
                continue
            }
            #expect(flow.handle(.failed(cause)) == .remove(Self.device))
            #expect(flow.step == nil)
            #expect(flow.handle(.failed(.cancelled)) == .none)
            #expect(flow.handle(.removed) == expected)
            #expect(flow.isFinished)
        }
    }

    @Test func `a device that joins after the cancel is taken off again`() {
        var flow = Self.at(.device, phone: true)
        #expect(flow.stopped(.cancelled, late: .joined(Self.device)) == .remove(Self.device))
        #expect(flow.handle(.removed) == .finish(.failure(SetupFailure(.cancelled, at: .device))))
        flow = Self.at(.commission, phone: false)
        #expect(
            flow.stopped(.cancelled, late: .answered(.done))
                == .finish(.failure(SetupFailure(.cancelled, at: .commission))))
    }

    @Test(arguments: [MatterSetupStep.validate, .wifi, .thread, .rooms, .commission, .configure])
    func `an answer of another kind is the extension's fault`(_ step: MatterSetupStep) {
        var flow = Self.at(step, phone: false)
        let wrong: ExtensionAnswer = step == .rooms ? .done : .rooms([])
        guard case .finish(.failure(let failure)) = flow.handle(.answered(wrong)),
            case .setup(let error) = failure.cause
        else { return #expect(Bool(false)) }
        #expect(error.code == .extensionGarbled && failure.step == step)
    }

    // MARK: - Refused events

    @Test(arguments: [false, true]) func `what a state does not wait for changes nothing`(_ phone: Bool) {
        let events: [(name: String, event: Flow.Event)] = [
            ("started", .started), ("codeScanned", .codeScanned(Self.code)), ("homePicked", .homePicked(Self.homes[0])),
            ("examined", .examined(Self.examination())), ("joined", .joined(Self.device)),
            ("answered", .answered(.done)), ("roomPicked", .roomPicked(nil)), ("named", .named("N")),
            ("windowOpened", .windowOpened("W")), ("removed", .removed), ("failed", .failed(.cancelled)),
        ]
        func accepted(_ step: MatterSetupStep) -> String {
            switch step {
            case .scan: "codeScanned"
            case .home: "homePicked"
            case .device: phone ? "joined" : "examined"
            case .validate, .wifi, .thread, .rooms, .commission, .configure: "answered"
            case .room: "roomPicked"
            case .name: "named"
            case .window: "windowOpened"
            }
        }
        for step in MatterSetupStep.allCases where phone || step != .window {
            for (name, event) in events where name != accepted(step) && name != "failed" {
                var flow = Self.at(step, phone: phone)
                let before = flow.report
                #expect(flow.handle(event) == .none, "\(name) at \(step)")
                #expect(flow.step == step && flow.report == before)
            }
        }
        for (name, event) in events {
            var idle = Flow(Self.plan())
            if name != "started" { #expect(idle.handle(event) == .none && idle.step == nil && !idle.isFinished) }
            var finished = Self.at(.scan, phone: false)
            _ = finished.handle(.failed(.cancelled))
            #expect(finished.handle(event) == .none && finished.isFinished)
            var cleaning = Self.at(.name, phone: true)
            _ = cleaning.handle(.failed(.cancelled))
            if name != "removed" { #expect(cleaning.handle(event) == .none && !cleaning.isFinished) }
        }
    }

    // MARK: - Ways to a state

    static func validating(_ plan: Flow.Plan) -> Flow {
        var flow = Flow(plan)
        _ = flow.handle(.started)
        _ = flow.handle(.codeScanned(code))
        _ = flow.handle(.examined(examination()))
        return flow
    }

    /// A setup of a device that needs everything, at a step.
    static func at(_ step: MatterSetupStep, phone: Bool) -> Flow {
        var flow = Flow(plan(homes: homes, phone: phone))
        let way: [(MatterSetupStep, Flow.Event)] = [
            (.scan, .started), (.home, .codeScanned(code)), (.device, .homePicked(homes[0])),
            (.validate, phone ? .joined(device) : .examined(examination([.wifi, .thread]))),
            (.wifi, .answered(.done)), (.thread, .answered(.wifi(.defaultSystemNetwork))),
            (.rooms, .answered(.thread(.defaultSystemNetwork))), (.room, .answered(.rooms(rooms))),
            (.name, .roomPicked(rooms[0])), (.window, .named("Lamp")), (.commission, .windowOpened("MT:NEW")),
            (.configure, .answered(.done)),
        ]
        for (reached, event) in way where phone || reached != .commission {
            // Without the phone's fabric the name leads to the commissioning.
            _ = flow.handle(event)
            if reached == step || (!phone && reached == .window && step == .commission) { break }
        }
        return flow
    }
}
