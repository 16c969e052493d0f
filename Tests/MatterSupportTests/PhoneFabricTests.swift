import Foundation
import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import Testing
import VirtualHome

@testable import MatterSupport

/// The phone's own fabric against a light, on a network in memory (design: phone fabric on and off).
@Suite("PhoneFabric", .timeLimit(.minutes(1))) struct PhoneFabricTests {
    private let home: Home
    private let folder = PhoneFolder()

    init() throws { home = try Home() }

    // MARK: - Phone's fabric off

    @Test func `examines a device, and the hub gets in afterwards`() async throws {
        try await home.withLight { light in
            let phone = home.phone(folder)
            let found = try await phone.examine(home.code, address: home.place)
            let credential = try #require(found.credential)
            let attestation = home.identity.attestation
            #expect(credential.deviceAttestationCertificate == Data(attestation.dac))
            #expect(credential.productAttestationIntermediateCertificate == Data(attestation.pai))
            #expect(credential.certificationDeclaration == Data(attestation.certificationDeclaration))
            #expect(found.credentialMissing == nil)
            #expect(found.networks.isEmpty)
            try await home.withController(port: 41) { hub in
                #expect(await hub.commission(home.order(0x77), observer: StageObserver()).report != nil)
            }
            #expect(await light.node.fabrics.count == 1)
        }
    }

    @Test func `strict refuses what this machine does not trust, and leaves the device open`() async throws {
        try await home.withLight { light in
            let strict = home.phone(folder, attestation: .strict, trust: try AttestationTrustStore())
            var error = await #expect(throws: PhoneFailure.self) {
                try await strict.examine(home.code, address: home.place)
            }
            #expect(error?.code == .attestationRefused)
            #expect(await light.isFresh)
            error = await #expect(throws: PhoneFailure.self) {
                try await strict.commission(home.code, address: home.place) { _ in }
            }
            #expect(error?.code == .attestationRefused)
            #expect(error?.deviceState == .clean)
            await until { await light.isFresh }
            let trusting = home.phone(PhoneFolder(), port: 62, attestation: .strict)
            #expect(try await trusting.examine(home.code, address: home.place).credential != nil)
        }
    }

    // MARK: - Phone's fabric on

    @Test func `commissions, opens a window for the hub, and leaves it alone when it goes`() async throws {
        try await home.withLight { light in
            let phone = home.phone(folder)
            let stages = StageLog()
            let device = try await phone.commission(home.code, address: home.place) { stages.entered($0) }
            #expect(stages.all == CommissioningStage.allCases.filter { $0 != .regulatory }.map(\.rawValue))
            #expect(device.credential.deviceAttestationCertificate == Data(home.identity.attestation.dac))
            #expect(device.networks.isEmpty)
            #expect(try await phone.standing().members == [device.nodeID])
            let code = try await phone.openWindow(on: device)
            #expect(code.hasPrefix("MT:"))
            #expect(code != home.code)
            let payload = try ParsedOnboardingPayload(code).validated()
            try await home.withController(port: 41) { hub in
                let joined = await hub.commission(home.order(0x77, payload: payload), observer: StageObserver())
                #expect(joined.report != nil, "\(joined)")
                #expect(await light.node.fabrics.count == 2)
                await phone.remove(device)
                #expect(await light.node.fabrics.map(\.nodeID.rawValue) == [0x77])
                _ = try await hub.invoke(home.command(1), on: NodeID(rawValue: 0x77))
            }
            let standing = try await phone.standing()
            #expect(standing.members.isEmpty && standing.leftovers.isEmpty)
        }
    }

    /// A light with a cable has no regulatory stage.
    @Test(arguments: CommissioningStage.allCases.filter { $0 != .regulatory })
    func `cancelled at any stage nothing of the phone is left`(_ stage: CommissioningStage) async throws {
        try await home.withLight { light in
            let phone = home.phone(folder)
            let stages = StageLog()
            let running = Locked<Task<PhoneDevice, any Error>?>(nil)
            stages.at(stage) { running.withLock { $0?.cancel() } }
            let (starts, start) = AsyncStream<Void>.makeStream()
            let task = Task { [home] in
                for await _ in starts { break }
                return try await phone.commission(home.code, address: home.place) { stages.entered($0) }
            }
            running.withLock { $0 = task }
            start.yield()
            let result = await home.whileTimePasses { await task.result }
            #expect(throws: CancellationError.self) { try result.get() }
            await home.whileTimePasses { await until { await light.isFresh } }
            let standing = try await phone.standing()
            #expect(standing.members.isEmpty && standing.leftovers.isEmpty, "\(standing)")
            // And the next one gets in.
            let device = try await phone.commission(home.code, address: home.place) { _ in }
            #expect(try await phone.standing().members == [device.nodeID])
        }
    }

    @Test func `a device that cannot be reached becomes an orphan, and the next use takes the fabric off`() async throws
    {
        try await home.withLight { light in
            do {
                let phone = home.phone(folder)
                let device = try await phone.commission(home.code, address: home.place) { _ in }
                home.network.cut(port: Home.devicePort)
                await home.whileTimePasses { await phone.remove(device) }
                #expect(try await phone.standing().leftovers == [device.nodeID])
                #expect(await light.node.fabrics.count == 1)
            }
            home.network.heal(port: Home.devicePort)
            let phone = home.phone(folder, port: 62)
            try await home.whileTimePasses {
                while try await !phone.standing().leftovers.isEmpty { await Task.yield() }
                await until { await light.isFresh }
            }
        }
    }

    @Test func `a device that is on the phone's fabric already is refused in the words that apps know`() async throws {
        try await home.withLight { light in
            let phone = home.phone(folder)
            let device = try await phone.commission(home.code, address: home.place) { _ in }
            let window = try await phone.openWindow(on: device)
            let error = await #expect(throws: PhoneFailure.self) {
                try await phone.commission(window, address: home.place) { _ in }
            }
            #expect(error?.code == .alreadyAdded)
            let outer = try #require(error) as NSError
            #expect(outer.domain == "MatterHubPhone")
            let inner = outer.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(inner?.domain == "HFErrorDomain" && inner?.code == 33)
            #expect(await light.node.fabrics.count == 1)
        }
    }

    @Test func `two phones share a device, and each takes off only itself`() async throws {
        let otherFolder = PhoneFolder()
        try await home.withLight { light in
            let first = home.phone(folder, port: 61)
            let second = home.phone(otherFolder, port: 62)
            let mine = try await first.commission(home.code, address: home.place) { _ in }
            let code = try await first.openWindow(on: mine)
            let theirs = try await second.commission(code, address: home.place) { _ in }
            #expect(Set(await light.node.fabrics.map(\.nodeID)) == [mine.nodeID, theirs.nodeID])
            await first.remove(mine)
            #expect(await light.node.fabrics.map(\.nodeID) == [theirs.nodeID])
            await second.remove(theirs)
            await until { await light.isFresh }
        }
    }

    // MARK: - Restarts

    @Test func `keeps its fabric and its devices over a restart`() async throws {
        try await home.withLight { light in
            let device: PhoneDevice
            do {
                let phone = home.phone(folder)
                device = try await phone.commission(home.code, address: home.place) { _ in }
            }
            let phone = home.phone(folder, port: 62)
            #expect(try await phone.standing().members == [device.nodeID])
            let code = try await home.whileTimePasses { try await phone.openWindow(on: device) }
            #expect(code.hasPrefix("MT:"))
            await phone.remove(device)
            await until { await light.isFresh }
        }
    }

    @Test(arguments: [CommissioningStage.addNOC, .operational, .complete])
    func `killed in the middle it finds out what became of the device`(_ stage: CommissioningStage) async throws {
        try await home.withLight { light in
            do {
                let phone = home.phone(folder)
                let stages = StageLog()
                // From here on nothing that the phone does reaches anybody, and nothing is written: like a kill.
                let saved = Locked<[UInt8]>([])
                let file = "\(folder.path)/phone/phone.bin"
                let network = home.network
                stages.at(stage) {
                    network.cut(port: 61)
                    saved.withLock { $0 = [UInt8](FileManager.default.contents(atPath: file) ?? Data()) }
                }
                let failure = await home.whileTimePasses {
                    await #expect(throws: PhoneFailure.self) {
                        try await phone.commission(home.code, address: home.place) { stages.entered($0) }
                    }
                }
                #expect(failure != nil)
                try Data(saved.withLock { $0 }).write(to: URL(fileURLWithPath: file))
            }
            // The device ends its fail-safe by itself, or is on the fabric.
            await home.whileTimePasses { await until { await light.isFresh } }
            let phone = home.phone(folder, port: 62)
            try await home.whileTimePasses {
                while try await !phone.standing().leftovers.isEmpty { await Task.yield() }
            }
            let device = try await phone.commission(home.code, address: home.place) { _ in }
            #expect(try await phone.standing().members == [device.nodeID])
        }
    }

    @Test func `waits while another process has the phone, and says so when it stays`() async throws {
        let first = home.phone(folder)
        _ = try await first.standing()
        let second = home.phone(folder, port: 62)
        let error = await home.whileTimePasses {
            await #expect(throws: PhoneFailure.self) { try await second.standing() }
        }
        #expect(error?.code == .state)
        #expect(error?.message.contains("another phone") == true)
        _ = try await first.standing()
    }

    @Test func `its folder is nobody else's`() async throws {
        _ = try await home.phone(folder).standing()
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode("\(folder.path)/phone") == 0o700)
        #expect(try mode("\(folder.path)/phone/phone.bin") == 0o600)
    }

    // MARK: - Refusals

    @Test func `names a bad code and a bad address before anything is sent`() async throws {
        let phone = home.phone(folder)
        for (code, address) in [("MT:", nil), ("123", nil), (home.code, "light.local"), (home.code, "")] {
            let error = await #expect(throws: PhoneFailure.self) { try await phone.examine(code, address: address) }
            #expect(error?.code == .invalidCode, "\(code) \(address ?? "")")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `tells a wrong passcode and a silent device apart`() async throws {
        try await home.withLight { _ in
            let phone = home.phone(folder)
            var payload = home.identity.payload
            payload.passcode = try #require(Passcode(rawValue: payload.passcode.rawValue == 1 ? 2 : 1))
            let code = try #require(payload.qrCode)
            var error = await #expect(throws: PhoneFailure.self) {
                try await phone.commission(code, address: home.place) { _ in }
            }
            #expect(error?.code == .wrongPasscode)
            #expect(error?.stage == "pase")
            home.network.cut(port: Home.devicePort)
            error = await home.whileTimePasses {
                await #expect(throws: PhoneFailure.self) { try await phone.examine(home.code, address: home.place) }
            }
            #expect(error?.code == .unreachable)
            error = await #expect(throws: PhoneFailure.self) { try await phone.examine(home.code, address: nil) }
            #expect(error?.code == .cannotSearch)
        }
    }

    @Test func `a device that is gone opens no window`() async throws {
        try await home.withLight { _ in
            let phone = home.phone(folder)
            let device = try await phone.commission(home.code, address: home.place) { _ in }
            home.network.cut(port: Home.devicePort)
            let error = await home.whileTimePasses {
                await #expect(throws: PhoneFailure.self) { try await phone.openWindow(on: device) }
            }
            #expect(error?.code == .unreachable)
        }
    }
}
