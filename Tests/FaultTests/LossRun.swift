import MatterNode
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import VirtualHome

/// One commissioning over a network that loses, delays, repeats and reorders.
struct LossRun: Sendable {
    /// Conditions of a run.
    struct Conditions: Sendable {
        /// Each way, 0 … 1.
        var loss: Double
        var latency: ClosedRange<Duration> = .milliseconds(1) ... .milliseconds(40)
        var duplication = 0.02
        var maximumByteCount = 1_280
    }

    /// How it went.
    struct Result: Sendable {
        /// Tries until the device was commissioned; `nil` when two were not enough.
        var tries: Int?
        /// The first failure's stage and words.
        var failure: String?
        /// On the home's clock, of the first try.
        var time: Duration
        /// The longest that a fail-safe could have been needed.
        var stages: [CommissioningStage]
    }

    static func run(_ conditions: Conditions, seed: UInt64) async throws -> Result {
        let home = try Home(identity: try MatrixRun.identity.get())
        return try await home.withLight { light in
            _ = await home.lapse(limit: .seconds(1)) { await light.isFresh }
            return try await home.withController(port: UInt16(50 + seed % 1_000)) { controller in
                let network = VirtualNetwork.Conditions(
                    latency: conditions.latency, loss: conditions.loss, duplication: conditions.duplication,
                    maximumByteCount: conditions.maximumByteCount)
                return try await home.network.suffer(network, seed: seed, clock: home.driverClock) {
                    let entered = Locked<[CommissioningStage]>([])
                    var failure: String?
                    var time = Duration.zero
                    for number in 1...2 {
                        let order = home.order(100 + UInt64(number))
                        let start = home.clock.now
                        let outcome = try await home.lapse {
                            await controller.commission(order, observer: StageLog(entered: entered))
                        }
                        if number == 1 { time = start.duration(to: home.clock.now) }
                        if case .commissioned = outcome {
                            return Result(
                                tries: number, failure: failure, time: time, stages: entered.withLock { $0 })
                        }
                        failure =
                            failure ?? "\(entered.withLock { $0.last }.map { "\($0)" } ?? "?"): \(Self.words(outcome))"
                        // A repeat waits until the device is clean, as the hub's does.
                        _ = try await home.lapse { await controller.settled(order.nodeID) }
                        _ = await home.lapse(limit: .seconds(120)) { await light.isFresh }
                    }
                    return Result(tries: nil, failure: failure, time: time, stages: entered.withLock { $0 })
                }
            }
        }
    }

    private static func words(_ outcome: CommissioningOutcome) -> String {
        switch outcome {
        case .commissioned: "commissioned"
        case .failed(let failure): failure.message
        case .notFound(let failure): "\(failure.cause) \(failure.candidates.map { "\($0)" })"
        }
    }
}

/// Keeps the stages that were entered.
private struct StageLog: CommissioningObserver {
    let entered: Locked<[CommissioningStage]>
    func entered(_ stage: CommissioningStage) async { entered.withLock { $0.append(stage) } }
    func journal(_ entry: CommissioningJournalEntry, address: PeerAddress) async throws {}
}
