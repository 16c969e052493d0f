package import MatterCrypto
package import MatterModel
package import MatterWire
import NetIO

/// What a virtual device is and stays: its codes, its numbers and its attestation.
package struct DeviceIdentity: Sendable {
    package var kind: DeviceKind
    /// What a bridge has behind it, by endpoint; empty for others.
    package var bridged: [DeviceKind]
    package var productID: ProductID
    package var discriminator: Discriminator
    package var passcode: Passcode
    /// 16 … 32 bytes.
    package var salt: [UInt8]
    /// At most 32 bytes.
    package var serialNumber: String
    /// At most 32 bytes.
    package var uniqueID: String
    package var attestation: DeviceAttestationCredentials

    /// What the user wants of it; `nil` where that is left to chance or to what is stored.
    package struct Wishes: Sendable {
        package var kind: DeviceKind
        /// What a bridge is to have behind it.
        package var bridged: [DeviceKind]?
        package var productID: ProductID?
        package var discriminator: Discriminator?
        package var passcode: Passcode?

        package init(
            kind: DeviceKind, bridged: [DeviceKind]? = nil, productID: ProductID? = nil,
            discriminator: Discriminator? = nil, passcode: Passcode? = nil
        ) {
            self.kind = kind
            self.bridged = bridged
            self.productID = productID
            self.discriminator = discriminator
            self.passcode = passcode
        }
    }

    /// The vendor of every device: the only one for which our test authority issues attestation.
    package static let vendorID = TestAttestationAuthority.vendorID
    /// The product when the user names none.
    package static let standardProductID = ProductID(rawValue: 0x8001)
    /// PBKDF2 iterations: the least that is allowed, since the passcode is on the screen.
    private static let iterations = 1000
    /// Fewer than are allowed.
    private static let weakIterations = 500

    /// A new device.
    package init(_ wishes: Wishes, secrets: any SecretSource, random: RandomSource) throws(CryptoError) {
        var random = random
        kind = wishes.kind
        bridged = wishes.kind == .bridge ? wishes.bridged ?? DeviceKind.usuallyBridged : []
        productID = wishes.productID ?? Self.standardProductID
        // 12 bits are always a discriminator.
        discriminator =
            wishes.discriminator ?? Discriminator(rawValue: .random(in: 0...0xFFF, using: &random))
            ?? Discriminator(rawValue: 0)!
        passcode = wishes.passcode ?? .random(using: &random)
        salt = try secrets.bytes(16)
        serialNumber = Self.hexadecimal(try secrets.bytes(6))
        uniqueID = Self.hexadecimal(try secrets.bytes(16))
        attestation = try TestAttestationAuthority.issue(
            product: productID, deviceType: kind.deviceType, secrets: secrets)
    }

    /// Whether a bridge can have these devices: those that it has keep their endpoints, and new ones come after them.
    package func canBridge(_ wished: [DeviceKind]) -> Bool { kind == .bridge && wished.starts(with: bridged) }

    /// Gives the device other codes or another product, with the attestation that goes with it, or a bridge more devices.
    ///
    /// - Returns: whether anything changed.
    package mutating func adopt(_ wishes: Wishes, secrets: any SecretSource) throws(CryptoError) -> Bool {
        let before = (productID, discriminator, passcode, bridged)
        if let wished = wishes.bridged, canBridge(wished) { bridged = wished }
        discriminator = wishes.discriminator ?? discriminator
        passcode = wishes.passcode ?? passcode
        if let productID = wishes.productID, productID != self.productID {
            self.productID = productID
            attestation = try TestAttestationAuthority.issue(
                product: productID, deviceType: kind.deviceType, secrets: secrets)
        }
        return before != (productID, discriminator, passcode, bridged)
    }

    /// The payload that the device shows.
    package var payload: OnboardingPayload {
        OnboardingPayload(
            vendorID: Self.vendorID, productID: productID, discoveryCapabilities: .onNetwork,
            discriminator: .long(discriminator), passcode: passcode)
    }

    /// The node that such a device is.
    ///
    /// - Parameters:
    ///   - name: the product's name, at most 32 bytes; `nil` for the kind's own.
    ///   - network: the interface that the node shows.
    ///   - defects: of the device.
    package func configuration(
        name: String?, network: NetworkInterfaceDescription, defects: Set<DeviceDefect> = []
    ) throws(CryptoError) -> NodeConfiguration {
        let iterations = defects.contains(.weakStretching) ? Self.weakIterations : Self.iterations
        let verifier = try PAKEVerifier.compute(
            passcode: passcode.rawValue, salt: salt, iterations: iterations,
            isStrict: !defects.contains(.weakStretching))
        return NodeConfiguration(
            vendorID: Self.vendorID, vendorName: "MatterHub", productID: productID, productName: name ?? kind.name,
            serialNumber: serialNumber, uniqueID: uniqueID, discriminator: discriminator.rawValue,
            pake: PAKEParameters(verifier: verifier, salt: salt, iterations: iterations), network: network,
            endpoints: kind.endpoints(bridging: bridged, uniqueID: uniqueID))
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16, uppercase: true) + String($0 & 15, radix: 16, uppercase: true) }.joined()
    }
}

// MARK: - Storage

