import Foundation
import MatterWire
import Testing

@testable import TestSupport

@Suite("Test support: what every other suite leans on") struct TestSupportTests {
    @Test func `hexadecimal goes both ways`() {
        #expect([UInt8](hex: "00 ff\n1a") == [0, 255, 26])
        #expect([0, 255, 26].hex == "00ff1a")
        #expect([UInt8](validatingHex: "0") == nil)
        #expect([UInt8](validatingHex: "0g") == nil)
    }

    @Test func `equal seeds give equal draws`() {
        var first = SeededGenerator(seed: 7)
        var second = SeededGenerator(seed: 7)
        let source = RandomSource.seeded(7)
        for _ in 0..<10 {
            let draw = first.next()
            #expect(draw == second.next())
            #expect(draw == source.next())
        }
    }

    @Test func `an empty or missing vector file is an error`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let file = folder.appendingPathComponent("rows.json")
        #expect(throws: (any Error).self) { try Vectors.decode([Int].self, from: file) }
        try Data().write(to: file)
        #expect(throws: VectorError.empty(file.path)) { try Vectors.decode([Int].self, from: file) }
        try Data("[]".utf8).write(to: file)
        #expect(throws: VectorError.empty(file.path)) { try Vectors.decode([Int].self, from: file) }
        try Data("[4]".utf8).write(to: file)
        #expect(try Vectors.decode([Int].self, from: file) == [4])
    }

    @Test func `loading a missing vector file stops the run`() async {
        await #expect(processExitsWith: .failure) { _ = Vectors.load([Int].self, "no-such-file.json") }
    }

    @Test func `the shared data are found where they lie beside the checkout`() throws {
        guard let folder = SharedData.folder else { return }
        #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("vectors").path))
    }

    @Test(.timeLimit(.minutes(1))) func `a manual clock wakes whom it passes`() async throws {
        let clock = ManualClock()
        async let early: Void = clock.sleep(until: .init(sinceStart: .seconds(1)))
        async let late: Void = clock.sleep(until: .init(sinceStart: .seconds(2)))
        await clock.sleepers(atLeast: 2)
        #expect(await clock.advanceToNextDeadline() == .init(sinceStart: .seconds(1)))
        try await early
        #expect(await clock.nextDeadline == .init(sinceStart: .seconds(2)))
        await clock.advance(by: .seconds(1))
        try await late
        #expect(clock.now.sinceStart == .seconds(2))
        #expect(await clock.nextDeadline == nil)
    }

    @Test(.timeLimit(.minutes(1))) func `a sleeper on a manual clock can be cancelled`() async {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(until: .init(sinceStart: .seconds(1))) }
        await clock.sleepers(atLeast: 1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(await clock.nextDeadline == nil)
    }
}
