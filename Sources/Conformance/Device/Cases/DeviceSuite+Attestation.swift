import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire

/// Attestation, and the certificate request that hangs on it.
extension DeviceSuite {
    static let attestationCases: [DeviceCase] = [
        DeviceCase(
            "attestation.certificates", "DAC and PAI keep their rules and belong together", ["attestation.chain"],
            meaning:
                "The certificates were made or provisioned wrongly: every strict commissioner refuses the device. “matterhub attestation verify” judges them without the device."
        ) { bench in
            try await bench.expectKept(
                .paiFormat, .dacFormat, .paiSubject, .dacSubject, .vendorsAgree, .productsAgree, .dacValidity,
                .dacIssuer, .chainValidity)
        },
        DeviceCase(
            "attestation.authority", "A trusted authority issued the PAI", ["attestation.chain"],
            meaning:
                "If this is a test device, or its authority is a private one, put the authority's certificate (DER) into a folder and name it with --paa; --no-test-devices trusts fewer."
        ) { bench in
            try await bench.expectKept(.authorityTrusted, .authorityFormat, .authoritySubject, .paiIssuer, .notRevoked)
        },
        DeviceCase(
            "attestation.declaration", "The certification declaration is genuine and about this device",
            ["attestation.declaration"],
            meaning:
                "The declaration is another product's, or was signed with a key that is for tests only. Compare its vendor and product ids with Basic Information and with the DAC."
        ) { bench in
            try await bench.expectKept(
                .declarationFormat, .declarationSigner, .declarationSignature, .declarationContent, .declarationKind,
                .declarationVendor, .declarationProduct, .declarationCertificates, .declarationAuthority)
        },
        DeviceCase(
            "attestation.nonce", "The attestation elements carry the nonce of this request", ["attestation.elements"],
            meaning:
                "Elements without our nonce could be an old recording. Look at how AttestationResponse is built, and at the order of its members."
        ) { bench in
            try await bench.expectKept(.elementsFormat, .nonce)
        },
        DeviceCase(
            "attestation.signature", "The elements are signed with the DAC key for this session",
            ["attestation.elements"],
            meaning:
                "The signature is over the elements followed by the session's 16-byte attestation challenge, raw r and s. A wrong challenge, a DER signature or another key fail here."
        ) { bench in
            try await bench.expectKept(.attestationSignature)
        },
        DeviceCase(
            "attestation.nonce-length", "A nonce that is not 32 bytes long is refused", ["attestation.elements"],
            meaning: "The device signs whatever it is given. Look at the field's length constraint."
        ) { bench in
            let session = try await bench.openPASE()
            let nonce = try bench.environment.secrets.bytes(31)
            try await bench.invoke(.attestationRequest(nonce: nonce), on: session)
                .expect("AttestationRequest with 31 bytes", refusedWith: .invalidCommand, .constraintError)
        },
    ]

    static let csrCases: [DeviceCase] = [
        DeviceCase(
            "csr.nonce", "NOCSR elements carry the nonce of this request", ["csr.elements"],
            meaning: "Elements without our nonce could be an old recording. Look at how CSRResponse is built."
        ) { bench in
            let session = try await bench.openPASE()
            try await bench.arm(60, on: session)
            let csr = try await bench.csr(on: session)
            try expect(csr.elements.nonce == csr.nonce, "our nonce in the elements", seen: "another one")
        },
        DeviceCase(
            "csr.signature", "NOCSR elements are signed with the DAC key for this session", ["csr.elements"],
            meaning:
                "The signature is over the elements followed by the session's attestation challenge. Without it, whoever sits between could put in a key of his own."
        ) { bench in
            let dac = try await bench.attested().dac
            let session = try await bench.openPASE()
            try await bench.arm(60, on: session)
            let csr = try await bench.csr(on: session)
            let isSigned: Bool
            do {
                let key = try AttestationCertificate(der: dac).publicKey
                isSigned =
                    try key?.verify(
                        signature: csr.response.signature,
                        message: csr.response.elements + session.established.attestationChallenge) ?? false
            } catch {
                throw ConformanceSkip("the DAC cannot be used to check it: \(error)")
            }
            try expect(
                isSigned, "a signature of the DAC key over elements and this session's challenge", seen: "another one")
        },
        DeviceCase(
            "csr.fresh-key", "Each certificate request is for a new key", ["csr.elements"],
            meaning:
                "One key on several fabrics lets administrators recognize the device, and one fabric's leak opens the others. Look at the key store."
        ) { bench in
            // Each under a fail-safe of its own: whether one takes several requests is not said.
            let session = try await bench.openPASE()
            try await bench.arm(60, on: session)
            let first = try await bench.csr(on: session)
            await bench.disarm(session)
            let next = try await bench.openPASE()
            try await bench.arm(60, on: next)
            let second = try await bench.csr(on: next)
            try expect(first.key != second.key, "another key in the second request", seen: "the same key")
        },
        DeviceCase(
            "csr.nonce-length", "A CSR nonce that is not 32 bytes long is refused", ["csr.elements"],
            meaning: "The device signs whatever it is given. Look at the field's length constraint."
        ) { bench in
            let session = try await bench.openPASE()
            try await bench.arm(60, on: session)
            let nonce = try bench.environment.secrets.bytes(31)
            try await bench.invoke(.csrRequest(nonce: nonce), on: session)
                .expect("CSRRequest with 31 bytes", refusedWith: .invalidCommand, .constraintError)
        },
    ]
}
