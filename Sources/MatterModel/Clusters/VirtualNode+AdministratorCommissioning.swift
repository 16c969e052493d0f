import MatterCrypto
import MatterWire

/// AdministratorCommissioning, 0x003C, with the basic feature (Core §11.19).
extension VirtualNode {
    private enum WindowError: UInt8 {
        case busy = 2
        case pakeParameterError = 3
        case windowNotOpen = 4

        var status: StatusIB { StatusIB(.failure, clusterStatus: rawValue) }
    }

    /// Time that a window may be open, in seconds.
    private static let windowTimes: ClosedRange<UInt16> = 180...900

    mutating func invokeAdministratorCommissioning(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        switch invocation.command {
        case 0x00: try openEnhancedWindow(invocation)
        case 0x01:
            let timeout = try invocation.decode { (fields) throws(TLVError) in try fields.integer(0, as: UInt16.self) }
            try requireNoWindow()
            try openWindow(
                .basic, for: timeout, discriminator: configuration.discriminator, pake: configuration.pake,
                invocation.context)
        case 0x02: try revokeWindow()
        default: throw StatusIB(.unsupportedCommand)
        }
        return .status(.success)
    }

    private mutating func openEnhancedWindow(_ invocation: Invocation) throws(StatusIB) {
        let (timeout, verifier, discriminator) = try invocation.decode { (fields) throws(TLVError) in
            (try fields.integer(0, as: UInt16.self), try fields.octets(1), try fields.integer(2, as: UInt16.self))
        }
        let (iterations, salt) = try invocation.decode { (fields) throws(TLVError) in
            (Int(try fields.integer(3, as: UInt32.self)), try fields.octets(4))
        }
        try requireNoWindow()
        guard PAKEVerifier.iterationCounts.contains(iterations), PAKEVerifier.saltCounts.contains(salt.count) else {
            throw WindowError.pakeParameterError.status
        }
        let pake: PAKEParameters
        do throws(CryptoError) {
            pake = PAKEParameters(
                verifier: try PAKEVerifier(serialized: verifier), salt: salt, iterations: iterations)
        } catch {
            throw WindowError.pakeParameterError.status
        }
        guard discriminator <= 0xFFF else { throw StatusIB(.invalidCommand) }
        try openWindow(.enhanced, for: timeout, discriminator: discriminator, pake: pake, invocation.context)
    }

    private func requireNoWindow() throws(StatusIB) {
        guard window.window == nil, !failSafe.isArmed else { throw WindowError.busy.status }
    }

    private mutating func openWindow(
        _ kind: CommissioningWindow.Kind, for timeout: UInt16, discriminator: UInt16, pake: PAKEParameters,
        _ context: InteractionContext
    ) throws(StatusIB) {
        guard Self.windowTimes.contains(timeout) else { throw StatusIB(.invalidCommand) }
        let fabric = fabricTable[context.fabricIndex]
        let opened = CommissioningWindow(
            kind: kind, discriminator: discriminator, pake: pake, adminFabric: fabric?.index,
            adminVendor: fabric?.vendorID)
        perform(window.open(opened, until: context.now.advanced(by: .seconds(Int64(timeout)))))
    }

    /// Ends the window; a commissioning in progress that it allowed is rolled back.
    private mutating func revokeWindow() throws(StatusIB) {
        guard let opened = window.window, opened.kind != .initial else { throw WindowError.windowNotOpen.status }
        perform(window.revoke())
        if failSafe.holder == FabricIndex.none || failSafe.addedFabric != nil { rollBack(failSafe.expire()) }
    }
}
