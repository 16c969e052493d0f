import MatterProtocol
import MatterWire

/// A command as a device with defects sees it: whether it should have been refused, and is not.
struct DefectRequest {
    let path: CommandPath
    let fields: TLVValue
    let context: InteractionContext

    /// How a request that was refused is tried again.
    struct SecondTry {
        var context: InteractionContext
        var armsFirst = false
        var isPrivileged = false
    }

    private func isCommand(_ cluster: ClusterID, _ numbers: UInt32...) -> Bool {
        path.cluster == cluster && numbers.contains(path.command.rawValue)
    }

    var arms: Bool { isCommand(.generalCommissioning, 0x00) }
    var disarms: Bool { arms && fields[0]?.unsigned == 0 }
    var completesOverPASE: Bool {
        isCommand(.generalCommissioning, 0x04) && context.subject == .pase && context.fabricIndex != .none
    }
    /// The certificate of AddTrustedRootCertificate.
    var root: [UInt8]? { isCommand(.operationalCredentials, 0x0B) ? fields[0]?.octets : nil }

    /// The answer that says that all is well, for commands of General Commissioning.
    static func ok(of path: CommandPath) -> InvokeOutcome {
        .response(CommandID(rawValue: path.command.rawValue + 1), .members((0, .uint(0 as UInt8)), (1, .utf8(""))))
    }

    /// How a device with these defects gets the better of its good part's refusal; `nil` when it does not.
    func secondTry(_ outcome: InvokeOutcome, _ defects: Set<DeviceDefect>) -> SecondTry? {
        guard case .status(let status) = outcome else { return nil }
        switch status.status {
        case .failsafeRequired where defects.contains(.noFailSafeNeeded):
            return SecondTry(context: context, armsFirst: true)
        case .needsTimedInteraction
        where defects.contains(.untimedWindow) && path.cluster == .administratorCommissioning:
            var timed = context
            timed.isTimed = true
            return SecondTry(context: timed)
        case .unsupportedAccess where defects.contains(.everyoneAdministers):
            return SecondTry(context: context, isPrivileged: true)
        default: return nil
        }
    }

    /// The answer of a device with these defects.
    func forgiven(_ outcome: InvokeOutcome, _ defects: Set<DeviceDefect>) -> InvokeOutcome {
        switch outcome {
        case .status(let status):
            let isForgiven =
                switch (status.status, status.clusterStatus) {
                case (.failure, 2): defects.contains(.neverBusyWindow) && isCommand(.administratorCommissioning, 0, 1)
                case (.failure, 3): defects.contains(.weakWindow) && isCommand(.administratorCommissioning, 0)
                case (.constraintError, nil): defects.contains(.takesSecondRoot) && root != nil
                default: false
                }
            return isForgiven ? .status(.success) : outcome
        case .response(let command, let answer):
            switch (path.cluster, path.command.rawValue, answer[0]?.unsigned) {
            case (.generalCommissioning, 0x00, 4) where defects.contains(.stealsFailSafe): return Self.ok(of: path)
            case (.operationalCredentials, 0x06, 1) where defects.contains(.takesAnyNOC),
                (.operationalCredentials, 0x06, 9) where defects.contains(.takesFabricTwice),
                (.operationalCredentials, 0x09, 10) where defects.contains(.sharesLabels):
                let fabric = context.fabricIndex == .none ? 1 : context.fabricIndex.rawValue
                return .response(command, .members((0, .uint(0 as UInt8)), (1, .uint(fabric))))
            default: return outcome
            }
        }
    }
}
