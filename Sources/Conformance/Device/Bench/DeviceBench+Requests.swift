import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire

extension DeviceBench {
    /// Sends a command, timed where it must be.
    ///
    /// - Parameter isTimed: `nil` for as the specification wants it.
    func invoke(
        _ command: ClusterCommand, on session: ProbeSession, isTimed: Bool? = nil,
        allowance: Duration = .seconds(15)
    ) async throws -> DeviceAnswer {
        let transaction = InvokeTransaction(
            command.path, fields: command.fields, timeout: isTimed ?? command.isTimed ? 5_000 : nil)
        let result = await probe.conduct(transaction, on: session, allowance: allowance)
        try Task.checkCancellation()
        if case .failure(let failure) = result { await forget(session, after: failure) }
        return DeviceAnswer(result)
    }

    /// Reads attributes of the root endpoint, a few a request.
    ///
    /// - Throws: ``ConformanceFailure`` when the device does not answer the read.
    func read(
        _ cluster: ClusterID, _ attributes: [UInt32], on session: ProbeSession, isFabricFiltered: Bool = false
    ) async throws -> ReadResult {
        var all = ReadResult()
        var rest = attributes[...]
        while !rest.isEmpty {
            let paths = rest.prefix(InteractionLimits.pathsPerRead).map {
                AttributePath(endpoint: .root, cluster: cluster, attribute: AttributeID(rawValue: $0))
            }
            rest = rest.dropFirst(paths.count)
            let part = try await read(paths, on: session, isFabricFiltered: isFabricFiltered)
            all.attributes += part.attributes
        }
        return all
    }

    /// Reads attributes by path.
    func read(
        _ paths: [AttributePath], on session: ProbeSession, isFabricFiltered: Bool = false
    ) async throws -> ReadResult {
        let result = await probe.conduct(
            ReadTransaction(paths, isFabricFiltered: isFabricFiltered), on: session, allowance: .seconds(15))
        try Task.checkCancellation()
        switch result {
        case .success(let result): return result
        case .failure(let failure):
            await forget(session, after: failure)
            throw ConformanceFailure(expected: "an answer to a read", seen: failure.explanation)
        }
    }

    /// A session that the device no longer answers in is not used again.
    private func forget(_ session: ProbeSession, after failure: InteractionFailure) async {
        switch failure.code {
        case .unreachable, .sessionClosed, .timedOut: await forget(session)
        case .status, .malformed, .unexpectedMessage, .mismatchedAnswer, .answerTooLarge, .requestTooLarge: break
        }
    }

    func forget(_ session: ProbeSession) async {
        await probe.drop(session)
        operational = operational.filter { $0.value.handle != session.handle }
    }

    /// One attribute of the root endpoint.
    ///
    /// - Throws: ``ConformanceFailure`` when there is no value.
    func value(
        _ cluster: ClusterID, _ attribute: UInt32, _ name: String, on session: ProbeSession,
        isFabricFiltered: Bool = false
    ) async throws -> TLVValue {
        let result = try await read(cluster, [attribute], on: session, isFabricFiltered: isFabricFiltered)
        guard let value = result[root: cluster, AttributeID(rawValue: attribute)] else {
            let path = ConcreteAttributePath(
                endpoint: .root, cluster: cluster, attribute: AttributeID(rawValue: attribute))
            throw ConformanceFailure(
                expected: "a value of \(name)", seen: result.status(of: path)?.words ?? "no report of it")
        }
        return value
    }

    // MARK: - What the device says of fabrics

    /// Every fabric that the device is on.
    func fabrics(on session: ProbeSession, isFabricFiltered: Bool = false) async throws -> [FabricEntry] {
        let list = try await value(
            .operationalCredentials, 1, "Fabrics", on: session, isFabricFiltered: isFabricFiltered)
        return (list.array ?? []).map(FabricEntry.init)
    }

    /// Whether the device says that it has a fabric of ours.
    func has(_ admin: DeviceAdministrator, on session: ProbeSession) async throws -> Bool {
        try await fabrics(on: session).contains { $0.rootPublicKey == admin.credentials.rootPublicKey.bytes }
    }

    /// Whether the device trusts a root of ours.
    func trusts(_ admin: DeviceAdministrator, on session: ProbeSession) async throws -> Bool {
        let roots = try await value(.operationalCredentials, 4, "TrustedRootCertificates", on: session)
        return (roots.array ?? []).contains(.octets(admin.credentials.rootCertificate))
    }

    func breadcrumb(on session: ProbeSession) async throws -> UInt64? {
        try await value(.generalCommissioning, 0, "Breadcrumb", on: session).unsigned
    }

    func windowStatus(on session: ProbeSession) async throws -> UInt64? {
        try await value(.administratorCommissioning, 0, "WindowStatus", on: session).unsigned
    }
}

/// An entry of Fabrics as the device has it; members that it lacks are `nil`.
struct FabricEntry: Sendable {
    let rootPublicKey: [UInt8]?
    let label: String?
    let index: UInt8?

    init(_ value: TLVValue) {
        rootPublicKey = value[1]?.octets
        label = value[5]?.utf8
        index = value[254]?.unsigned.flatMap(UInt8.init(exactly:))
    }
}
