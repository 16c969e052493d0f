import MatterWire

/// GeneralCommissioning, 0x0030 (Core §11.10).
extension VirtualNode {
    private enum CommissioningError: UInt8 {
        case ok = 0
        case valueOutsideRange = 1
        case invalidAuthentication = 2
        case noFailSafe = 3
        case busyWithOtherAdmin = 4
    }

    mutating func invokeGeneralCommissioning(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        switch invocation.command {
        case 0x00: try armFailSafe(invocation)
        case 0x02: try setRegulatoryConfig(invocation)
        case 0x04: commissioningComplete(invocation.context)
        default: throw StatusIB(.unsupportedCommand)
        }
    }

    private func answer(_ command: UInt32, _ error: CommissioningError) -> InvokeOutcome {
        .response(CommandID(rawValue: command), .members((0, .uint(error.rawValue)), (1, .utf8(""))))
    }

    /// Arms, arms again or, with 0 s, ends the fail-safe. A time above the cumulative limit is cut to it.
    private mutating func armFailSafe(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let (seconds, breadcrumb) = try invocation.decode { (fields) throws(TLVError) in
            (try fields.integer(0, as: UInt16.self), try fields.integer(1, as: UInt64.self))
        }
        let context = invocation.context
        let holder = failSafe.holder
        guard holder == nil || holder == context.fabricIndex else { return answer(0x01, .busyWithOtherAdmin) }
        // An open window is for a newcomer: an administrator may not take the fail-safe away from it.
        if holder == nil, window.window != nil, context.subject != .pase { return answer(0x01, .busyWithOtherAdmin) }
        guard seconds > 0 else {
            rollBack(failSafe.expire())
            return answer(0x01, .ok)
        }
        do throws(FailSafe.Refusal) {
            try failSafe.arm(by: context.fabricIndex, for: .seconds(Int64(seconds)), now: context.now)
        } catch {
            return answer(0x01, .busyWithOtherAdmin)
        }
        set(.generalCommissioning, 0x0000, to: .uint(breadcrumb))
        return answer(0x01, .ok)
    }

    /// Takes over the regulatory setting and the country; both survive a failed commissioning.
    private mutating func setRegulatoryConfig(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let (config, country, breadcrumb) = try invocation.decode { (fields) throws(TLVError) in
            (try fields.integer(0, as: UInt8.self), try fields.string(1), try fields.integer(2, as: UInt64.self))
        }
        guard country.utf8.count == 2 else { throw StatusIB(.constraintError) }
        // LocationCapability is IndoorOutdoor, so all three values are possible.
        guard config <= 2 else { return answer(0x03, .valueOutsideRange) }
        set(.generalCommissioning, 0x0002, to: .uint(config))
        set(.basicInformation, 0x0006, to: .utf8(country))
        set(.generalCommissioning, 0x0000, to: .uint(breadcrumb))
        return answer(0x03, .ok)
    }

    private mutating func commissioningComplete(_ context: InteractionContext) -> InvokeOutcome {
        guard failSafe.isArmed else { return answer(0x05, .noFailSafe) }
        guard context.subject != .pase else { return answer(0x05, .invalidAuthentication) }
        do throws(FailSafe.Refusal) {
            try failSafe.complete(by: context.fabricIndex)
        } catch {
            return answer(0x05, .invalidAuthentication)
        }
        commit(for: context.fabricIndex)
        return answer(0x05, .ok)
    }
}
