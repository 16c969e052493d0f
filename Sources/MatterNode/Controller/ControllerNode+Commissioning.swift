import MatterCrypto
package import MatterProtocol
package import MatterWire
import NetIO

/// The end of a commissioning as it is told to its owner; cleaning may go on after a failure.
package enum CommissioningOutcome: Sendable {
    case commissioned(CommissionedNodeReport)
    case failed(CommissioningFailure)
    case notFound(DiscoveryFailure)
}

extension ControllerNode {
    /// Commissions one device. Cancelling the task stops it: the answer then comes within a second.
    ///
    /// What the device still needs after a failure goes on in the background; ``settled(_:)`` waits for it.
    package func commission(
        _ order: CommissioningOrder, observer: any CommissioningObserver
    ) async -> CommissioningOutcome {
        let limit = DeadlineTimer(clock: environment.clock)
        limit.arm(link.now.advanced(by: order.timeLimit).sinceStart)
        defer { limit.finish() }
        let opened = await openPASE(order, limit: limit, observer: observer)
        switch opened {
        case .failure(let failure): return .notFound(failure)
        case .success(let (session, address)):
            let run = CommissioningRun(
                node: self, pase: session, address: address, nodeID: order.nodeID, observer: observer)
            let (outcomes, outcome) = AsyncStream<Result<CommissionedDevice, CommissioningFailure>>.makeStream(
                bufferingPolicy: .bufferingOldest(1))
            let machine = CommissionerMachine(plan: plan(for: order, session: session), authority: authority)
            let driver = Task { await run.drive(machine, outcome: outcome) }
            cleanings[order.nodeID] = driver
            let timeLimit = Task { for await _ in limit.firings { await run.cancel() } }
            defer { timeLimit.cancel() }
            // In a task of its own: the outcome of a cancelled commissioning is waited for too.
            let first = Task { await outcomes.firstResult() }
            let result = await withTaskCancellationHandler {
                await first.value
            } onCancel: {
                Task { await run.cancel() }
            }
            switch result {
            case .failure(let failure): return .failed(failure)
            case .success(let device):
                cleanings[order.nodeID] = nil
                return .commissioned(await report(device, address: address, notes: await run.notes))
            }
        }
    }

    /// Waits until a failed commissioning of this node has cleaned up.
    ///
    /// - Returns: what is left; `nil` when none is known.
    package func settled(_ node: NodeID) async -> DeviceState? { await cleanings[node]?.value }

    private func openPASE(
        _ order: CommissioningOrder, limit: DeadlineTimer, observer: any CommissioningObserver
    ) async -> Result<(session: SessionHandle, address: PeerAddress), DiscoveryFailure> {
        do {
            return .success(try await openPASE(order, observer: observer))
        } catch let failure as DiscoveryFailure {
            return .failure(failure)
        } catch {
            return .failure(
                DiscoveryFailure(
                    cause: Task.isCancelled ? .cancelled : .refused("\(error)"), candidates: [], stage: .pase))
        }
    }

    private func report(
        _ device: CommissionedDevice, address: PeerAddress, notes: [CommissioningNote]
    ) async -> CommissionedNodeReport {
        var description = NodeDescription()
        var place = knownAddresses[device.nodeID] ?? address
        do {
            let session = try await operationalSession(with: device.nodeID)
            place = link.layer.session(session)?.address ?? place
            description = try await describe(session)
        } catch {
            // The device is commissioned all the same; it is described by what commissioning read.
            description.vendorID = device.vendorID
            description.productID = device.productID
        }
        return CommissionedNodeReport(device: device, address: place, description: description, notes: notes)
    }

    private func plan(for order: CommissioningOrder, session: SessionHandle) -> CommissioningPlan {
        CommissioningPlan(
            nodeID: order.nodeID, fabricID: fabric.fabricID, rootCertificate: fabric.rootCertificate,
            rootPublicKey: fabric.rootPublicKey.bytes, ipkEpochKey: ipkEpochKey, adminSubject: fabric.nodeID.rawValue,
            adminVendor: adminVendor,
            attestationChallenge: link.layer.session(session)?.attestationChallenge ?? [],
            attestationPolicy: order.attestationPolicy, knownNodes: order.knownNodes,
            wallClock: environment.wallClock())
    }
}

extension AsyncStream {
    fileprivate func firstResult<Success, Failure>() async -> Element where Element == Result<Success, Failure> {
        // The driver always gives an outcome before it ends the stream.
        for await element in self { return element }
        preconditionFailure("a commissioning ended without an outcome")
    }
}
