import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire

extension DeviceBench {
    /// Puts back what a case changed, except fabrics A and B, which later cases use.
    ///
    /// - Returns: what is left, in words.
    func tidy() async -> [String] {
        for session in paseSessions { await disarm(session) }
        paseSessions = []
        if window != nil, let main { await closeWindow(main) }
        window = nil
        var remarks: [String] = []
        for admin in provisional {
            if let remark = await remove(admin) { remarks.append(remark) }
        }
        provisional = []
        return remarks
    }

    /// Leaves the device as it was before the run: on none of our fabrics.
    ///
    /// - Returns: what is left, in words, with what to do about it.
    package func leave() async -> [String] {
        var remarks = await tidy()
        // What a device kept although it said otherwise.
        let rest = founded.filter { $0.id != main?.id && $0.id != second?.id }
        for admin in rest where await isListed(admin) == true {
            if let remark = await remove(admin) { remarks.append(remark) }
        }
        for admin in [second, main].compactMap(\.self) {
            if let remark = await remove(admin) { remarks.append(remark) }
        }
        (second, main) = (nil, nil)
        return remarks
    }

    /// Whether the device lists a fabric, as fabric A sees it; `nil` when A cannot see.
    private func isListed(_ admin: DeviceAdministrator) async -> Bool? {
        // Without a session there is nothing to be seen: that is what `nil` says.
        guard let main, main.id != admin.id, let session = try? await session(of: main) else { return nil }
        return try? await has(admin, on: session)
    }

    func disarm(_ session: ProbeSession) async {
        let command = ClusterCommand.armFailSafe(seconds: 0, breadcrumb: 0)
        // Whatever it answers, the session ends: that ends the fail-safe too.
        _ = await probe.conduct(
            InvokeTransaction(command.path, fields: command.fields), on: session, allowance: .seconds(2))
        await probe.close(session)
    }

    private func closeWindow(_ admin: DeviceAdministrator) async {
        // Closed already, or a session is no longer to be had: the window ends by itself.
        guard let session = try? await session(of: admin) else { return }
        _ = try? await invoke(.revokeCommissioning, on: session, allowance: .seconds(5))
    }

    /// Takes the device off a fabric: by the fabric's own administrator, or by that of A.
    ///
    /// - Returns: what is left, in words.
    func remove(_ admin: DeviceAdministrator) async -> String? {
        let left = "the device may still be on our fabric \(admin.name)"
        let advice = "reset it to its factory settings if it takes no other commissioner"
        do {
            if let main, main.id != admin.id, let isListed = await isListed(admin) {
                if !isListed { return nil }
                if try await remove(admin, over: try await session(of: main)) { return nil }
            }
            switch try await handshake(as: admin.credentials, with: admin.deviceNode) {
            case .success(let session):
                operational[admin.id] = session
                return try await remove(admin, over: session) ? nil : "\(left): it refused RemoveFabric; \(advice)"
            case .failure(let failure) where failure.code == .noSharedTrustRoots: return nil
            case .failure(let failure): return "\(left): \(failure.words); \(advice)"
            }
        } catch let failure as ConformanceFailure {
            return "\(left): \(failure.seen); \(advice)"
        } catch {
            return "\(left): \(error); \(advice)"
        }
    }

    private func remove(_ admin: DeviceAdministrator, over session: ProbeSession) async throws -> Bool {
        let known = try await fabrics(on: session)
        let key = admin.credentials.rootPublicKey.bytes
        let entries = known.filter { $0.rootPublicKey == key }
        guard !entries.isEmpty else { return true }
        // A device that took the fabric twice has it twice; the one that the session is on goes last.
        let indices = entries.compactMap { $0.index ?? admin.index?.rawValue }
        guard let last = indices.first(where: { $0 == admin.index?.rawValue }) ?? indices.last else { return false }
        for index in indices where index != last {
            _ = try await invoke(.removeFabric(FabricIndex(rawValue: index)), on: session)
        }
        let answer = try await invoke(.removeFabric(FabricIndex(rawValue: last)), on: session)
        operational[admin.id] = nil
        // Some devices end the session before the answer; the next CASE tells.
        if case .failed = answer {
            guard case .failure(let failure) = try await handshake(as: admin.credentials, with: admin.deviceNode) else {
                return false
            }
            return failure.code == .noSharedTrustRoots
        }
        return answer.code == 0
    }
}
