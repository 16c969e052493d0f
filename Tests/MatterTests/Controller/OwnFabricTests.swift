import Dispatch
import Matter
import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import Testing
import VirtualHome

/// A fabric of an app's own, from the factory to RemoveFabric, against a light on a network in memory.
@Suite("MTRDeviceController", .timeLimit(.minutes(1))) struct OwnFabricTests {
    private let home: Home

    init() throws { home = try Home() }

    // MARK: - The whole way

    @Test func `commissions, opens a window for another administrator, and takes the device off`() async throws {
        try await home.withLight { light in
            let app = try AppSide(home, port: 71)
            let controller = try app.controller()
            #expect(controller.isRunning && controller.controllerNodeID != nil)
            #expect(try await app.commission(controller, home.setupPayload, 0x55) == .complete(nil, 0x55))
            #expect(await light.node.fabrics.map(\.nodeID.rawValue) == [0x55])
            #expect(await light.node.fabrics.map(\.fabricID.rawValue) == [1])

            let device = MTRDevice(nodeID: 0x55, controller: controller)
            let window = try await device.openCommissioningWindow(
                withDiscriminator: 0xABC, duration: 480, queue: app.delegate.queue)
            #expect(window.discriminator == 0xABC)
            #expect(window.vendorID.uint16Value == 0xFFF1)
            let code = try #require(window.qrCodeString())
            let payload = try ParsedOnboardingPayload(code).validated()
            try await home.withController(port: 41) { hub in
                let joined = await hub.commission(home.order(0x77, payload: payload), observer: StageObserver())
                #expect(joined.report != nil, "\(joined)")
            }

            let base = MTRBaseDevice(nodeID: 0x55, controller: controller)
            let credentials = try #require(
                MTRBaseClusterOperationalCredentials(device: base, endpointID: 0, queue: app.delegate.queue))
            let params = MTROperationalCredentialsClusterRemoveFabricParams()
            params.fabricIndex = try await credentials.readAttributeCurrentFabricIndex()
            let answer = try await credentials.removeFabric(with: params)
            #expect(answer.statusCode == 0)
            #expect(await light.node.fabrics.map(\.nodeID.rawValue) == [0x77])
            controller.shutdown()
            #expect(!controller.isRunning && controller.controllerNodeID == nil)
        }
    }

    @Test func `an app that starts again takes its fabric up, and finds its device`() async throws {
        try await home.withLight { light in
            let app = try AppSide(home, port: 71)
            let first = try app.controller()
            let id = first.controllerNodeID
            #expect(try await app.commission(first, home.setupPayload, 0x55) == .complete(nil, 0x55))
            first.shutdown()
            app.factory.stop()
            #expect(!app.factory.isRunning)

            let again = try AppSide(home, port: 81, storage: app.storage, keypair: app.keypair)
            try again.start()
            let second = try again.factory.createController(onExistingFabric: again.startup)
            #expect(second.controllerNodeID == id)
            let window = try await MTRBaseDevice(nodeID: 0x55, controller: second).openCommissioningWindow(
                withDiscriminator: 1, duration: 180, queue: .global())
            #expect(window.manualEntryCode()?.count == 11)
            #expect(await light.node.fabrics.count == 1)
            second.shutdown()
        }
    }

    @Test func `a key pair may sign in DER, and the root that it makes is the app's`() async throws {
        try await home.withLight { light in
            let app = try AppSide(home, port: 71, keypair: try AppKeypair(seed: 5, .der))
            let controller = try app.controller()
            #expect(try await app.commission(controller, home.setupPayload, 0x55) == .complete(nil, 0x55))
            // The fabric is the one that this root and this id make.
            let compressed = try FabricKeys.compressedFabricID(
                rootPublicKey: P256PublicKey(bytes: [UInt8](app.keypair.copyPublicKey().x963Representation)),
                fabricID: FabricID(rawValue: 1))
            #expect(await light.node.fabrics.map(\.compressedFabricID) == [compressed])
            controller.shutdown()
        }
    }

    // MARK: - Attestation

    /// Judges as an app would.
    private final class Judge: NSObject, MTRDeviceAttestationDelegate, Sendable {
        enum Answer: Sendable { case ignore, goOn, silent }
        let answer: Answer
        let infos = Locked<[(MTRDeviceAttestationDeviceInfo, Bool)]>([])
        let asked: AsyncStream<Void>
        private let ask: AsyncStream<Void>.Continuation
        init(_ answer: Answer) {
            self.answer = answer
            (asked, ask) = AsyncStream.makeStream()
        }
        func deviceAttestationCompleted(
            for controller: MTRDeviceController, opaqueDeviceHandle: UnsafeMutableRawPointer,
            attestationDeviceInfo: MTRDeviceAttestationDeviceInfo, error: (any Error)?
        ) {
            infos.withLock { $0.append((attestationDeviceInfo, error == nil)) }
            ask.yield()
            guard answer != .silent else { return }
            do {
                try controller.continueCommissioningDevice(
                    opaqueDeviceHandle, ignoreAttestationFailure: answer == .ignore)
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test func `the delegate sees the credentials, and lets the device in`() async throws {
        try await home.withLight { _ in
            let app = try AppSide(home, port: 71)
            let controller = try app.controller()
            let judge = Judge(.goOn)
            let params = MTRCommissioningParameters()
            params.deviceAttestationDelegate = judge
            params.failSafeTimeout = 90
            #expect(try await app.commission(controller, home.setupPayload, 0x55, params) == .complete(nil, 0x55))
            let (info, isGood) = try #require(judge.infos.withLock { $0.first })
            #expect(isGood)
            #expect(info.dacCertificate == Data(home.identity.attestation.dac))
            #expect(info.dacPAICertificate == Data(home.identity.attestation.pai))
            #expect(info.certificateDeclaration == Data(home.identity.attestation.certificationDeclaration))
            #expect(info.vendorID?.uint16Value == 0xFFF1)
            controller.shutdown()
        }
    }

    @Test func `a delegate that only hears of failures lets a good device in without a word`() async throws {
        final class Quiet: NSObject, MTRDeviceAttestationDelegate, Sendable {
            func deviceAttestationFailed(
                for controller: MTRDeviceController, opaqueDeviceHandle: UnsafeMutableRawPointer, error: any Error
            ) { Issue.record("\(error)") }
        }
        try await home.withLight { _ in
            let app = try AppSide(home, port: 71)
            let controller = try app.controller()
            let params = MTRCommissioningParameters()
            let delegate = Quiet()
            params.deviceAttestationDelegate = delegate
            #expect(try await app.commission(controller, home.setupPayload, 0x55, params) == .complete(nil, 0x55))
            controller.shutdown()
        }
    }

    @Test func `cancelled while the delegate thinks, the device is as it was`() async throws {
        try await home.withLight { light in
            let app = try AppSide(home, port: 71)
            let controller = try app.controller()
            let judge = Judge(.silent)
            let params = MTRCommissioningParameters()
            params.deviceAttestationDelegate = judge
            try controller.setupCommissioningSession(with: home.setupPayload, newNodeID: 0x55)
            _ = (await app.delegate.next(), await app.delegate.next())
            try controller.commissionNode(withID: 0x55, commissioningParams: params)
            for await _ in judge.asked { break }
            try controller.cancelCommissioning(forNodeID: 0x55)
            #expect(await app.delegate.next() == .complete(.matter(.cancelled), nil))
            await until { await light.isFresh }
            #expect(try await app.commission(controller, home.setupPayload, 0x56) == .complete(nil, 0x56))
            controller.shutdown()
        }
    }

    // MARK: - Errors, as the app sees them

    @Test func `a wrong passcode fails the session, and the right one works at once`() async throws {
        try await home.withLight { _ in
            let app = try AppSide(home, port: 71)
            let controller = try app.controller()
            let wrong = home.setupPayload
            wrong.setupPasscode = NSNumber(value: home.identity.passcode.rawValue == 1 ? 2 : 1)
            try controller.setupCommissioningSession(with: wrong, newNodeID: 0x55)
            #expect(await app.delegate.next() == .status(.failed))
            #expect(await app.delegate.next() == .session(.matter(.generalError)))
            #expect(try await app.commission(controller, home.setupPayload, 0x55) == .complete(nil, 0x55))
            controller.shutdown()
        }
    }

    @Test func `a silent device is a timeout`() async throws {
        try await home.withLight { _ in
            let app = try AppSide(home, port: 71)
            let controller = try app.controller()
            home.network.cut(port: Home.devicePort)
            try controller.setupCommissioningSession(with: home.setupPayload, newNodeID: 0x55)
            await home.whileTimePasses {
                #expect(await app.delegate.next() == .status(.failed))
                #expect(await app.delegate.next() == .session(.matter(.timeout)))
            }
            controller.shutdown()
        }
    }

    @Test func `a device that is on the fabric already is told as such, and stays as it is`() async throws {
        try await home.withLight { light in
            let app = try AppSide(home, port: 71)
            let controller = try app.controller()
            #expect(try await app.commission(controller, home.setupPayload, 0x55) == .complete(nil, 0x55))
            let window = try await MTRDevice(nodeID: 0x55, controller: controller).openCommissioningWindow(
                withDiscriminator: 5, duration: 180, queue: .global())
            #expect(try await app.commission(controller, window, 0x56) == .complete(.matter(.fabricExists), nil))
            #expect(await light.node.fabrics.map(\.nodeID.rawValue) == [0x55])
            controller.shutdown()
        }
    }

    @Test func `calls at the wrong time are refused as an invalid state`() async throws {
        try await home.withLight { _ in
            let app = try AppSide(home, port: 71)
            func refused(_ body: () throws -> Void) {
                let error = #expect(throws: MTRError.self) { try body() }
                #expect(error?.code == .invalidState, "\(String(describing: error))")
            }
            refused { _ = try app.factory.createController(onNewFabric: app.startup) }
            let controller = try app.controller()
            refused { _ = try app.factory.createController(onExistingFabric: app.startup) }
            refused { try controller.commissionNode(withID: 0x55, commissioningParams: MTRCommissioningParameters()) }
            refused { try controller.cancelCommissioning(forNodeID: 0x55) }
            refused {
                let handle = try #require(UnsafeMutableRawPointer(bitPattern: 1))
                try controller.continueCommissioningDevice(handle, ignoreAttestationFailure: true)
            }
            try controller.setupCommissioningSession(with: home.setupPayload, newNodeID: 0x55)
            refused { try controller.setupCommissioningSession(with: home.setupPayload, newNodeID: 0x56) }
            _ = (await app.delegate.next(), await app.delegate.next())
            refused { try controller.commissionNode(withID: 0x56, commissioningParams: MTRCommissioningParameters()) }
            controller.shutdown()
            controller.shutdown()
            refused { try controller.setupCommissioningSession(with: home.setupPayload, newNodeID: 0x55) }
            let device = MTRBaseDevice(nodeID: 0x55, controller: controller)
            let error = await #expect(throws: MTRError.self) {
                try await device.openCommissioningWindow(withDiscriminator: 1, duration: 180, queue: .global())
            }
            #expect(error?.code == .invalidState)
        }
    }

    @Test func `parameters that make no sense are invalid arguments`() throws {
        let app = try AppSide(home, port: 71)
        try app.start()
        func refused(
            ipk: Int = 16, fabric: NSNumber = 1, _ change: (MTRDeviceControllerStartupParams) -> Void = { _ in }
        ) {
            let params = MTRDeviceControllerStartupParams(
                ipk: Data(repeating: 1, count: ipk), fabricID: fabric, nocSigner: app.keypair)
            params.vendorID = 0xFFF1
            change(params)
            let error = #expect(throws: MTRError.self) { try app.factory.createController(onNewFabric: params) }
            #expect(error?.code == .invalidArgument)
        }
        refused(ipk: 15)
        refused(fabric: 0)
        refused { $0.vendorID = nil }
        refused { $0.vendorID = 0 }
        refused { $0.nodeID = 0 }
        var error = #expect(throws: MTRError.self) { try app.factory.createController(onExistingFabric: app.startup) }
        #expect(error?.code == .generalError)
        let controller = try app.factory.createController(onNewFabric: app.startup)
        controller.shutdown()
        error = #expect(throws: MTRError.self) { try app.factory.createController(onNewFabric: app.startup) }
        #expect(error?.code == .invalidArgument)
        error = #expect(throws: MTRError.self) {
            try controller.setupCommissioningSession(with: home.setupPayload, newNodeID: 0)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test(arguments: [AppKeypair.Way.wrong, .none])
    fileprivate func `a key pair that does not sign makes no fabric`(_ way: AppKeypair.Way) throws {
        let app = try AppSide(home, port: 71, keypair: try AppKeypair(seed: 5, way))
        try app.start()
        let error = #expect(throws: MTRError.self) { try app.factory.createController(onNewFabric: app.startup) }
        #expect(error?.code == .generalError)
        #expect(app.storage.keys.isEmpty)
    }

    @Test func `a store that is full or damaged is told`() throws {
        let app = try AppSide(home, port: 71)
        try app.start()
        let controller = try app.factory.createController(onNewFabric: app.startup)
        controller.shutdown()
        app.storage.damage()
        var error = #expect(throws: MTRError.self) { try app.factory.createController(onExistingFabric: app.startup) }
        #expect(error?.code == .tlvDecodeFailed)
        let full = try AppSide(home, port: 81)
        try full.start()
        full.storage.fill()
        error = #expect(throws: MTRError.self) { try full.factory.createController(onNewFabric: full.startup) }
        #expect(error?.code == .generalError)
    }

    @Test func `a certificate that is none is refused at the start`() throws {
        let app = try AppSide(home, port: 71)
        let error = #expect(throws: MTRError.self) { try app.start(paa: [Data([0x30, 0x00])]) }
        #expect(error?.code == .invalidArgument)
        #expect(!app.factory.isRunning)
    }

    @Test func `what the device refuses comes with its own status`() async throws {
        try await home.withLight { _ in
            let app = try AppSide(home, port: 71)
            let controller = try app.controller()
            #expect(try await app.commission(controller, home.setupPayload, 0x55) == .complete(nil, 0x55))
            let device = MTRBaseDevice(nodeID: 0x55, controller: controller)
            _ = try await device.openCommissioningWindow(withDiscriminator: 1, duration: 180, queue: .global())
            let busy = await #expect(throws: MTRInteractionError.self) {
                try await device.openCommissioningWindow(withDiscriminator: 1, duration: 180, queue: .global())
            }
            #expect(busy?.code == .failure && busy?.clusterStatus == 2)
            for (discriminator, duration) in [(4096, 180), (1, 179), (1, 901)] as [(NSNumber, NSNumber)] {
                let error = await #expect(throws: MTRError.self) {
                    try await device.openCommissioningWindow(
                        withDiscriminator: discriminator, duration: duration, queue: .global())
                }
                #expect(error?.code == .invalidIntegerValue)
            }
            home.network.cut(port: Home.devicePort)
            let gone = await home.whileTimePasses {
                await #expect(throws: MTRError.self) {
                    try await device.openCommissioningWindow(withDiscriminator: 1, duration: 180, queue: .global())
                }
            }
            #expect(gone?.code == .timeout)
            controller.shutdown()
        }
    }
}
