import MatterCrypto
import MatterWire

/// OperationalCredentials, 0x003E (Core §11.18): attestation, and the node's certificates on its fabrics.
extension VirtualNode {
    /// NodeOperationalCertStatusEnum (Core §11.18.4.4).
    private enum CertificateStatus: UInt8, Error {
        case ok = 0
        case invalidPublicKey = 1
        case invalidNodeOpID = 2
        case invalidNOC = 3
        case missingCSR = 4
        case tableFull = 5
        case invalidAdminSubject = 6
        case fabricConflict = 9
        case labelConflict = 10
        case invalidFabricIndex = 11
    }

    /// Longest certificate in TLV, in bytes.
    private static let maximumCertificate = 400
    /// Longest fabric label, in bytes.
    private static let maximumLabel = 32
    /// Longest debug text in an answer, in bytes.
    private static let maximumDebugText = 128

    mutating func invokeOperationalCredentials(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        switch invocation.command {
        case 0x00: try attest(invocation)
        case 0x02: try certificateChain(invocation)
        case 0x04: try requestCSR(invocation)
        case 0x06: try addNOC(invocation)
        case 0x07: try updateNOC(invocation)
        case 0x09: try updateFabricLabel(invocation)
        case 0x0A: try removeFabric(invocation)
        case 0x0B: try addTrustedRoot(invocation)
        default: throw StatusIB(.unsupportedCommand)
        }
    }

    private func answer(
        _ status: CertificateStatus, _ fabric: FabricIndex? = nil, _ debugText: String? = nil
    ) -> InvokeOutcome {
        let text = debugText.map { String($0.unicodeScalars.filter(\.isASCII).prefix(Self.maximumDebugText)) }
        return .response(
            CommandID(rawValue: 0x08),
            .members((0, .uint(status.rawValue)), (1, fabric.map { .uint($0.rawValue) }), (2, text.map { .utf8($0) })))
    }

    // MARK: Attestation and certificate requests

    private func attest(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let nonce = try invocation.decode { (fields) throws(TLVError) in try fields.octets(0, count: 32) }
        // Without a trusted clock the time stamp is zero (Core §11.18.4.7).
        let elements = TLVValue.members(
            (1, .octets(attestation.certificationDeclaration)), (2, .octets(nonce)), (3, .uint(0 as UInt32)))
        return try signed(elements, as: 0x01, invocation.context)
    }

    private func certificateChain(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let type = try invocation.decode { (fields) throws(TLVError) in try fields.integer(0, as: UInt8.self) }
        let certificate: [UInt8]
        switch type {
        case 1: certificate = attestation.dac
        case 2: certificate = attestation.pai
        default: throw StatusIB(.invalidCommand)
        }
        return .response(CommandID(rawValue: 0x03), .members((0, .octets(certificate))))
    }

    private mutating func requestCSR(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let (nonce, isForUpdate) = try invocation.decode { (fields) throws(TLVError) in
            (try fields.octets(0, count: 32), try fields.optionalBool(1) ?? false)
        }
        let context = invocation.context
        guard failSafe.holder == context.fabricIndex else { throw StatusIB(.failsafeRequired) }
        guard !isForUpdate || context.subject != .pase else { throw StatusIB(.invalidCommand) }
        let key: P256PrivateKey
        let request: [UInt8]
        do throws(CryptoError) {
            key = try P256PrivateKey.generate(using: secrets)
            request = try CertificateSigningRequest.make(key: key)
        } catch {
            throw StatusIB(.failure)
        }
        try admit { () throws(FailSafe.Refusal) in
            try failSafe.csrRequested(key, isForUpdate: isForUpdate, by: context.fabricIndex)
        }
        return try signed(.members((1, .octets(request)), (2, .octets(nonce))), as: 0x05, context)
    }

    /// Answers with elements and the device key's signature over them and the session's attestation challenge.
    private func signed(
        _ elements: TLVValue, as command: UInt32, _ context: InteractionContext
    ) throws(StatusIB) -> InvokeOutcome {
        let bytes = elements.encoded()
        do throws(CryptoError) {
            let signature = try attestation.dacKey.sign(bytes + context.attestationChallenge)
            return .response(
                CommandID(rawValue: command), .members((0, .octets(bytes)), (1, .octets(signature))))
        } catch {
            throw StatusIB(.failure)
        }
    }

