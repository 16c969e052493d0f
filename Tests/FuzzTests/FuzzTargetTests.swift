import Foundation
import FuzzTargets
import TestSupport
import Testing

@Suite("Fuzz targets: seeds, damaged seeds and past findings (tools/fuzz)", .timeLimit(.minutes(5)))
struct FuzzTargetTests {
    /// Damaged inputs that each target is given.
    static let damaged = 400

    @Test func `names are good for a command line and not used twice`() {
        let names = FuzzTarget.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } })
        #expect(FuzzTarget.named("tlv")?.name == "tlv")
        #expect(FuzzTarget.named("nothing") == nil)
    }

    @Test(arguments: FuzzTarget.all) func `seeds hold, and some are well formed`(_ target: FuzzTarget) async throws {
        let seeds = try target.seeds()
        #expect(!seeds.isEmpty)
        var outcomes: Set<FuzzTarget.Outcome> = []
        // Of many a sample, evenly: tools/fuzz takes them all.
        for index in stride(from: 0, to: seeds.count, by: max(1, seeds.count / 150)) {
            let seed = seeds[index]
            outcomes.insert(try await target.check(seed))
        }
        #expect(outcomes.contains(.accepted), "no seed gets past the first look")
    }

    @Test(arguments: FuzzTarget.all) func `past findings are mended`(_ target: FuzzTarget) async throws {
        for file in target.regressions {
            await #expect(throws: Never.self, "\(file.lastPathComponent)") {
                try await target.check([UInt8](try Data(contentsOf: file)))
            }
        }
    }

    @Test(arguments: FuzzTarget.all) func `damaged seeds hold`(_ target: FuzzTarget) async throws {
        let seeds = try target.seeds()
        var random = SeededGenerator(seed: 0xF022)
        for _ in 0..<Self.damaged {
            let seed = try #require(seeds.randomElement(using: &random))
            let input = random.mutated(seed)
            do {
                _ = try await target.check(input)
            } catch {
                Issue.record("\(target.name) over \(input.hex): \(error)")
                return
            }
        }
    }

    @Test func `a finding that is kept is named after a target`() throws {
        let folder = FuzzTarget.testsFolder.appendingPathComponent("FuzzTests/Vectors")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name != "README" {
            #expect(FuzzTarget.named(name) != nil, "\(name) is no target")
        }
    }
}
