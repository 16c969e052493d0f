import MatterCrypto
import MatterWire
import NetIO

extension FuzzTarget {
    /// Readers of certificates, declarations and what devices sign.
    static let credentials: [FuzzTarget] = [
        FuzzTarget(
            "certificate-tlv", "certificates in Matter's TLV form", maximumLength: 1_200,
            vectors: ["MatterCryptoTests/Vectors/certs.json", "MatterCryptoTests/Vectors/fabric.json"]
        ) { input in
            let outcome = try roundTrip(
                "certificate", input,
                decode: { bytes throws(CertificateError) in try MatterCertificate(decoding: bytes) },
                encode: { $0.encoded() })
            guard outcome == .accepted else { return .rejected }
            let certificate = try MatterCertificate(decoding: input)
            // Both judge what is readable, and may refuse it.
            _ = try? OperationalChain.validateRoot(input)
            if let der = try? certificate.der(), let again = try? MatterCertificate(der: der) {
                try hold(try again.der() == der, "a certificate's DER form is not stable")
            }
            return .accepted
        },
        FuzzTarget(
            "certificate-der", "X.509 certificates that have a TLV form", maximumLength: 1_500,
            vectors: ["MatterCryptoTests/Vectors/certs.json", "MatterCryptoTests/Vectors/dac-chain.json"]
        ) { input in
            guard let certificate = try? MatterCertificate(der: input) else { return .rejected }
            try hold(try certificate.der() == input, "the DER form does not come back")
            return .accepted
        },
        FuzzTarget(
            "attestation-certificate", "device attestation certificates (X.509)", maximumLength: 1_500,
            vectors: ["MatterCryptoTests/Vectors/dac-chain.json"]
        ) { input in
            guard let certificate = try? AttestationCertificate(der: input) else { return .rejected }
            try hold(certificate.der == input, "the DER form is not kept")
            for role in [AttestationCertificate.Role.paa, .pai, .dac] { _ = certificate.formatViolations(as: role) }
            // A name without our ids is refused.
            _ = try? certificate.subjectIDs()
            _ = try? certificate.isSigned(by: certificate)
            return .accepted
        },
        FuzzTarget(
            "certification-declaration", "certification declarations and their content", maximumLength: 1_500,
            vectors: ["MatterCryptoTests/Vectors/certification-declaration.json"]
        ) { input in
            let outer = try roundTrip(
                "declaration", input,
                decode: { bytes throws(AttestationError) in try CertificationDeclaration(decoding: bytes) },
                encode: { $0.cms })
            let inner = try roundTrip(
                "content", input,
                decode: { bytes throws(AttestationError) in try CertificationContent(decoding: bytes) },
                encode: { $0.encoded() })
            return [outer, inner].any
        },
        FuzzTarget(
            "attestation-elements", "what a device signs: attestation elements, NOCSR elements, certificate requests",
            maximumLength: 1_500,
            vectors: [
                "MatterCryptoTests/Vectors/attestation-elements.json", "MatterCryptoTests/Vectors/nocsr.json",
                "MatterCryptoTests/Vectors/csr.json",
            ]
        ) { input in
            let elements = try roundTrip(
                "attestation elements", input,
                decode: { bytes throws(AttestationError) in try AttestationElements(decoding: bytes) },
                encode: { $0.encoded() })
            let request = try roundTrip(
                "NOCSR elements", input,
                decode: { bytes throws(AttestationError) in try NOCSRElements(decoding: bytes) },
                encode: { $0.encoded() })
            let key = (try? CertificateSigningRequest.publicKey(of: input)) == nil ? Outcome.rejected : .accepted
            return [elements, request, key].any
        },
        FuzzTarget(
            "control-credentials", "PEM files and a control CA's stored certificate", maximumLength: 2_048,
            made: {
                [try PEM.encode([PEM.Block(label: "CERTIFICATE", bytes: FuzzHome.controlCertificate)])]
                    + [FuzzHome.controlCertificate]
            }
        ) { input in
            let pem = try roundTrip(
                "PEM", input, decode: { bytes throws(NetError) in try PEM.decode(bytes) },
                encode: { try PEM.encode($0) })
            _ = try? TLSCredentials(pem: input)
            // Stored beside its key: another certificate than the key's must be refused, whatever it is.
            let authority = try? ControlCA(certificate: input, privateKey: FuzzHome.controlKey)
            try hold(
                authority == nil || input == FuzzHome.controlCertificate || authority?.pin == FuzzHome.controlPin,
                "an authority with another key than its own")
            return [pem, authority == nil ? .rejected : .accepted].any
        },
    ]
}
