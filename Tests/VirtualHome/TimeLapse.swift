package import MatterNode
package import MatterProtocol
package import MatterWire
package import NetIO
import TestSupport

extension Home {
    /// Runs the body while time passes, a twentieth of a second a turn; between turns everyone has a chance to work.
    package func whileTimePasses<R>(_ body: () async throws -> R) async rethrows -> R {
        let time = Task {
            while !Task.isCancelled {
                await clock.advance(by: .milliseconds(50))
                for _ in 0..<50 { await Task.yield() }
            }
        }
        do {
            let result = try await body()
            time.cancel()
            await time.value
            return result
        } catch {
            time.cancel()
            await time.value
            throw error
        }
    }

    /// The commissioning that the light's link is cut in when a stage begins; time passes from there to its outcome.
    package func commission(
        _ controller: ControllerNode, _ order: CommissioningOrder, cuttingAt stage: CommissioningStage
    ) async -> CommissioningOutcome {
        let (cuts, cut) = AsyncStream<Void>.makeStream()
        let observer = StageObserver(stage: stage) { [network] in
            network.cut(port: Self.devicePort)
            cut.yield()
        }
        let running = Task { await controller.commission(order, observer: observer) }
        for await _ in cuts { break }
        return await whileTimePasses { await running.value }
    }
}

extension CommissioningOutcome {
    /// The commissioner's failure.
    package var failure: CommissioningFailure? { if case .failed(let failure) = self { failure } else { nil } }
    /// The failure before the commissioner had anything to do.
    package var discoveryFailure: DiscoveryFailure? { if case .notFound(let failure) = self { failure } else { nil } }
}

/// Finds what a test says.
package final class ScriptedDiscovery: NodeDiscovery {
    private let commissionable: AsyncThrowingStream<CommissionableEvent, any Error>
    private let continuation: AsyncThrowingStream<CommissionableEvent, any Error>.Continuation
    private let operational: @Sendable (String) -> [OperationalAddress]
    /// Instances that were looked for.
    package let lookups = Locked<[String]>([])

    /// - Parameter operational: where an operational instance is.
    package init(operational: @escaping @Sendable (String) -> [OperationalAddress] = { _ in [] }) {
        (commissionable, continuation) = AsyncThrowingStream.makeStream()
        self.operational = operational
    }

    package func announce(_ event: CommissionableEvent) { continuation.yield(event) }
    package func fail(_ error: any Error) { continuation.finish(throwing: error) }

    package func commissionableNodes() -> AsyncThrowingStream<CommissionableEvent, any Error> { commissionable }
    package func operationalNode(instance: String) -> AsyncThrowingStream<OperationalAddress, any Error> {
        lookups.withLock { $0.append(instance) }
        // Like a browse, it goes on until nobody listens.
        return AsyncThrowingStream { continuation in
            for address in operational(instance) { continuation.yield(address) }
        }
    }
}

extension Home {
    /// What the light announces of itself, or something like it elsewhere.
    package func record(
        _ instance: String = "LIGHT", port: UInt16 = devicePort, discriminator: UInt16? = nil, mode: Int = 1
    ) -> CommissionableRecord {
        CommissionableRecord(
            instance: instance, port: port, addresses: [MemoryNetwork.address(port)],
            txt: [
                "D": String(discriminator ?? identity.discriminator.rawValue), "CM": String(mode),
                "VP": "\(DeviceIdentity.vendorID.rawValue)+\(identity.productID.rawValue)",
            ])
    }

    /// An order without an address: the device is to be found.
    package func search(_ node: UInt64, payload: OnboardingPayload? = nil) -> CommissioningOrder {
        CommissioningOrder(payload: payload ?? identity.payload, nodeID: NodeID(rawValue: node))
    }
}

/// Lets other tasks run until the condition holds; the test's time limit ends it otherwise.
package func until(_ condition: () async -> Bool) async {
    while !Task.isCancelled, await !condition() { await Task.yield() }
}

extension Home.Light {
    /// Whether it is on no fabric and open for a commissioner.
    package var isFresh: Bool {
        get async {
            guard await node.isCommissionable else { return false }
            return await node.fabrics.isEmpty
        }
    }
}
