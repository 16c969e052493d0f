import MatterProtocol
import TestSupport

/// One cell of the fault matrix.
struct Combination: Hashable, Sendable, CustomStringConvertible {
    /// What happens to the client or the hub at the moment of the fault.
    enum Ending: String, CaseIterable, Sendable {
        /// Nothing: the fault alone.
        case fail
        /// The owner cancels.
        case cancel
        /// The owner's connection is lost and does not come back.
        case clientDies
        /// The hub is gone, and starts again on what was stored at that instant.
        case crash
    }

    /// What goes wrong.
    enum Fault: Hashable, Sendable, CustomStringConvertible {
        /// In the device, at the nth request of the stage.
        case device(FaultKind, nth: Int)
        /// The store refuses the next write.
        case storageFails
        /// The hub is told to play an unreachable one.
        case offline
        /// The owner's grant is revoked.
        case revoked
        /// Nothing.
        case none

        var description: String {
            switch self {
            case .device(let kind, let nth): nth == 1 ? "\(kind)" : "\(kind)@\(nth)"
            case .storageFails: "storageFails"
            case .offline: "offline"
            case .revoked: "revoked"
            case .none: "none"
            }
        }

        /// The row of the table.
        var row: String {
            if case .device(let kind, _) = self { "\(kind)" } else { description }
        }
    }

    var stage: CommissioningStage
    var fault: Fault
    var ending: Ending

    var description: String { "\(stage):\(fault)/\(ending)" }

    /// What a commissioning of our light asks in each stage, by the number of requests.
    private static let requests: [CommissioningStage: Int] = [
        .pase: 3, .readInfo: 2, .armFailSafe: 1, .attestation: 3, .csr: 1, .addRoot: 1, .addNOC: 1,
        .operational: 2, .complete: 1,
    ]

    /// How many requests of a stage a kind is possible for.
    private static func places(_ kind: FaultKind, _ stage: CommissioningStage) -> Int {
        switch kind {
        case .wrongSignature, .wrongNonce, .busyFailSafe, .fabricTableFull, .labelConflict, .busy: 1
        case .wrongChain: 2
        case .error, .silence, .slow, .duplicate, .corrupt, .reset, .vanish, .closeSession: requests[stage] ?? 1
        }
    }

    /// The whole matrix.
    static let all: [Combination] = {
        let kinds =
            FaultKind.examples + [
                .error(.status(0x9C)), .error(.response(1)), .slow(.seconds(45)), .busy(.seconds(20)),
            ]
        // Our light wants no regulatory configuration and has no clock: a commissioner passes that stage over.
        return CommissioningStage.allCases.filter { $0 != .regulatory }.flatMap { stage -> [Combination] in
            let device = kinds.filter { $0.applies(at: stage) }.flatMap { kind in
                (1...places(kind, stage)).map { Fault.device(kind, nth: $0) }
            }
            return (device + [.storageFails, .offline, .revoked, .none]).flatMap { fault in
                Ending.allCases.map { Combination(stage: stage, fault: fault, ending: $0) }
            }
        }
    }()

    /// A part of the matrix that a seed draws; every stage, kind and ending is in it when the count allows.
    static func sample(_ count: Int, seed: UInt64) -> [Combination] {
        var random = SeededGenerator(seed: seed)
        return Array(all.shuffled(using: &random).prefix(count))
    }
}
