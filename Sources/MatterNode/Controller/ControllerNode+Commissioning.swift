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
        guard !isClosed else {
            return .notFound(DiscoveryFailure(cause: .cancelled, candidates: [], stage: .discover))
        }
        let deadline = link.now.advanced(by: order.timeLimit).sinceStart
        let observer = observed(observer)
        do throws(DiscoveryFailure) {
            let (session, address) = try await openPASE(order.search, until: deadline) { await observer.entered($0) }
            return await commission(
                order, over: CommissioningSession(handle: session, address: address), until: deadline,
                observer: observer)
        } catch {
            return .notFound(error)
        }
    }

    /// Finds a device and opens a PASE session with it, for ``commission(_:over:observer:)`` or ``close(_:)``.
    package func openCommissioningSession(
        _ search: DeviceSearch
    ) async -> Result<CommissioningSession, DiscoveryFailure> {
        guard !isClosed else {
            return .failure(DiscoveryFailure(cause: .cancelled, candidates: [], stage: .discover))
        }
        do throws(DiscoveryFailure) {
            let deadline = link.now.advanced(by: search.timeLimit).sinceStart
            let (session, address) = try await openPASE(search, until: deadline) { _ in }
            return .success(CommissioningSession(handle: session, address: address))
        } catch {
            return .failure(error)
        }
    }

    /// Like ``commission(_:observer:)`` over a session that is open; it is closed at the end. The order's payload and address
    /// mean nothing here.
    package func commission(
        _ order: CommissioningOrder, over session: CommissioningSession, observer: any CommissioningObserver
    ) async -> CommissioningOutcome {
        guard !isClosed else {
            return .notFound(DiscoveryFailure(cause: .cancelled, candidates: [], stage: .pase))
        }
        let deadline = link.now.advanced(by: order.timeLimit).sinceStart
        return await commission(order, over: session, until: deadline, observer: observed(observer))
    }

    private func observed(_ observer: any CommissioningObserver) -> any CommissioningObserver {
        environment.traffic.map { ObservedCommissioning(observer: observer, traffic: $0) } ?? observer
    }

    /// Leaves a device whose session is open as it was: ends its fail-safe, then the session.
    package func close(_ session: CommissioningSession) async { _ = await leave(session.handle) }

    private func commission(
        _ order: CommissioningOrder, over open: CommissioningSession, until deadline: Duration,
        observer: any CommissioningObserver
    ) async -> CommissioningOutcome {
        let (session, address) = (open.handle, open.address)
        let run = CommissioningRun(
            node: self, pase: session, address: address, nodeID: order.nodeID, observer: observer)
        let (outcomes, outcome) = AsyncStream<Result<CommissionedDevice, CommissioningFailure>>.makeStream(
            bufferingPolicy: .bufferingOldest(1))
        let machine = CommissionerMachine(plan: plan(for: order, session: session), authority: authority)
        cleanings[order.nodeID] = Task { await run.drive(machine, outcome: outcome) }
        let alarm = Task { [clock = environment.clock] in
            // Cancelled when the outcome came in time.
            guard (try? await clock.sleep(until: deadline)) != nil else { return }
            run.timeOver()
        }
        defer { alarm.cancel() }
        // Its own task: a stream that a cancelled task waits for ends at once, and the outcome is still to come.
        let result = Task { await outcomes.firstResult() }
        switch await withTaskCancellationHandler(operation: { await result.value }, onCancel: { run.cancel() }) {
        case .failure(let failure):
            if failure.deviceState == .clean || failure.deviceState == .untouched { cleanings[order.nodeID] = nil }
            return .failed(failure)
        case .success(let device):
            cleanings[order.nodeID] = nil
            return .commissioned(await report(device, address: address, notes: await run.notes))
        }
    }

    /// Waits until a failed commissioning of this node has cleaned up; asked once.
    ///
    /// - Returns: what is left; `nil` when none is known.
    package func settled(_ node: NodeID) async -> DeviceState? {
        guard let cleaning = cleanings[node] else { return nil }
        let state = await cleaning.value
        cleanings[node] = nil
        return state
    }

    /// Finds the device and opens a PASE session, within the time that the owner allowed.
    func openPASE(
        _ search: DeviceSearch, until deadline: Duration,
        entered: @escaping @Sendable (CommissioningStage) async -> Void
    ) async throws(DiscoveryFailure) -> (session: SessionHandle, address: PeerAddress) {
        let opening = Task { try await openPASE(search, entered: entered) }
        let alarm = Task { [clock = environment.clock] in
            // Cancelled when the session is there in time.
            guard (try? await clock.sleep(until: deadline)) != nil else { return false }
            opening.cancel()
            return true
        }
        let result = await withTaskCancellationHandler {
            await opening.result
        } onCancel: {
            opening.cancel()
        }
        alarm.cancel()
        do {
            return try result.get()
        } catch var failure as DiscoveryFailure {
            if failure.cause == .cancelled, await alarm.value, !Task.isCancelled { failure.cause = .deadline }
            throw failure
        } catch {
            // The message layer takes no session: too many, or the node is closing.
            throw DiscoveryFailure(
                cause: Task.isCancelled ? .cancelled : .refused("no session could be kept for it"), candidates: [],
                stage: .pase)
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
        return CommissionedNodeReport(
            device: device, address: place, description: description, notes: notes,
            operationalPath: place == address ? .knownAddress : .browse)
    }

    private func plan(for order: CommissioningOrder, session: SessionHandle) -> CommissioningPlan {
        CommissioningPlan(
            nodeID: order.nodeID, fabricID: fabric.fabricID, rootCertificate: fabric.rootCertificate,
            rootPublicKey: fabric.rootPublicKey.bytes, ipkEpochKey: ipkEpochKey, adminSubject: fabric.nodeID.rawValue,
            adminVendor: adminVendor,
            attestationChallenge: link.layer.session(session)?.attestationChallenge ?? [],
            attestationPolicy: order.attestationPolicy, country: order.country,
            failSafeSeconds: order.failSafeSeconds, knownNodes: order.knownNodes,
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
