public import Dispatch
import MatterNode
import MatterProtocol
import MatterWire

/// A node of the controller's fabric.
public final class MTRBaseDevice: NSObject, Sendable {
    /// The node's id.
    public let nodeID: NSNumber
    let node: NodeID
    let controller: MTRDeviceController

    /// Names a node; it need not be there.
    public init(nodeID: NSNumber, controller: MTRDeviceController) {
        self.nodeID = nodeID
        node = NodeID(rawValue: nodeID.uint64Value)
        self.controller = controller
    }

    /// Opens a commissioning window with a passcode of one's own.
    ///
    /// - Parameters:
    ///   - duration: 180 … 900 seconds.
    ///   - completion: called on `queue` with what another administrator needs, or an error.
    public func openCommissioningWindow(
        withSetupPasscode setupPasscode: NSNumber, discriminator: NSNumber, duration: NSNumber, queue: DispatchQueue,
        completion: @escaping @Sendable (MTRSetupPayload?, (any Error)?) -> Void
    ) {
        openWindow(setupPasscode, discriminator, duration, queue, completion)
    }

    /// Opens a commissioning window with a random passcode.
    ///
    /// - Parameters:
    ///   - duration: 180 … 900 seconds.
    ///   - completion: called on `queue` with what another administrator needs, or an error.
    public func openCommissioningWindow(
        withDiscriminator discriminator: NSNumber, duration: NSNumber, queue: DispatchQueue,
        completion: @escaping @Sendable (MTRSetupPayload?, (any Error)?) -> Void
    ) {
        openWindow(nil, discriminator, duration, queue, completion)
    }

    /// Opens a commissioning window with a random passcode, for `duration` seconds: 180 … 900.
    public func openCommissioningWindow(
        withDiscriminator discriminator: NSNumber, duration: NSNumber, queue: DispatchQueue
    ) async throws -> MTRSetupPayload {
        try await withCheckedThrowingContinuation { continuation in
            openWindow(nil, discriminator, duration, queue) { payload, error in
                continuation.resume(with: Self.result(payload, error))
            }
        }
    }

    static func result<Value>(_ value: Value?, _ error: (any Error)?) -> Result<Value, any Error> {
        if let value { .success(value) } else { .failure(error ?? MTRError(.generalError)) }
    }

    private func openWindow(
        _ passcode: NSNumber?, _ discriminator: NSNumber, _ duration: NSNumber, _ queue: DispatchQueue,
        _ completion: @escaping @Sendable (MTRSetupPayload?, (any Error)?) -> Void
    ) {
        perform(queue, completion) { [self] () throws -> MTRSetupPayload in
            guard let bits = UInt16(exactly: discriminator.int64Value), let wanted = Discriminator(rawValue: bits)
            else {
                throw MTRError(.invalidIntegerValue, message: "the discriminator is not 12 bits")
            }
            guard (180...900).contains(duration.int64Value) else {
                throw MTRError(.invalidIntegerValue, message: "the duration is not 180 … 900 seconds")
            }
            var code: Passcode?
            if let passcode {
                code = UInt32(exactly: passcode.int64Value).flatMap { Passcode(rawValue: $0) }
                guard code != nil else { throw MTRError(.invalidIntegerValue, message: "the passcode may not be used") }
            }
            let window = try await controller.node.openWindow(
                on: node, timeout: .seconds(duration.int64Value), passcode: code, discriminator: wanted)
            guard let text = window.qrCode, let payload = MTRSetupPayload(payload: text) else {
                throw MTRError(.generalError, message: "the window's code does not read back")
            }
            return payload
        }
    }

    /// Runs a request and tells its end on a queue.
    func perform<Value: Sendable>(
        _ queue: DispatchQueue, _ completion: @escaping @Sendable (Value?, (any Error)?) -> Void,
        _ body: @escaping @Sendable () async throws -> Value
    ) {
        guard controller.isRunning else {
            queue.async { @Sendable in completion(nil, MTRError.shutDown) }
            return
        }
        controller.start {
            do {
                let value = try await body()
                queue.async { @Sendable in completion(value, nil) }
            } catch {
                let error = MTRFailure(error).error
                queue.async { @Sendable in completion(nil, error) }
            }
        }
    }
}

/// A node of the controller's fabric, by the name that newer code uses.
public final class MTRDevice: NSObject, Sendable {
    private let base: MTRBaseDevice
    /// The node's id.
    public var nodeID: NSNumber { base.nodeID }
    /// The controller that it was made with.
    public var deviceController: MTRDeviceController? { base.controller }

    /// Names a node; it need not be there.
    public init(nodeID: NSNumber, controller: MTRDeviceController) {
        base = MTRBaseDevice(nodeID: nodeID, controller: controller)
    }

    /// Opens a commissioning window with a passcode of one's own; see ``MTRBaseDevice``.
    public func openCommissioningWindow(
        withSetupPasscode setupPasscode: NSNumber, discriminator: NSNumber, duration: NSNumber, queue: DispatchQueue,
        completion: @escaping @Sendable (MTRSetupPayload?, (any Error)?) -> Void
    ) {
        base.openCommissioningWindow(
            withSetupPasscode: setupPasscode, discriminator: discriminator, duration: duration, queue: queue,
            completion: completion)
    }

    /// Opens a commissioning window with a random passcode; see ``MTRBaseDevice``.
    public func openCommissioningWindow(
        withDiscriminator discriminator: NSNumber, duration: NSNumber, queue: DispatchQueue,
        completion: @escaping @Sendable (MTRSetupPayload?, (any Error)?) -> Void
    ) {
        base.openCommissioningWindow(
            withDiscriminator: discriminator, duration: duration, queue: queue, completion: completion)
    }

    /// Opens a commissioning window with a random passcode, for `duration` seconds: 180 … 900.
    public func openCommissioningWindow(
        withDiscriminator discriminator: NSNumber, duration: NSNumber, queue: DispatchQueue
    ) async throws -> MTRSetupPayload {
        try await base.openCommissioningWindow(withDiscriminator: discriminator, duration: duration, queue: queue)
    }
}
