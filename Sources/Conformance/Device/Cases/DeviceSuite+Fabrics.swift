import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire

/// Several fabrics on one device, and their end.
extension DeviceSuite {
    static let fabricCases: [DeviceCase] = [
        DeviceCase(
            "fabrics.filtered", "A fabric-filtered read shows a fabric its own entries only", ["fabrics.scope"],
            meaning:
                "Administrators see each other's certificates and rights. Look at how fabric-scoped lists are filtered when the read asks for it."
        ) { bench in
            let admin = try await bench.secondAdministrator()
            let session = try await bench.session(of: admin)
            for (cluster, attribute, name) in scopedLists {
                let list = try await bench.value(cluster, attribute, name, on: session, isFabricFiltered: true)
                let indices = (list.array ?? []).map { $0[254]?.unsigned ?? 0 }
                let wanted = admin.index.map { UInt64($0.rawValue) }
                try expect(
                    !indices.isEmpty && indices.allSatisfy { $0 == wanted },
                    "entries of fabric \(wanted ?? 0) only in \(name)",
                    seen: "entries of the fabrics \(indices.map { String($0) }.joined(separator: ", "))")
            }
        },
        DeviceCase(
            "fabrics.sensitive", "An unfiltered read hides what is sensitive in other fabrics' entries",
            ["fabrics.scope"],
            meaning:
                "Who may do what on another fabric is nobody else's business. Look at the fields with the fabric-sensitive quality."
        ) { bench in
            let (main, admin) = (try await bench.commissioned(), try await bench.secondAdministrator())
            let session = try await bench.session(of: admin)
            // Certificates were sensitive in older versions; access control entries are in all of them.
            let list = try await bench.value(.accessControl, 0, "ACL", on: session)
            let foreign = (list.array ?? []).filter { $0[254]?.unsigned == main.index.map { UInt64($0.rawValue) } }
            let told = foreign.flatMap { $0.members ?? [] }.filter { $0.tag != .context(254) && !$0.value.isNull }
            try expect(
                told.isEmpty, "nothing but the fabric index in the other fabric's access control entries",
                seen: "\(told.count) more fields")
        },
        DeviceCase(
            "fabrics.twice", "AddNOC for a fabric that the device is on is refused", ["fabrics.unique"],
            meaning:
                "Two entries of one fabric: removing one leaves the other. The device must compare root key and fabric id with its table."
        ) { bench in
            let main = try await bench.commissioned()
            let session = try await bench.openPASE()
            try await bench.arm(60, on: session)
            let csr = try await bench.csr(on: session)
            try await bench.invoke(.addTrustedRoot(main.credentials.rootCertificate), on: session)
                .expectSuccess("AddTrustedRootCertificate")
            let noc = try main.noc(for: csr.key, secrets: bench.environment.secrets)
            let answer = try await bench.invoke(main.addNOC(noc), on: session)
            let index = answer.fields?[1]?.unsigned.flatMap(UInt8.init(exactly:))
            if answer.code == 0, let index, index != main.index?.rawValue {
                _ = try await bench.invoke(
                    .removeFabric(FabricIndex(rawValue: index)), on: try await bench.session(of: main))
            }
            try answer.expect("AddNOC for the same fabric", answeredWith: 9, naming: .nodeOperationalCertificate)
        },
        DeviceCase(
            "fabrics.label-conflict", "Two fabrics cannot have the same label", ["fabrics.label"],
            meaning:
                "Users tell administrators apart by their labels. Compare a new label with those of all other fabrics."
        ) { bench in
            let (main, admin) = (try await bench.commissioned(), try await bench.secondAdministrator())
            let (first, second) = (try await bench.session(of: main), try await bench.session(of: admin))
            let label = "Conformance"
            try await bench.invoke(.updateFabricLabel(label), on: first)
                .expect("UpdateFabricLabel", answeredWith: 0, naming: .nodeOperationalCertificate)
            let answer = try await bench.invoke(.updateFabricLabel(label), on: second)
            for session in [first, second] { _ = try await bench.invoke(.updateFabricLabel(""), on: session) }
            try answer.expect(
                "a label that another fabric has", answeredWith: 10, naming: .nodeOperationalCertificate)
        },
        DeviceCase(
            "fabrics.unknown-index", "RemoveFabric for an index that is not there says InvalidFabricIndex",
            ["fabrics.remove"],
            meaning: "Administrators tell by it that a fabric was removed already."
        ) { bench in
            let session = try await bench.session(of: try await bench.commissioned())
            let used = Set(try await bench.fabrics(on: session).compactMap(\.index))
            guard let free = (1...254).map({ UInt8(254 - $0 + 1) }).first(where: { !used.contains($0) }) else { return }
            try await bench.invoke(.removeFabric(FabricIndex(rawValue: free)), on: session)
                .expect(
                    "RemoveFabric for an index that is not there", answeredWith: 11, naming: .nodeOperationalCertificate
                )
        },
    ]