    // MARK: Certificates

    private mutating func addTrustedRoot(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let root = try invocation.decode { (fields) throws(TLVError) in try fields.octets(0) }
        let holder = invocation.context.fabricIndex
        guard failSafe.holder == holder else { throw StatusIB(.failsafeRequired) }
        guard root.count <= Self.maximumCertificate else { throw StatusIB(.invalidCommand) }
        do throws(OperationalChainError) {
            _ = try OperationalChain.validateRoot(root)
        } catch {
            throw StatusIB(.invalidCommand)
        }
        try admit { () throws(FailSafe.Refusal) in try failSafe.rootAdded(root, by: holder) }
        return .status(.success)
    }

    private mutating func addNOC(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let (noc, icac) = try certificates(invocation)
        let (ipk, admin, vendor) = try invocation.decode { (fields) throws(TLVError) in
            (
                try fields.octets(2, count: 16), try fields.integer(3, as: UInt64.self),
                VendorID(rawValue: try fields.integer(4, as: UInt16.self))
            )
        }
        guard (0x0001...0xFFF4).contains(vendor.rawValue) else { throw StatusIB(.invalidCommand) }
        let context = invocation.context
        guard let key = try pendingKey(forUpdate: false, context) else { return answer(.missingCSR) }
        let fabric: NodeFabric
        do throws(Refused) {
            guard let root = failSafe.pendingRoot else { throw Refused(.invalidNOC, "no trusted root was added") }
            guard AccessControlEntry.isCASESubject(admin) else { throw Refused(.invalidAdminSubject) }
            let (identity, rootKey) = try validate(noc, icac, root, key)
            guard !fabricTable.contains(rootPublicKey: rootKey, fabricID: identity.fabricID) else {
                throw Refused(.fabricConflict)
            }
            guard !fabricTable.isFull, let index = fabricTable.freeIndex() else { throw Refused(.tableFull) }
            fabric = NodeFabric(
                index: index, fabricID: identity.fabricID, rootCertificate: root, rootPublicKey: rootKey,
                compressedFabricID: try compressedID(rootKey, identity.fabricID), vendorID: vendor,
                credentials: OperationalCredentials(noc: noc, icac: icac, key: key, nodeID: identity.nodeID),
                accessControl: [AccessControlEntry(privilege: .administer, subjects: [admin])],
                keySets: [GroupKeySet(id: GroupKeySet.ipkID, epochs: [GroupKeySet.Epoch(key: ipk, start: 0)])])
        } catch {
            return answer(error.status, nil, error.reason)
        }
        try admit { () throws(FailSafe.Refusal) in
            try failSafe.fabricAdded(fabric.index, by: context.fabricIndex)
        }
        fabricTable.add(fabric)
        emit(.fabricAdded(fabric.index))
        if context.subject == .pase { emit(.bindPASESession(context.session, to: fabric.index)) }
        fabricsChanged()
        return answer(.ok, fabric.index)
    }

    private mutating func updateNOC(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let (noc, icac) = try certificates(invocation)
        let context = invocation.context
        let index = context.fabricIndex
        guard failSafe.holder != index || failSafe.pendingRoot == nil else { throw StatusIB(.constraintError) }
        guard let key = try pendingKey(forUpdate: true, context) else { return answer(.missingCSR) }
        guard let fabric = fabricTable[index] else { return answer(.invalidFabricIndex) }
        let nodeID: NodeID
        do throws(Refused) {
            let (identity, _) = try validate(noc, icac, fabric.rootCertificate, key)
            guard identity.fabricID == fabric.fabricID else { throw Refused(.invalidNOC, "for another fabric") }
            nodeID = identity.nodeID
        } catch {
            return answer(error.status, nil, error.reason)
        }
        try admit { () throws(FailSafe.Refusal) in
            try failSafe.fabricUpdated(index, previous: fabric.credentials, by: index)
        }
        try updateFabric(index) { (fabric) throws(StatusIB) in
            fabric.credentials = OperationalCredentials(noc: noc, icac: icac, key: key, nodeID: nodeID)
        }
        emit(.fabricUpdated(index))
        changed(.operationalCredentials, 0x0000)
        changed(.operationalCredentials, 0x0001)
        return answer(.ok, index)
    }

