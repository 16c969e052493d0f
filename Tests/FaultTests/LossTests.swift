import Foundation
import Testing

/// Bad networks, from seeds. `MATTERHUB_LOSS_RUNS` says how many runs (default 24, in `tools/bench loss` 200 by loss rate).
extension FaultSuites {
    @Suite("Bad networks") struct LossTests {
        @Test(.timeLimit(.minutes(20))) func `at 20 % loss each way the device is commissioned without a second try`()
            async throws
        {
            let environment = ProcessInfo.processInfo.environment
            let runs = environment["MATTERHUB_LOSS_RUNS"].flatMap { Int($0) } ?? 24
            let rates = (environment["MATTERHUB_LOSS_RATES"] ?? "0.2").split(separator: ",").compactMap { Double($0) }
            var lines = ""
            for rate in rates {
                var results: [LossRun.Result] = []
                for seed in 1...UInt64(runs) {
                    let result = try await LossRun.run(LossRun.Conditions(loss: rate), seed: seed)
                    results.append(result)
                    if let failure = result.failure {
                        FileHandle.standardError.write(Data("loss \(rate) seed \(seed): \(failure)\n".utf8))
                    }
                }
                let first = results.count { $0.tries == 1 }
                let second = results.count { $0.tries != nil }
                let times = results.filter { $0.tries == 1 }.map { Self.milliseconds($0.time) }.sorted()
                lines += """
                    {"loss": \(rate), "runs": \(runs), "first": \(first), "withRepeat": \(second), \
                    "medianMs": \(times.isEmpty ? 0 : times[times.count / 2]), \
                    "p95Ms": \(times.isEmpty ? 0 : times[min(times.count - 1, times.count * 95 / 100)])}\n
                    """
                if rate <= 0.2 {
                    #expect(Double(first) >= 0.98 * Double(runs), "\(first) of \(runs) at the first try")
                    #expect(second == runs, "\(second) of \(runs) with a repeat")
                }
            }
            if let path = environment["MATTERHUB_LOSS_TABLE"] {
                try Data(lines.utf8).write(to: URL(fileURLWithPath: path))
            }
            print(lines)
        }

        /// What else networks do to datagrams, without any loss; the last is all of it at once.
        private static let networks: [(name: String, conditions: LossRun.Conditions)] = [
            ("slow", .init(loss: 0, latency: .milliseconds(400) ... .milliseconds(900), duplication: 0)),
            ("reordering", .init(loss: 0, latency: .zero ... .milliseconds(600), duplication: 0)),
            ("repeating", .init(loss: 0, latency: .milliseconds(1) ... .milliseconds(5), duplication: 0.5)),
            // IPv6 promises 1,280 bytes, of which 48 are headers.
            ("narrow", .init(loss: 0, latency: .milliseconds(1) ... .milliseconds(5), maximumByteCount: 1_232)),
            (
                "bad in every way",
                .init(loss: 0.1, latency: .zero ... .milliseconds(300), duplication: 0.2, maximumByteCount: 1_232)
            ),
        ]

        @Test(.timeLimit(.minutes(5)), arguments: networks.indices)
        func `delay, reordering, repetition and a small MTU cost no second try`(_ index: Int) async throws {
            let (name, conditions) = Self.networks[index]
            for seed in 1...UInt64(6) {
                let result = try await LossRun.run(conditions, seed: seed)
                #expect(result.tries == 1, "\(name), seed \(seed): \(result.failure ?? "")")
            }
        }

        @Test func `datagrams above the MTU vanish, and nothing of ours needs more than 1,280 bytes`() async throws {
            var conditions = LossRun.Conditions(loss: 0)
            #expect(try await LossRun.run(conditions, seed: 3).tries == 1)
            conditions.maximumByteCount = 300
            let small = try await LossRun.run(conditions, seed: 3)
            #expect(small.tries == nil)
            #expect(small.failure != nil)
        }

        private static func milliseconds(_ time: Duration) -> Int64 {
            time.components.seconds * 1_000 + time.components.attoseconds / 1_000_000_000_000_000
        }
    }
}