    private static let scopedLists: [(ClusterID, UInt32, String)] = [
        (.operationalCredentials, 0, "NOCs"), (.operationalCredentials, 1, "Fabrics"), (.accessControl, 0, "ACL"),
    ]

    static let removalCases: [DeviceCase] = [
        DeviceCase(
            "removal.ends-sessions", "RemoveFabric of one's own fabric is answered, and ends its sessions",
            ["fabrics.remove"],
            meaning:
                "Whoever was removed goes on to control the device until the session times out. Close the fabric's sessions once the answer is out."
        ) { bench in
            let seen = try await bench.removed()
            try seen.answer.expect("RemoveFabric", answeredWith: 0, naming: .nodeOperationalCertificate)
            try expect(
                !seen.sessionAnswers, "the session to be closed once RemoveFabric was answered",
                seen: "it still answers")
        },
        DeviceCase(
            "removal.forgets-fabric", "A removed fabric is gone with its root, and gets NoSharedTrustRoots",
            ["fabrics.remove", "case.identity"],
            meaning:
                "The device keeps something of a fabric that its user took away. Look at everything that AddNOC stored."
        ) { bench in
            let seen = try await bench.removed()
            try expect(!seen.isListed, "the fabric to be gone from Fabrics", seen: "it is still there")
            try expect(!seen.hasRoot, "its root to be gone from TrustedRootCertificates", seen: "it is still there")
            try expect(
                seen.handshake?.code == .noSharedTrustRoots, "CASE to be refused with no shared trust roots",
                seen: seen.handshake?.words ?? "a session was established")
        },
        DeviceCase(
            "removal.leaves-others", "Other fabrics and their sessions do not notice", ["fabrics.remove"],
            meaning: "One administrator's leaving throws the others out."
        ) { bench in
            let seen = try await bench.removed()
            try expect(seen.otherAnswers, "the other fabric's session to go on", seen: "it no longer answers")
            try expect(seen.hasOther, "the other fabric to be in Fabrics", seen: "it is gone")
        },
        DeviceCase(
            "removal.commissionable-again", "With the last fabric gone, the printed code works again", ["fabrics.last"],
            meaning:
                "The device can neither be used nor commissioned, until its user finds the reset button. A device without a fabric must open its window by itself."
        ) { bench in
            let main = try await bench.commissioned()
            let session = try await bench.session(of: main)
            let count = try await bench.fabrics(on: session).count
            guard count == 1, let index = main.index else {
                throw ConformanceSkip("the device is on \(count - 1) fabrics of others, which stay")
            }
            try await bench.invoke(.removeFabric(index), on: session)
                .expect("RemoveFabric of the last fabric", answeredWith: 0, naming: .nodeOperationalCertificate)
            bench.operational[main.id] = nil
            bench.provisional.append(main)
            bench.main = nil
            let outcome = try await bench.soonAttempt(bench.order.payload.passcode.rawValue)
            try expect(outcome.session != nil, "PASE with the printed code within a few seconds", seen: outcome.words)
        },
    ]
}
