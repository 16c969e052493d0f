import MatterWire

/// The rules on the attestation elements and the certification declaration in them.
extension AttestationExamination {
    mutating func checkElements() {
        let elements: AttestationElements
        do throws(AttestationError) {
            elements = try AttestationElements(decoding: evidence.elements)
        } catch {
            ledger.record(.elementsFormat, false, error.reason)
            return
        }
        ledger.record(.elementsFormat, true, "declaration, nonce and timestamp are there, in order")
        ledger.record(
            .nonce, ConstantTime.equal(elements.nonce, evidence.nonce), kept: "the nonce is ours",
            broken: "the nonce is not the one that was sent to the device")
        checkDeclaration(elements.certificationDeclaration)
    }

    private mutating func checkDeclaration(_ cms: [UInt8]) {
        let declaration: CertificationDeclaration
        do throws(AttestationError) {
            declaration = try CertificationDeclaration(decoding: cms)
        } catch {
            ledger.record(.declarationFormat, false, error.reason)
            return
        }
        ledger.record(.declarationFormat, true, "CMS SignedData with one signer, SHA-256 and ECDSA")
        let signer = checkSigner(of: declaration)
        do throws(AttestationError) {
            let content = try CertificationContent(decoding: declaration.content)
            ledger.record(.declarationContent, true, "format 1, certificate \(content.certificateID)")
            if let signer { checkKind(content, signer) }
            checkProduct(content)
            checkCertificates(content)
            checkAuthorizedAuthorities(content)
        } catch {
            ledger.record(.declarationContent, false, error.reason)
        }
    }

    /// - Returns: the signer, when it is trusted for this device.
    private mutating func checkSigner(
        of declaration: CertificationDeclaration
    ) -> AttestationTrustStore.DeclarationSigner? {
        let name = "the key id of the signer is \(AttestationText.keyID(declaration.signerKeyID))"
        let testKeyHint = ": the published key for development and test, trusted for test devices only"
        guard let signer = trust.signer(keyID: declaration.signerKeyID) else {
            let isTestKey = declaration.signerKeyID == Self.testKeyID
            ledger.record(.declarationSigner, false, "\(name), which is not trusted\(isTestKey ? testKeyHint : "")")
            return nil
        }
        switch signer.scope {
        case .official:
            ledger.record(.declarationSigner, true, "\(name), a key of the alliance")
        case .test:
            ledger.record(.declarationSigner, true, "\(name), the alliance's test key, which is trusted here")
        case .testUnder(let authority):
            guard paa?.subjectKeyID == authority else {
                ledger.record(.declarationSigner, false, "\(name)\(testKeyHint)")
                return nil
            }
            ledger.record(.declarationSigner, true, "\(name), the alliance's test key, for our own test devices")
        }
        ledger.check(
            .declarationSignature, kept: "the signature over the declaration is right",
            broken: "the signature over the declaration is wrong"
        ) { () throws(CryptoError) in
            try declaration.isSigned(by: signer.publicKey)
        }
        return signer
    }

    private mutating func checkKind(
        _ content: CertificationContent, _ signer: AttestationTrustStore.DeclarationSigner
    ) {
        let kind = content.kind.rawValue
        switch signer.scope {
        case .official:
            ledger.record(.declarationKind, true, "type \(kind), signed by the alliance")
        case .test, .testUnder:
            ledger.record(
                .declarationKind, content.kind == .developmentAndTest, kept: "type 0, for development and test",
                broken: "type \(kind), but the test key may sign type 0 (development and test) only")
        }
    }

    private mutating func checkProduct(_ content: CertificationContent) {
        let vendor = evidence.vendorID
        ledger.record(
            .declarationVendor, content.vendorID == vendor, kept: "vendor \(text(vendor))",
            broken: "declared is vendor \(text(content.vendorID)), the device says it is of \(text(vendor))")
        let product = evidence.productID
        ledger.record(
            .declarationProduct, content.productIDs.contains(product), kept: "product \(text(product)) is declared",
            broken: "the device says it is product \(text(product)), which is not declared")
    }

    private mutating func checkCertificates(_ content: CertificationContent) {
        guard let dacIDs, let paiIDs else { return }
        let vendor = content.origin?.vendorID ?? content.vendorID
        let products = content.origin.map { [$0.productID] } ?? content.productIDs
        var faults: [String] = []
        for (name, ids) in [("DAC", dacIDs), ("PAI", paiIDs)] {
            if ids.vendorID != vendor {
                faults.append("the \(name) names vendor \(text(ids.vendorID)), declared is \(text(vendor))")
            }
            if let product = ids.productID, !products.contains(product) {
                faults.append("the \(name) names product \(text(product)), which is not declared")
            }
        }
        let origin =
            content.origin == nil ? "declared vendor and product" : "vendor and product declared as their origin"
        ledger.record(
            .declarationCertificates, faults.isEmpty, kept: "DAC and PAI name the \(origin)",
            broken: faults.joined(separator: "; "))
    }

    private mutating func checkAuthorizedAuthorities(_ content: CertificationContent) {
        guard let authorized = content.authorizedPAAs else {
            if paa != nil { ledger.record(.declarationAuthority, true, "the declaration allows every authority") }
            return
        }
        guard let keyID = paa?.subjectKeyID else { return }
        ledger.record(
            .declarationAuthority, authorized.contains(keyID), kept: "the declaration allows this authority",
            broken: "the declaration allows \(authorized.count) authorities, and this one is not among them")
    }

    /// The key identifier of the alliance's test key.
    private static let testKeyID: [UInt8] = [
        0x62, 0xFA, 0x82, 0x33, 0x59, 0xAC, 0xFA, 0xA9, 0x96, 0x3E,
        0x1C, 0xFA, 0x14, 0x0A, 0xDD, 0xF5, 0x04, 0xF3, 0x71, 0x60,
    ]
}
