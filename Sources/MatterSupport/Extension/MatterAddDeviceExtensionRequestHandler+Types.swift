extension MatterAddDeviceExtensionRequestHandler {
    /// A device's attestation: who made it, and who certified it.
    public struct DeviceCredential: Codable, Hashable, Sendable {
        /// The certification declaration: a CMS message in DER (Core §6.3).
        public var certificationDeclaration: Data
        /// The device attestation certificate, X.509 in DER.
        public var deviceAttestationCertificate: Data
        /// The intermediate that issued it, X.509 in DER.
        public var productAttestationIntermediateCertificate: Data

        /// Makes a credential.
        public init(
            certificationDeclaration: Data, deviceAttestationCertificate: Data,
            productAttestationIntermediateCertificate: Data
        ) {
            self.certificationDeclaration = certificationDeclaration
            self.deviceAttestationCertificate = deviceAttestationCertificate
            self.productAttestationIntermediateCertificate = productAttestationIntermediateCertificate
        }
    }

    /// A Wi-Fi network that the device sees.
    public struct WiFiScanResult: Codable, Hashable, Sendable {
        /// The network's name, as bytes.
        public var ssid: Data
        /// The signal's strength in dBm.
        public var rssi: Int8
        /// How it is secured.
        public var security: MTRNetworkCommissioningWiFiSecurity
        /// Its band.
        public var band: MTRNetworkCommissioningWiFiBand

        /// Makes a result.
        public init(
            ssid: Data, rssi: Int8, security: MTRNetworkCommissioningWiFiSecurity, band: MTRNetworkCommissioningWiFiBand
        ) {
            self.ssid = ssid
            self.rssi = rssi
            self.security = security
            self.band = band
        }
    }

    /// A Thread network that the device sees.
    public struct ThreadScanResult: Codable, Hashable, Sendable {
        /// The network's name.
        public var networkName: String
        /// The PAN's id.
        public var panID: UInt16
        /// The PAN's extended id.
        public var extendedPANID: UInt64
        /// The radio channel.
        public var channel: UInt16
        /// The extended address of the answering node, 8 bytes.
        public var extendedAddress: Data
        /// The signal's strength in dBm.
        public var rssi: Int8
        /// The version of Thread.
        public var version: UInt8
        /// The link quality indicator.
        public var linkQualityIndicator: UInt8

        /// Makes a result.
        public init(
            networkName: String, panID: UInt16, extendedPANID: UInt64, channel: UInt16, extendedAddress: Data,
            rssi: Int8, version: UInt8, linkQualityIndicator: UInt8
        ) {
            self.networkName = networkName
            self.panID = panID
            self.extendedPANID = extendedPANID
            self.channel = channel
            self.extendedAddress = extendedAddress
            self.rssi = rssi
            self.version = version
            self.linkQualityIndicator = linkQualityIndicator
        }
    }

    /// The Wi-Fi network that a device is to join.
    public struct WiFiNetworkAssociation: Codable, Hashable, Sendable {
        /// Name and passphrase as bytes; `nil` for the system's own network.
        package var network: Network?

        package struct Network: Codable, Hashable, Sendable {
            package var ssid: Data
            package var credentials: Data
        }

        /// The network that the phone is on.
        public static var defaultSystemNetwork: Self { Self(network: nil) }
        /// A network by its name, with the passphrase that it needs; both as bytes.
        public static func network(ssid: Data, credentials: Data) -> Self {
            Self(network: Network(ssid: ssid, credentials: credentials))
        }
    }

    /// The Thread network that a device is to join.
    public struct ThreadNetworkAssociation: Codable, Hashable, Sendable {
        /// The network's extended PAN id; `nil` for the system's own network.
        package var extendedPANID: UInt64?

        /// The network that the phone prefers.
        public static var defaultSystemNetwork: Self { Self(extendedPANID: nil) }
        /// A network that the system has credentials for, by its extended PAN id.
        public static func network(extendedPANID: UInt64) -> Self { Self(extendedPANID: extendedPANID) }
    }
}
