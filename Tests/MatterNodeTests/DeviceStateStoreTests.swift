import Foundation
import MatterCrypto
import MatterModel
import MatterWire
import TestSupport
import Testing

@testable import MatterNode

@Suite("DeviceStateStore") struct DeviceStateStoreTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("device-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }  // What is left is the system's to sweep.
        try body(folder.path)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `gives back what was saved, to its owner alone`() throws {
        try withFolder { folder in
            let store = try DeviceStateStore(directory: folder + "/a/b")
            #expect(try store.load(.node) == nil)
            try store.save([1, 2, 3], as: .node)
            try store.save([], as: .identity)
            #expect(try store.load(.node) == [1, 2, 3])
            #expect(try store.load(.identity) == [])
            #expect(try mode(folder + "/a/b") == 0o700)
            #expect(try mode(store.path(of: .node)) == 0o600)
        }
    }

    @Test func `saves in the background`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("device-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }  // See above.
        let store = try DeviceStateStore(directory: folder.path)
        try await store.saveInBackground([9], as: .node)
        #expect(try store.load(.node) == [9])
    }

    @Test func `refuses a folder that is in use, and takes it afterwards`() throws {
        try withFolder { folder in
            var first: DeviceStateStore? = try DeviceStateStore(directory: folder)
            #expect(first != nil)
            let error = #expect(throws: DeviceStateError.self) { try DeviceStateStore(directory: folder) }
            #expect(error?.code == .inUse)
            first = nil
            _ = try DeviceStateStore(directory: folder)
        }
    }

    @Test func `reports every damaged file and never takes it for an empty one`() throws {
        try withFolder { folder in
            let store = try DeviceStateStore(directory: folder)
            try store.save(Array("what a device must remember".utf8), as: .node)
            let good = try Data(contentsOf: URL(fileURLWithPath: store.path(of: .node)))
            var generator = SeededGenerator(seed: 5)
            for _ in 0..<200 {
                let bad = generator.mutated(Array(good))
                guard bad != Array(good) else { continue }
                try Data(bad).write(to: URL(fileURLWithPath: store.path(of: .node)))
                let error = #expect(throws: DeviceStateError.self) { try store.load(.node) }
                #expect([.corrupt, .foreign].contains(error?.code))
            }
        }
    }

    @Test func `names the folder that can't be made`() throws {
        let error = #expect(throws: DeviceStateError.self) { try DeviceStateStore(directory: "/dev/null/state") }
        #expect(error?.code == .fileSystem)
        #expect(error?.description.hasPrefix("/dev/null") == true)
    }

    // MARK: - Identity

    private let secrets = SeededSecretSource(seed: 1)

    private func identity(_ store: DeviceStateStore, _ wishes: DeviceIdentity.Wishes) throws -> DeviceIdentity {
        try store.identity(for: wishes, secrets: secrets, random: .seeded(2))
    }

    @Test func `keeps a device's codes, and takes new ones when asked to`() throws {
        try withFolder { folder in
            let store = try DeviceStateStore(directory: folder)
            let first = try identity(store, .init(kind: .onOffLight))
            #expect(first.passcode.isValid)
            let again = try identity(store, .init(kind: .onOffLight))
            #expect(again.encoded() == first.encoded())
            let passcode = Passcode(rawValue: 20_202_021)
            let changed = try identity(store, .init(kind: .onOffLight, passcode: passcode))
            #expect(changed.passcode == passcode)
            #expect(changed.discriminator == first.discriminator)
            #expect(changed.attestation.dac == first.attestation.dac)
            #expect(try identity(store, .init(kind: .onOffLight)).passcode == passcode)
        }
    }

    @Test func `gets attestation of its own for another product`() throws {
        try withFolder { folder in
            let store = try DeviceStateStore(directory: folder)
            let first = try identity(store, .init(kind: .onOffLight))
            let changed = try identity(store, .init(kind: .onOffLight, productID: ProductID(rawValue: 0x8002)))
            #expect(changed.attestation.dac != first.attestation.dac)
            #expect(try AttestationCertificate(der: changed.attestation.dac).subjectIDs().productID?.rawValue == 0x8002)
        }
    }

    @Test func `does not invent an identity for a node that has fabrics`() throws {
        try withFolder { folder in
            let store = try DeviceStateStore(directory: folder)
            try store.save([1], as: .node)
            let error = #expect(throws: DeviceStateError.self) { try identity(store, .init(kind: .onOffLight)) }
            #expect(error?.code == .corrupt)
        }
    }

    @Test func `every kind has a name that fits, endpoints of its own, and its device type first`() {
        for kind in DeviceKind.allCases {
            let endpoints = kind.endpoints(
                bridging: kind == .bridge ? DeviceKind.bridgeable : [], uniqueID: String(repeating: "A", count: 32))
            #expect((1...32).contains(kind.name.utf8.count))
            #expect(endpoints.map(\.id.rawValue) == Array(1...UInt16(endpoints.count)))
            #expect(endpoints[0].deviceTypes[0].id == kind.deviceType)
            #expect(endpoints.count == (kind == .bridge ? 1 + DeviceKind.bridgeable.count : 1))
        }
    }

    @Test(arguments: [DeviceKind.onOffLight, .bridge]) func `survives any damage of a stored identity`(
        _ kind: DeviceKind
    ) throws {
        let good = try DeviceIdentity(.init(kind: kind), secrets: secrets, random: .seeded(2)).encoded()
        #expect(try DeviceIdentity(decoding: good, path: "x").encoded() == good)
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<200 {
            // Whatever comes: an identity or an error, never a trap.
            _ = try? DeviceIdentity(decoding: generator.mutated(good), path: "x")
        }
    }
}
