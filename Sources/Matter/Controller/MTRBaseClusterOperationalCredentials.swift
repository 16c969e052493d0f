public import Dispatch
import MatterNode
import MatterProtocol
import MatterWire

/// Arguments of RemoveFabric.
public final class MTROperationalCredentialsClusterRemoveFabricParams: NSObject {
    /// Which of the device's fabrics goes.
    public var fabricIndex: NSNumber = 0
    /// Makes arguments.
    public override init() {}
}

/// What the device answers to RemoveFabric.
public final class MTROperationalCredentialsClusterNOCResponseParams: NSObject, Sendable {
    /// NodeOperationalCertStatusEnum: 0 when it worked.
    public let statusCode: NSNumber
    /// The fabric.
    public let fabricIndex: NSNumber?
    /// The device's own words.
    public let debugText: String?

    init(_ response: NOCResponse) {
        statusCode = NSNumber(value: response.status.rawValue)
        fabricIndex = response.fabricIndex.map { NSNumber(value: $0.rawValue) }
        debugText = response.debugText.isEmpty ? nil : response.debugText
    }
}

/// The operational credentials of a node, as far as taking it off a fabric needs them.
public final class MTRBaseClusterOperationalCredentials: NSObject, Sendable {
    private let device: MTRBaseDevice
    private let queue: DispatchQueue

    /// Takes the cluster of a device; `nil` for another endpoint than 0, which has none.
    ///
    /// - Parameter queue: completions are called here.
    public init?(device: MTRBaseDevice, endpointID: NSNumber, queue: DispatchQueue) {
        guard endpointID.int64Value == 0 else { return nil }
        self.device = device
        self.queue = queue
    }

    /// Reads which of the device's fabrics the controller's is.
    public func readAttributeCurrentFabricIndex(
        completion: @escaping @Sendable (NSNumber?, (any Error)?) -> Void
    ) {
        device.perform(queue, completion) { [device] () throws -> NSNumber in
            let path = AttributePath(
                endpoint: .root, cluster: .operationalCredentials, attribute: AttributeID(rawValue: 5))
            let answer = try await device.controller.node.read([path], of: device.node)
            switch answer.first {
            case .data(_, _, let value)?:
                guard let number = value.unsigned else {
                    throw MTRError(.schemaMismatch, message: "the fabric's index is no number")
                }
                return NSNumber(value: number)
            case .status(_, let status)?: throw NodeRequestFailure.refused(status)
            case nil: throw MTRError(.generalError, message: "the device says nothing of its fabrics")
            }
        }
    }

    /// Reads which of the device's fabrics the controller's is.
    public func readAttributeCurrentFabricIndex() async throws -> NSNumber {
        try await withCheckedThrowingContinuation { continuation in
            readAttributeCurrentFabricIndex { continuation.resume(with: MTRBaseDevice.result($0, $1)) }
        }
    }

    /// Takes a fabric off the device, with everything of it.
    public func removeFabric(
        with params: MTROperationalCredentialsClusterRemoveFabricParams,
        completion: @escaping @Sendable (MTROperationalCredentialsClusterNOCResponseParams?, (any Error)?) -> Void
    ) {
        let index = params.fabricIndex.int64Value
        device.perform(queue, completion) { [device] () throws -> MTROperationalCredentialsClusterNOCResponseParams in
            guard let index = UInt8(exactly: index), index > 0 else {
                throw MTRError(.invalidIntegerValue, message: "the fabric's index is not 1 … 255")
            }
            let command = ClusterCommand.removeFabric(FabricIndex(rawValue: index))
            let outcome = try await device.controller.node.invoke(
                command.path, fields: command.fields, on: device.node)
            guard case .response(_, let fields) = outcome else {
                throw MTRError(.generalError, message: "no NOCResponse came")
            }
            let response = try NOCResponse(fields: fields)
            if response.status == .ok { device.controller.forget(device.node) }
            return MTROperationalCredentialsClusterNOCResponseParams(response)
        }
    }

    /// Takes a fabric off the device, with everything of it.
    public func removeFabric(
        with params: MTROperationalCredentialsClusterRemoveFabricParams
    ) async throws -> MTROperationalCredentialsClusterNOCResponseParams {
        try await withCheckedThrowingContinuation { continuation in
            removeFabric(with: params) { continuation.resume(with: MTRBaseDevice.result($0, $1)) }
        }
    }
}
