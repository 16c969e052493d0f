import MatterNode
import MatterProtocol
import MatterWire

/// The end of a commissioning, CASE and access control.
extension DeviceSuite {
    /// A device that is on no fabric yet.
    static let factoryCases: [DeviceCase] = [
        DeviceCase(
            "failsafe.new-device", "A new device whose fail-safe expired takes its printed code again",
            ["failsafe.rollback"],
            meaning:
                "After a failed first attempt the user must reset the device. Look at what the fail-safe's timer does: remove the fabric, close the PASE session, listen again."
        ) { bench in
            let (outcome, fabrics) = try await bench.expiredAsNew()
            try expect(
                outcome.session != nil, "PASE with the printed code after the fail-safe expired", seen: outcome.words)
            try expect(fabrics.isEmpty, "the unfinished fabric to be gone", seen: "it is still in Fabrics")
        }
    ]

    static let completionCases: [DeviceCase] = [
        DeviceCase(
            "complete.over-case", "A whole commissioning ends well", ["complete.session", "pase.passcode"],
            meaning: "Nothing else can be examined without it. See what the device logs at the step that is named."
        ) { bench in
            _ = try await bench.commissioned()
        },
        DeviceCase(
            "complete.fabric-index", "AddNOC's response names the new fabric's index", ["order.noc"],
            meaning:
                "Administrators need it to remove the fabric again. Look at the second field of NOCResponse, 1 to 254 when the status is OK."
        ) { bench in
            let index = try await bench.completed().index?.rawValue
            try expect(
                index.map { (1...254).contains($0) } ?? false, "a fabric index from 1 to 254",
                seen: index.map { String($0) } ?? "none")
        },
        DeviceCase(
            "complete.breadcrumb", "CommissioningComplete clears the breadcrumb", ["complete.effects"],
            meaning:
                "The next commissioner takes the breadcrumb for a sign of an unfinished attempt, and may skip steps."
        ) { bench in
            let breadcrumb = try await bench.completed().breadcrumb
            try expect(breadcrumb == 0, "Breadcrumb 0", seen: breadcrumb.map { String($0) } ?? "nothing")
        },
        DeviceCase(
            "complete.closes-window", "After CommissioningComplete PASE is refused", ["complete.effects", "pase.one"],
            meaning:
                "Whoever reads the printed code can take over a device that is in use. The window must close when the commissioning is complete."
        ) { bench in
            guard let outcome = try await bench.completed().pase else {
                throw ConformanceSkip("PASE was not tried after CommissioningComplete")
            }
            try expect(outcome.session == nil, "PASE to be refused or not answered", seen: outcome.words)
        },
        DeviceCase(
            "complete.ends-pase-session", "CommissioningComplete ends the PASE session", ["complete.effects"],
            meaning: "A PASE session has every right. When it outlives the commissioning, its owner keeps them."
        ) { bench in
            let isOpen = try await bench.completed().isPASESessionOpen
            try expect(!isOpen, "the PASE session to be closed", seen: "it still answers")
        },
    ]

    static let caseCases: [DeviceCase] = [
        DeviceCase(
            "case.member", "A member of the fabric gets a session, and it is the fabric's", ["case.identity"],
            meaning:
                "The session is bound to another fabric than the one whose member opened it, so that every fabric-scoped answer is wrong."
        ) { bench in
            let admin = try await bench.commissioned()
            let session = try await bench.session(of: admin)
            let index = try await bench.value(.operationalCredentials, 5, "CurrentFabricIndex", on: session).unsigned
            let wanted = admin.index.map { UInt64($0.rawValue) }
            try expect(
                index == wanted, "CurrentFabricIndex \(wanted ?? 0), as AddNOC answered",
                seen: index.map { String($0) } ?? "nothing")
        },
        DeviceCase(
            "case.unknown-fabric", "A member of a fabric that the device is not on gets NoSharedTrustRoots",
            ["case.identity"],
            meaning:
                "The device must compare the destination id with those of its fabrics, and say at once when none fits: commissioners tell by this status that a device was removed."
        ) { bench in
            _ = try await bench.commissioned()
            let foreign = try DeviceAdministrator("F", bench.environment)
            try await bench.expectRefusal(as: foreign.credentials, with: foreign.deviceNode)
        },
        DeviceCase(
            "case.other-node", "Sigma1 for another node of the fabric gets NoSharedTrustRoots", ["case.identity"],
            meaning:
                "The device answers for a node id that is not its own: the destination id is not compared, or without the node id."
        ) { bench in
            let admin = try await bench.commissioned()
            let other = NodeID(rawValue: admin.deviceNode.rawValue ^ 1)
            try await bench.expectRefusal(as: admin.credentials, with: other)
        },
        DeviceCase(
            "case.tampered-proof", "A changed Sigma3 is refused, and the device goes on to answer", ["case.identity"],
            meaning:
                "The device does not check what proves the initiator's identity, or does not recover from a handshake that failed."
        ) { bench in
            let admin = try await bench.commissioned()
            let result = try await bench.handshake(as: admin.credentials, with: admin.deviceNode) { message in
                var changed = message
                guard message.opcode == SecureChannelOpcode.sigma3.rawValue, !changed.payload.isEmpty else {
                    return message
                }
                // The last byte closes the structure; the one before belongs to the encrypted proof's tag.
                changed.payload[changed.payload.count - 2] ^= 1
                return changed
            }
            guard case .failure(let failure) = result else {
                throw ConformanceFailure(expected: "a changed Sigma3 to be refused", seen: "a session was established")
            }
            try expect(
                failure.peerStatus?.secureChannelCode == .invalidParameter || failure.code == .noAnswer,
                "a status report, failure and invalid parameter", seen: failure.words)
            guard
                case .success(let session) = try await bench.handshake(
                    as: admin.credentials, with: admin.deviceNode)
            else {
                throw ConformanceFailure(expected: "the next, right handshake to succeed", seen: "it does not")
            }
            bench.operational[admin.id] = session
        },
    ]

