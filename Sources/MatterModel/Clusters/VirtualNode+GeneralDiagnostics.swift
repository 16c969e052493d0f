import MatterWire

/// GeneralDiagnostics, 0x0033 (Core §11.12).
extension VirtualNode {
    mutating func invokeGeneralDiagnostics(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        switch invocation.command {
        case 0x00:
            _ = try invocation.decode { (fields) throws(TLVError) in
                (try fields.octets(0, count: 16), try fields.integer(1, as: UInt64.self))
            }
            // No enable key is set, so none can match (Core §11.12.7.1).
            throw StatusIB(.constraintError)
        case 0x01:
            let context = invocation.context
            let milliseconds = bootedAt.duration(to: context.now) / .milliseconds(1)
            let posix = UInt64(exactly: context.wallClock.unixSeconds).map { $0 * 1000 }
            return .response(
                CommandID(rawValue: 0x02),
                .members((0, .uint(UInt64(max(0, milliseconds)))), (1, posix.map { .uint($0) } ?? .null)))
        default: throw StatusIB(.unsupportedCommand)
        }
    }
}