/// The stored form: TLV `{0 version, 1 kind, 2 product, 3 discriminator, 4 passcode, 5 salt, 6 serial number, 7 unique id,
/// 8 DAC, 9 PAI, 10 certification declaration, 11 DAC key, 12 bridged kinds [text]?}`.
extension DeviceIdentity {
    private static let version: UInt64 = 1

    package func encoded() -> [UInt8] {
        TLVValue.members(
            (0, .uint(Self.version)), (1, .utf8(kind.rawValue)), (2, .uint(productID.rawValue)),
            (3, .uint(discriminator.rawValue)), (4, .uint(passcode.rawValue)), (5, .octets(salt)),
            (6, .utf8(serialNumber)), (7, .utf8(uniqueID)), (8, .octets(attestation.dac)),
            (9, .octets(attestation.pai)), (10, .octets(attestation.certificationDeclaration)),
            (11, .octets(attestation.dacKey.rawValue)),
            (12, kind == .bridge ? .array(bridged.map { .utf8($0.rawValue) }) : nil)
        ).encoded()
    }

    /// - Parameter path: for the error.
    /// - Throws: ``DeviceStateError``.
    package init(decoding bytes: [UInt8], path: String) throws(DeviceStateError) {
        let value: TLVValue
        do throws(TLVError) {
            value = try TLVValue.decode(bytes)
            guard try value.integer(0, as: UInt64.self) == Self.version else {
                throw TLVError(code: .wrongType, path: [0])
            }
            productID = ProductID(rawValue: try value.integer(2, as: UInt16.self))
            salt = try value.octets(5)
            serialNumber = try value.string(6)
            uniqueID = try value.string(7)
        } catch {
            throw DeviceStateError(.corrupt, path, "is damaged: \(error)")
        }
        guard let kind = value[1]?.utf8.flatMap(DeviceKind.init(rawValue:)) else {
            throw DeviceStateError(.foreign, path, "is of a kind of device that this program does not know")
        }
        guard let discriminator = value[3]?.unsigned.flatMap(UInt16.init(exactly:)).flatMap(Discriminator.init),
            let passcode = value[4]?.unsigned.flatMap(UInt32.init(exactly:)).flatMap(Passcode.init)
        else { throw DeviceStateError(.corrupt, path, "is damaged: the codes are out of range") }
        self.kind = kind
        bridged = try (value[12]?.array ?? []).map { name throws(DeviceStateError) in
            guard let kind = name.utf8.flatMap(DeviceKind.init(rawValue:)), kind != .bridge else {
                throw DeviceStateError(.foreign, path, "has a bridged device of a kind that this program does not know")
            }
            return kind
        }
        self.discriminator = discriminator
        self.passcode = passcode
        do {
            attestation = DeviceAttestationCredentials(
                dac: try value.octets(8), pai: try value.octets(9), certificationDeclaration: try value.octets(10),
                dacKey: try P256PrivateKey(rawValue: try value.octets(11)))
        } catch {
            throw DeviceStateError(.corrupt, path, "is damaged: \(error)")
        }
    }
}

extension DeviceStateStore {
    /// The stored device with the user's wishes, or a new one that is stored now.
    ///
    /// - Throws: ``DeviceStateError``, `foreign` when the folder holds a device of another kind, or `CryptoError`.
    package func identity(
        for wishes: DeviceIdentity.Wishes, secrets: any SecretSource, random: RandomSource
    ) throws -> DeviceIdentity {
        guard let stored = try load(.identity) else {
            guard try load(.node) == nil else {
                throw DeviceStateError(
                    .corrupt, path(of: .identity), "is missing, although the folder has a node's state")
            }
            let identity = try DeviceIdentity(wishes, secrets: secrets, random: random)
            try save(identity.encoded(), as: .identity)
            return identity
        }
        var identity = try DeviceIdentity(decoding: stored, path: path(of: .identity))
        guard identity.kind == wishes.kind else {
            throw DeviceStateError(
                .foreign, directory, "holds a device of type \(identity.kind.rawValue), not \(wishes.kind.rawValue)")
        }
        if let wished = wishes.bridged, !identity.canBridge(wished) {
            throw DeviceStateError(
                .foreign, directory,
                "holds a bridge of \(identity.bridged.map(\.rawValue).joined(separator: ",")); devices can only be added "
                    + "after these: use another state folder for other ones")
        }
        if try identity.adopt(wishes, secrets: secrets) { try save(identity.encoded(), as: .identity) }
        return identity
    }
}

extension NetworkInterfaceDescription {
    /// The machine's first interface that is up and reaches others, else the loopback.
    ///
    /// - Throws: `NetError` when the kernel can't say.
    package static func current() throws -> NetworkInterfaceDescription {
        let usable = try NetworkInterface.all().filter(\.isUp)
        guard let interface = usable.first(where: { !$0.isLoopback }) ?? usable.first else {
            return NetworkInterfaceDescription(name: "none", hardwareAddress: [UInt8](repeating: 0, count: 6))
        }
        let hardware = interface.hardwareAddress.count == 6 || interface.hardwareAddress.count == 8
        return NetworkInterfaceDescription(
            name: interface.name,
            hardwareAddress: hardware ? interface.hardwareAddress : [UInt8](repeating: 0, count: 6),
            ipv4: interface.addresses.filter(\.ip.isV4).map(\.ip.bytes),
            ipv6: interface.addresses.filter { !$0.ip.isV4 }.map(\.ip.bytes))
    }
}