    static let accessCases: [DeviceCase] = [
        DeviceCase(
            "acl.only-administrator", "The access control list has exactly the administrator that AddNOC named",
            ["acl.administrator"],
            meaning:
                "Without the entry nobody can administer the device; with more, others can. Look at what AddNOC does with CaseAdminSubject."
        ) { bench in
            let admin = try await bench.commissioned()
            let session = try await bench.session(of: admin)
            let list = try await bench.value(.accessControl, 0, "ACL", on: session, isFabricFiltered: true)
            let entries = list.array ?? []
            let subject = TLVValue.uint(admin.credentials.nodeID.rawValue)
            let isRight =
                entries.count == 1 && entries[0][1]?.unsigned == 5 && entries[0][2]?.unsigned == 2
                && entries[0][3]?.array == [subject] && (entries[0][4]?.isNull ?? true)
            try expect(
                isRight, "one entry: Administer, by CASE, for the administrator's node, everywhere",
                seen: entries.isEmpty ? "no entry" : entries.map(\.entryWords).joined(separator: "; "))
        },
        DeviceCase(
            "acl.stranger-reads", "A node of the fabric without rights cannot read the access control list",
            ["acl.administrator"],
            meaning:
                "The device takes membership of the fabric for rights. Look at where a request's privilege is checked: on reads too?"
        ) { bench in
            let session = try await bench.strangerSession()
            let path = ConcreteAttributePath(.root, .accessControl, 0)
            let asked = AttributePath(endpoint: .root, cluster: .accessControl, attribute: path.attribute)
            let status = try await bench.read([asked], on: session).status(of: path)
            try expect(
                status?.status == .unsupportedAccess, "\(InteractionStatus.unsupportedAccess)",
                seen: status?.words ?? "the list")
        },
        DeviceCase(
            "acl.stranger-commands", "A node of the fabric without rights cannot arm the fail-safe",
            ["acl.administrator"],
            meaning:
                "The device takes membership of the fabric for rights. Look at where a command's privilege is checked."
        ) { bench in
            let session = try await bench.strangerSession()
            try await bench.invoke(.armFailSafe(seconds: 5, breadcrumb: 0), on: session)
                .expect("ArmFailSafe by a node without rights", refusedWith: .unsupportedAccess)
        },
    ]
}

extension DeviceBench {
    func completed() async throws -> CompletionObservation {
        _ = try await commissioned()
        guard let completion else { throw ConformanceSkip("no commissioning was completed in this run") }
        return completion
    }

    func expectRefusal(as credentials: FabricCredentials, with node: NodeID) async throws {
        switch try await handshake(as: credentials, with: node) {
        case .success:
            throw ConformanceFailure(
                expected: "Sigma1 to be refused, no shared trust roots", seen: "a session was established")
        case .failure(let failure):
            try expect(
                failure.code == .noSharedTrustRoots, "a status report, failure and no shared trust roots",
                seen: failure.words)
        }
    }

    /// A session of a node of fabric A that nobody gave any rights; it ends with the case.
    func strangerSession() async throws -> ProbeSession {
        let admin = try await commissioned()
        switch try await handshake(as: try admin.stranger(environment), with: admin.deviceNode) {
        case .success(let session):
            paseSessions.append(session)
            return session
        case .failure(let failure):
            throw ConformanceFailure(
                expected: "a CASE session for another node of the fabric: rights are a matter of access control",
                seen: failure.words)
        }
    }
}

extension TLVValue {
    /// An access control entry in words.
    fileprivate var entryWords: String {
        let subjects = self[3]?.array.map { "\($0.count) subjects" } ?? "any subject"
        return "privilege \(Optional(self)?[1]?.unsigned ?? 0), mode \(self[2]?.unsigned ?? 0), \(subjects)"
    }
}
