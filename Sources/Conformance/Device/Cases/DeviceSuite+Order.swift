import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire

/// Steps that come at the wrong time, or with the wrong thing.
extension DeviceSuite {
    static let orderCases: [DeviceCase] = [
        DeviceCase(
            "order.csr-needs-failsafe", "CSRRequest without a fail-safe is refused", ["order.failsafe"],
            meaning: needsFailSafe
        ) { bench in
            let nonce = try bench.environment.secrets.bytes(32)
            try await bench.withoutFailSafe(.csrRequest(nonce: nonce))
                .expect("CSRRequest without a fail-safe", refusedWith: .failsafeRequired)
        },
        DeviceCase(
            "order.root-needs-failsafe", "AddTrustedRootCertificate without a fail-safe is refused", ["order.failsafe"],
            meaning: needsFailSafe
        ) { bench in
            let admin = try DeviceAdministrator("X", bench.environment)
            try await bench.withoutFailSafe(.addTrustedRoot(admin.credentials.rootCertificate))
                .expect("AddTrustedRootCertificate without a fail-safe", refusedWith: .failsafeRequired)
        },
        DeviceCase(
            "order.noc-needs-failsafe", "AddNOC without a fail-safe is refused", ["order.failsafe"],
            meaning: needsFailSafe
        ) { bench in
            let admin = try DeviceAdministrator("X", bench.environment)
            let noc = try admin.noc(
                for: P256PrivateKey.generate(using: bench.environment.secrets).publicKey,
                secrets: bench.environment.secrets)
            try await bench.withoutFailSafe(admin.addNOC(noc))
                .expect("AddNOC without a fail-safe", refusedWith: .failsafeRequired)
        },
        DeviceCase(
            "order.complete-needs-failsafe", "CommissioningComplete without a fail-safe says NoFailSafe",
            ["order.failsafe"],
            meaning:
                "A commissioner that comes too late must learn that the device has rolled back. Saying OK here makes it believe in a fabric that is gone."
        ) { bench in
            try await bench.withoutFailSafe(.commissioningComplete)
                .expect("CommissioningComplete without a fail-safe", answeredWith: 3, naming: .generalCommissioning)
        },
        DeviceCase(
            "order.noc-before-csr", "AddNOC without a certificate request is refused", ["order.noc"],
            meaning:
                "The device takes a certificate for a key that it never made, so that whoever made the key can play the device."
        ) { bench in
            let (session, admin) = try await bench.armedSession()
            try await bench.invoke(.addTrustedRoot(admin.credentials.rootCertificate), on: session)
                .expectSuccess("AddTrustedRootCertificate")
            let noc = try admin.noc(
                for: P256PrivateKey.generate(using: bench.environment.secrets).publicKey,
                secrets: bench.environment.secrets)
            bench.willAdd(admin)
            try await bench.invoke(admin.addNOC(noc), on: session)
                .expect("AddNOC without CSRRequest", answeredWith: 4, naming: .nodeOperationalCertificate)
        },
        DeviceCase(
            "order.noc-of-another-key", "AddNOC with a certificate for another key is refused", ["order.noc"],
            meaning:
                "The device cannot prove that it is the node in the certificate, or takes a key from outside. Compare the certificate's key with that of the pending request before anything is stored."
        ) { bench in
            let (session, admin) = try await bench.armedSession()
            _ = try await bench.csr(on: session)
            try await bench.invoke(.addTrustedRoot(admin.credentials.rootCertificate), on: session)
                .expectSuccess("AddTrustedRootCertificate")
            let noc = try admin.noc(
                for: P256PrivateKey.generate(using: bench.environment.secrets).publicKey,
                secrets: bench.environment.secrets)
            bench.willAdd(admin)
            try await bench.invoke(admin.addNOC(noc), on: session)
                .expect(
                    "AddNOC with a certificate for another key", answeredWith: 1, 3,
                    naming: .nodeOperationalCertificate)
        },
        DeviceCase(
            "order.noc-before-root", "AddNOC without a root of this fail-safe is refused", ["order.noc"],
            meaning:
                "The device takes a certificate whose issuer it does not know. Check the chain up to the root that was added under this fail-safe."
        ) { bench in
            let (session, admin) = try await bench.armedSession()
            let csr = try await bench.csr(on: session)
            let noc = try admin.noc(for: csr.key, secrets: bench.environment.secrets)
            bench.willAdd(admin)
            let answer = try await bench.invoke(admin.addNOC(noc), on: session)
            let isRefused = answer.code.map { $0 != 0 } ?? (answer.status.map { !$0.isSuccess } ?? false)
            try expect(
                isRefused, "AddNOC without AddTrustedRootCertificate to be refused, best with InvalidNOC (3)",
                seen: answer.words(naming: .nodeOperationalCertificate))
        },
        DeviceCase(
            "order.noc-twice", "A second AddNOC under one fail-safe is refused", ["order.noc"],
            meaning:
                "The rollback knows of one fabric only: the other one stays. AddNOC and UpdateNOC come once in a fail-safe."
        ) { bench in
            let (session, admin) = try await bench.armedSession()
            _ = try await bench.addFabric(admin, over: session)
            let answer = try await bench.invoke(
                admin.addNOC(
                    try admin.noc(
                        for: P256PrivateKey.generate(using: bench.environment.secrets).publicKey,
                        secrets: bench.environment.secrets)), on: session)
            try answer.expect("a second AddNOC", refusedWith: .constraintError)
        },
        DeviceCase(
            "order.csr-after-noc", "CSRRequest after AddNOC is refused", ["order.noc"],
            meaning:
                "A new key after the certificate leaves the device with a certificate for a key that it has thrown away."
        ) { bench in
            let (session, admin) = try await bench.armedSession()
            _ = try await bench.addFabric(admin, over: session)
            let nonce = try bench.environment.secrets.bytes(32)
            try await bench.invoke(.csrRequest(nonce: nonce), on: session)
                .expect("CSRRequest after AddNOC", refusedWith: .constraintError)
        },
        DeviceCase(
            "order.root-twice", "A second AddTrustedRootCertificate under one fail-safe is refused", ["order.root"],
            meaning: "The rollback knows of one root only: the other one stays trusted."
        ) { bench in
            let (session, admin) = try await bench.armedSession()
            let other = try DeviceAdministrator("Y", bench.environment)
            try await bench.invoke(.addTrustedRoot(admin.credentials.rootCertificate), on: session)
                .expectSuccess("AddTrustedRootCertificate")
            try await bench.invoke(.addTrustedRoot(other.credentials.rootCertificate), on: session)
                .expect("a second AddTrustedRootCertificate", refusedWith: .constraintError)
        },
        DeviceCase(
            "order.complete-over-pase", "CommissioningComplete over PASE is refused", ["complete.session"],
            meaning:
                "Only CASE proves that the device can be reached on its new fabric. A commissioner that loses it right after would have a device that nobody reaches."
        ) { bench in
            let (session, admin) = try await bench.armedSession()
            _ = try await bench.addFabric(admin, over: session)
            let answer = try await bench.invoke(.commissioningComplete, on: session)
            if answer.status?.status == .unsupportedAccess { return }
            try answer.expect(
                "CommissioningComplete over PASE", answeredWith: 2, naming: .generalCommissioning)
        },
    ]

    private static let needsFailSafe =
        "What is changed without a fail-safe is never undone. Each of these commands must first look whether the fail-safe is armed by whoever asks."
}

extension DeviceBench {
    /// Sends a command over CASE while no fail-safe is armed, and ends one that the device armed by itself.
    func withoutFailSafe(_ command: ClusterCommand) async throws -> DeviceAnswer {
        let session = try await session(of: try await commissioned())
        let disarm = ClusterCommand.armFailSafe(seconds: 0, breadcrumb: 0)
        _ = try await invoke(disarm, on: session)
        let answer = try await invoke(command, on: session)
        _ = try await invoke(disarm, on: session)
        return answer
    }

    /// A PASE session with an armed fail-safe, and a fabric that could be added over it.
    func armedSession() async throws -> (ProbeSession, DeviceAdministrator) {
        let session = try await openPASE()
        try await arm(60, on: session)
        return (session, try DeviceAdministrator("X", environment))
    }
}