    private mutating func updateFabricLabel(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let label = try invocation.decode { (fields) throws(TLVError) in try fields.string(0) }
        let index = invocation.context.fabricIndex
        guard label.utf8.count <= Self.maximumLabel else { throw StatusIB(.constraintError) }
        let isTaken = fabricTable.fabrics.contains { $0.index != index && !label.isEmpty && $0.label == label }
        guard !isTaken else { return answer(.labelConflict, index) }
        try updateFabric(index) { (fabric) throws(StatusIB) in fabric.label = label }
        changed(.operationalCredentials, 0x0001)
        return answer(.ok, index)
    }

    private mutating func removeFabric(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let index = try invocation.decode { (fields) throws(TLVError) in
            FabricIndex(rawValue: try fields.integer(0, as: UInt8.self))
        }
        guard (1...254).contains(index.rawValue) else { throw StatusIB(.constraintError) }
        guard fabricTable[index] != nil else { return answer(.invalidFabricIndex) }
        removeFabric(index)
        return answer(.ok, index)
    }
}

// MARK: - Checks

extension VirtualNode {
    /// A NOC that the command answers with a status of its own.
    private struct Refused: Error {
        let status: CertificateStatus
        let reason: String?
        init(_ status: CertificateStatus, _ reason: String? = nil) {
            self.status = status
            self.reason = reason
        }
    }

    private func certificates(_ invocation: Invocation) throws(StatusIB) -> (noc: [UInt8], icac: [UInt8]?) {
        let (noc, icac) = try invocation.decode { (fields) throws(TLVError) in
            (try fields.octets(0), try fields.optionalOctets(1))
        }
        guard noc.count <= Self.maximumCertificate, icac?.count ?? 0 <= Self.maximumCertificate else {
            throw StatusIB(.invalidCommand)
        }
        // Some administrators send an empty ICAC for none.
        return (noc, icac?.isEmpty == true ? nil : icac)
    }

    /// The key that the accessing administrator requested; `nil` when it requested none.
    private func pendingKey(
        forUpdate: Bool, _ context: InteractionContext
    ) throws(StatusIB) -> P256PrivateKey? {
        do throws(FailSafe.Refusal) {
            return try failSafe.key(forUpdate: forUpdate, by: context.fabricIndex)
        } catch .noKey {
            return nil
        } catch {
            throw Self.status(of: error)
        }
    }

    /// Checks a chain without a clock: a node without trusted time can't judge validity periods (Core §6.5.7).
    private func validate(
        _ noc: [UInt8], _ icac: [UInt8]?, _ rcac: [UInt8], _ key: P256PrivateKey
    ) throws(Refused) -> (OperationalIdentity, rootKey: P256PublicKey) {
        do throws(OperationalChainError) {
            let root = try OperationalChain.validateRoot(rcac)
            let identity = try OperationalChain.validate(noc: noc, icac: icac, root: root)
            guard identity.publicKey == key.publicKey else {
                throw OperationalChainError(.node, .publicKey, "not the key that was requested")
            }
            return (identity, root.publicKey)
        } catch {
            let status: CertificateStatus
            switch error.rule {
            case .nodeIDRange: status = .invalidNodeOpID
            case .publicKey: status = .invalidPublicKey
            default: status = .invalidNOC
            }
            throw Refused(status, error.description)
        }
    }

    private func compressedID(_ root: P256PublicKey, _ fabric: FabricID) throws(Refused) -> CompressedFabricID {
        do throws(CryptoError) {
            return try FabricKeys.compressedFabricID(rootPublicKey: root, fabricID: fabric)
        } catch {
            throw Refused(.invalidNOC, error.reason)
        }
    }

    /// Makes a machine's transition; its refusal becomes a status.
    private func admit<R>(_ transition: () throws(FailSafe.Refusal) -> R) throws(StatusIB) -> R {
        do throws(FailSafe.Refusal) {
            return try transition()
        } catch {
            throw Self.status(of: error)
        }
    }

    private static func status(of refusal: FailSafe.Refusal) -> StatusIB {
        switch refusal {
        case .notArmed, .busy: StatusIB(.failsafeRequired)
        case .outOfOrder, .noKey: StatusIB(.constraintError)
        }
    }
}
