import MatterCrypto
import MatterProtocol
package import MatterWire

/// What became of a node that must leave the fabric.
package enum RemovalOutcome: Hashable, Sendable {
    /// The node accepted RemoveFabric.
    case removed
    /// The node answered, and knows no fabric of ours.
    case notOnFabric
    /// Nobody answered, or the node refused; why.
    case failed(String)
}

/// Whether a node is where it should be.
package enum NodeWhereabouts: Hashable, Sendable {
    /// It answered on the fabric.
    case onFabric
    /// Somebody answered at its address, and is not on the fabric or is another node.
    case notOnFabric
    /// Nobody answered in the time allowed.
    case unreachable
}

extension ControllerNode {
    /// Asks a node whether it is still on the fabric.
    ///
    /// - Parameter known: its last address; `nil` to rely on discovery.
    package func presence(
        of node: NodeID, known: PeerAddress?, within limit: Duration = .seconds(3)
    ) async -> NodeWhereabouts {
        dropSessions(with: node)
        do {
            _ = try await operationalSession(with: node, known: known, within: limit)
            return .onFabric
        } catch let failure as RaceFailure where failure.mostTelling?.code == .noSharedTrustRoots {
            return .notOnFabric
        } catch {
            return .unreachable
        }
    }

    /// Takes a node off the fabric: reads which fabric is ours there, then RemoveFabric.
    ///
    /// - Parameter known: its last address; `nil` to rely on discovery.
    package func removeFabric(from node: NodeID, known: PeerAddress?) async -> RemovalOutcome {
        if let known, knownAddresses[node] == nil { knownAddresses[node] = known }
        do {
            let current = try await read(
                [
                    AttributePath(
                        endpoint: .root, cluster: .operationalCredentials, attribute: AttributeID(rawValue: 5))
                ], of: node)
            guard case .data(_, _, let value)? = current.first, let index = value.unsigned.flatMap(UInt8.init(exactly:))
            else { return .failed("the device does not say which fabric is ours") }
            let command = ClusterCommand.removeFabric(FabricIndex(rawValue: index))
            let outcome = try await invoke(command.path, fields: command.fields, on: node)
            endSubscription(with: node)
            dropSessions(with: node)
            knownAddresses[node] = nil
            guard case .response(_, let fields) = outcome else { return .failed("no NOCResponse came") }
            let response = try NOCResponse(fields: fields)
            guard response.status == .ok else { return .failed("it refused RemoveFabric: \(response.status)") }
            return .removed
        } catch NodeRequestFailure.unreachable(let failure) {
            if failure.mostTelling?.code == .noSharedTrustRoots { return .notOnFabric }
            return .failed(failure.mostTelling?.reason ?? "nobody answers for it on the network")
        } catch NodeRequestFailure.interaction(let failure) where failure.code == .sessionClosed {
            // Some devices drop the session before the answer: the next session tells.
            return await confirmRemoval(of: node)
        } catch NodeRequestFailure.refused(let status) {
            return .failed("it refused RemoveFabric with status 0x\(String(status.status.rawValue, radix: 16))")
        } catch NodeRequestFailure.interaction(let failure) {
            return .failed(failure.explanation)
        } catch is CancellationError {
            return .failed("the try was stopped")
        } catch {
            return .failed("its answer to RemoveFabric does not decode")
        }
    }

    private func confirmRemoval(of node: NodeID) async -> RemovalOutcome {
        dropSessions(with: node)
        do {
            _ = try await operationalSession(with: node, known: nil, within: .seconds(10))
            return .failed("the device ended the session and stayed on the fabric")
        } catch let failure as RaceFailure where failure.mostTelling?.code == .noSharedTrustRoots {
            return .removed
        } catch {
            return .failed("the device ended the session before its answer")
        }
    }

    /// Opens an enhanced commissioning window.
    ///
    /// - Parameters:
    ///   - timeout: 180 … 900 s.
    ///   - passcode: `nil` draws one.
    ///   - discriminator: `nil` draws one.
    /// - Returns: what another administrator needs.
    package func openWindow(
        on node: NodeID, timeout: Duration, passcode: Passcode? = nil, discriminator: Discriminator? = nil
    ) async throws -> OnboardingPayload {
        var random = environment.random
        let passcode = passcode ?? Passcode.random(using: &random)
        let discriminator = discriminator ?? Discriminator.drawn(using: random)
        let salt = try environment.secrets.bytes(32)
        let iterations: UInt32 = 1_000
        let verifier = try PAKEVerifier.compute(passcode: passcode.rawValue, salt: salt, iterations: Int(iterations))
        let ids = try await read(
            [2, 4].map {
                AttributePath(endpoint: .root, cluster: .basicInformation, attribute: AttributeID(rawValue: $0))
            }, of: node)
        func number(_ attribute: UInt32) -> UInt16? {
            for case .data(let path, _, let value) in ids where path.attribute.rawValue == attribute {
                return value.unsigned.flatMap { UInt16(exactly: $0) }
            }
            return nil
        }
        let command = ClusterCommand.openCommissioningWindow(
            seconds: UInt16(clamping: timeout.components.seconds), verifier: verifier.serialized,
            discriminator: discriminator.rawValue,
            iterations: iterations, salt: salt)
        _ = try await invoke(command.path, fields: command.fields, timeout: 10_000, on: node)
        return OnboardingPayload(
            vendorID: number(2).map { VendorID(rawValue: $0) }, productID: number(4).map { ProductID(rawValue: $0) },
            discoveryCapabilities: .onNetwork, discriminator: .long(discriminator), passcode: passcode)
    }
}

extension Discriminator {
    fileprivate static func drawn(using random: RandomSource) -> Discriminator {
        guard let drawn = Discriminator(rawValue: UInt16(truncatingIfNeeded: random.next()) & 0xFFF) else {
            preconditionFailure("12 bits are a discriminator")
        }
        return drawn
    }
}
