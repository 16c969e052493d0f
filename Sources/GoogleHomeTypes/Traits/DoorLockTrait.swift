public import Foundation
public import GoogleHomeSDK

extension Matter {
    /// The DoorLock cluster (0x0101): locks and unlocks.
    ///
    /// Attributes and commands have the names of the Matter application clusters (Application Clusters 1.4.2).
    public struct DoorLockTrait: Trait {
        /// Names the trait.
        public static let identifier = "home.matter.0000.clusters.0101"
        /// The values and the device that the trait was made of.
        public let source: TraitSource
        /// What the device said.
        public let attributes: Attributes

        /// Makes the trait of what a device said.
        public init(_ source: TraitSource) {
            self.source = source
            attributes = Attributes(source)
        }

        /// Writes the attributes that a closure sets.
        ///
        /// - Returns: the trait as it is after that; this value stays as it was.
        /// - Throws: ``HomeError``, with subtype `bulk` when several attributes were set and some refused.
        @discardableResult
        nonisolated(nonsending) public func update(
            _ block: (inout MutableAttributes) -> Void
        ) async throws -> Self {
            var attributes = MutableAttributes()
            block(&attributes)
            return Self(try await source.write(attributes.changes))
        }
    }
}

extension Matter.DoorLockTrait {
    /// What the device said of the cluster.
    public struct Attributes: Hashable, Sendable {
        /// Attribute 0x0000.
        @TraitAttribute public var lockState: DlLockState?
        /// Attribute 0x0001.
        @TraitAttribute public var lockType: DlLockType?
        /// Attribute 0x0002.
        @TraitAttribute public var actuatorEnabled: Bool?
        /// Attribute 0x0003.
        @TraitAttribute public var doorState: DoorStateEnum?
        /// Attribute 0x0004, writable.
        @TraitAttribute public var doorOpenEvents: UInt32?
        /// Attribute 0x0005, writable.
        @TraitAttribute public var doorClosedEvents: UInt32?
        /// Attribute 0x0006, writable.
        @TraitAttribute public var openPeriod: UInt16?
        /// Attribute 0x0011.
        @TraitAttribute public var numberOfTotalUsersSupported: UInt16?
        /// Attribute 0x0012.
        @TraitAttribute public var numberOfPinUsersSupported: UInt16?
        /// Attribute 0x0017.
        @TraitAttribute public var maxPinCodeLength: UInt8?
        /// Attribute 0x0018.
        @TraitAttribute public var minPinCodeLength: UInt8?
        /// Attribute 0x0021, writable.
        @TraitAttribute public var language: String?
        /// Attribute 0x0023, writable.
        @TraitAttribute public var autoRelockTime: UInt32?
        /// Attribute 0x0024, writable.
        @TraitAttribute public var soundVolume: UInt8?
        /// Attribute 0x0025, writable.
        @TraitAttribute public var operatingMode: OperatingModeEnum?
        /// Attribute 0x0029, writable.
        @TraitAttribute public var enableOneTouchLocking: Bool?
        /// Attribute 0x0030, writable.
        @TraitAttribute public var wrongCodeEntryLimit: UInt8?
        /// Attribute 0x0031, writable.
        @TraitAttribute public var userCodeTemporaryDisableTime: UInt8?
        /// Attribute 0x0033, writable.
        @TraitAttribute public var requirePinforRemoteOperation: Bool?
        /// Attribute 0xFFF9.
        @TraitAttribute public var acceptedCommandList: [UInt32]?
        /// Attribute 0xFFFB.
        @TraitAttribute public var attributeList: [UInt32]?
        /// Attribute 0xFFFC.
        @TraitAttribute public var featureMap: Feature?

        init(_ source: TraitSource) {
            _lockState = source.attribute(0x0000)
            _lockType = source.attribute(0x0001)
            _actuatorEnabled = source.attribute(0x0002)
            _doorState = source.attribute(0x0003)
            _doorOpenEvents = source.attribute(0x0004)
            _doorClosedEvents = source.attribute(0x0005)
            _openPeriod = source.attribute(0x0006)
            _numberOfTotalUsersSupported = source.attribute(0x0011)
            _numberOfPinUsersSupported = source.attribute(0x0012)
            _maxPinCodeLength = source.attribute(0x0017)
            _minPinCodeLength = source.attribute(0x0018)
            _language = source.attribute(0x0021)
            _autoRelockTime = source.attribute(0x0023)
            _soundVolume = source.attribute(0x0024)
            _operatingMode = source.attribute(0x0025)
            _enableOneTouchLocking = source.attribute(0x0029)
            _wrongCodeEntryLimit = source.attribute(0x0030)
            _userCodeTemporaryDisableTime = source.attribute(0x0031)
            _requirePinforRemoteOperation = source.attribute(0x0033)
            _acceptedCommandList = source.attribute(0xFFF9)
            _attributeList = source.attribute(0xFFFB)
            _featureMap = source.attribute(0xFFFC)
        }
    }

    /// New values for attributes.
    public struct MutableAttributes: Sendable {
        var changes = AttributeChanges()

        /// Sets attribute 0x0004.
        public mutating func setDoorOpenEvents(_ value: UInt32) { changes.set(0x0004, value) }

        /// Sets attribute 0x0005.
        public mutating func setDoorClosedEvents(_ value: UInt32) { changes.set(0x0005, value) }

        /// Sets attribute 0x0006.
        public mutating func setOpenPeriod(_ value: UInt16) { changes.set(0x0006, value) }

        /// Sets attribute 0x0021.
        public mutating func setLanguage(_ value: String) { changes.set(0x0021, value) }

        /// Sets attribute 0x0023.
        public mutating func setAutoRelockTime(_ value: UInt32) { changes.set(0x0023, value) }

        /// Sets attribute 0x0024.
        public mutating func setSoundVolume(_ value: UInt8) { changes.set(0x0024, value) }

        /// Sets attribute 0x0025.
        public mutating func setOperatingMode(_ value: OperatingModeEnum) { changes.set(0x0025, value) }

        /// Sets attribute 0x0029.
        public mutating func setEnableOneTouchLocking(_ value: Bool) { changes.set(0x0029, value) }

        /// Sets attribute 0x0030.
        public mutating func setWrongCodeEntryLimit(_ value: UInt8) { changes.set(0x0030, value) }

        /// Sets attribute 0x0031.
        public mutating func setUserCodeTemporaryDisableTime(_ value: UInt8) { changes.set(0x0031, value) }

        /// Sets attribute 0x0033.
        public mutating func setRequirePinforRemoteOperation(_ value: Bool) { changes.set(0x0033, value) }
    }
}

extension Matter.DoorLockTrait {
    /// Sends command 0x00.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    nonisolated(nonsending) public func lockDoor(
        _ optionalArguments: (inout LockDoorOptionalArguments) -> Void = { _ in }
    ) async throws {
        try await lockDoorBatchable(optionalArguments).send()
    }
    /// Command 0x00, to be sent with others.
    public func lockDoorBatchable(_ optionalArguments: (inout LockDoorOptionalArguments) -> Void = { _ in })
        -> BatchableCommand<Void>
    {
        var arguments = LockDoorOptionalArguments()
        optionalArguments(&arguments)
        return source.command(0x00, [CommandField(0, optional: arguments.pinCode)], isTimed: true)
    }
    /// Whether the device says that it takes command 0x00.
    public var supportsLockDoorCommand: Bool { source.takes(0x00) }

    /// What command 0x00 can do without.
    public struct LockDoorOptionalArguments: Sendable {
        var pinCode: Data?
        /// Gives field 0.
        public mutating func setPinCode(_ value: Data) { pinCode = value }
    }

    /// Sends command 0x01.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    nonisolated(nonsending) public func unlockDoor(
        _ optionalArguments: (inout UnlockDoorOptionalArguments) -> Void = { _ in }
    ) async throws {
        try await unlockDoorBatchable(optionalArguments).send()
    }
    /// Command 0x01, to be sent with others.
    public func unlockDoorBatchable(_ optionalArguments: (inout UnlockDoorOptionalArguments) -> Void = { _ in })
        -> BatchableCommand<Void>
    {
        var arguments = UnlockDoorOptionalArguments()
        optionalArguments(&arguments)
        return source.command(0x01, [CommandField(0, optional: arguments.pinCode)], isTimed: true)
    }
    /// Whether the device says that it takes command 0x01.
    public var supportsUnlockDoorCommand: Bool { source.takes(0x01) }

    /// What command 0x01 can do without.
    public struct UnlockDoorOptionalArguments: Sendable {
        var pinCode: Data?
        /// Gives field 0.
        public mutating func setPinCode(_ value: Data) { pinCode = value }
    }

    /// Sends command 0x03.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    nonisolated(nonsending) public func unlockWithTimeout(
        timeout: UInt16, _ optionalArguments: (inout UnlockWithTimeoutOptionalArguments) -> Void = { _ in }
    ) async throws {
        try await unlockWithTimeoutBatchable(timeout: timeout, optionalArguments).send()
    }
    /// Command 0x03, to be sent with others.
    public func unlockWithTimeoutBatchable(
        timeout: UInt16, _ optionalArguments: (inout UnlockWithTimeoutOptionalArguments) -> Void = { _ in }
    ) -> BatchableCommand<Void> {
        var arguments = UnlockWithTimeoutOptionalArguments()
        optionalArguments(&arguments)
        return source.command(
            0x03, [CommandField(0, timeout), CommandField(1, optional: arguments.pinCode)], isTimed: true)
    }
    /// Whether the device says that it takes command 0x03.
    public var supportsUnlockWithTimeoutCommand: Bool { source.takes(0x03) }

    /// What command 0x03 can do without.
    public struct UnlockWithTimeoutOptionalArguments: Sendable {
        var pinCode: Data?
        /// Gives field 1.
        public mutating func setPinCode(_ value: Data) { pinCode = value }
    }

    /// Sends command 0x27.
    ///
    /// - Throws: ``HomeError`` when the device refuses or does not answer.
    nonisolated(nonsending) public func unboltDoor(
        _ optionalArguments: (inout UnboltDoorOptionalArguments) -> Void = { _ in }
    ) async throws {
        try await unboltDoorBatchable(optionalArguments).send()
    }
    /// Command 0x27, to be sent with others.
    public func unboltDoorBatchable(_ optionalArguments: (inout UnboltDoorOptionalArguments) -> Void = { _ in })
        -> BatchableCommand<Void>
    {
        var arguments = UnboltDoorOptionalArguments()
        optionalArguments(&arguments)
        return source.command(0x27, [CommandField(0, optional: arguments.pinCode)], isTimed: true)
    }
    /// Whether the device says that it takes command 0x27.
    public var supportsUnboltDoorCommand: Bool { source.takes(0x27) }

    /// What command 0x27 can do without.
    public struct UnboltDoorOptionalArguments: Sendable {
        var pinCode: Data?
        /// Gives field 0.
        public mutating func setPinCode(_ value: Data) { pinCode = value }
    }
}

extension Matter.DoorLockTrait {
    /// An enumeration of the cluster.
    public enum DlLockState: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case notFullyLocked = 0
        /// Value 1.
        case locked = 1
        /// Value 2.
        case unlocked = 2
        /// Value 3.
        case unlatched = 3
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum DlLockType: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case deadBolt = 0
        /// Value 1.
        case magnetic = 1
        /// Value 2.
        case other = 2
        /// Value 3.
        case mortise = 3
        /// Value 4.
        case rim = 4
        /// Value 5.
        case latchBolt = 5
        /// Value 6.
        case cylindricalLock = 6
        /// Value 7.
        case tubularLock = 7
        /// Value 8.
        case interconnectedLock = 8
        /// Value 9.
        case deadLatch = 9
        /// Value 10.
        case doorFurniture = 10
        /// Value 11.
        case eurocylinder = 11
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum DoorStateEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case doorOpen = 0
        /// Value 1.
        case doorClosed = 1
        /// Value 2.
        case doorJammed = 2
        /// Value 3.
        case doorForcedOpen = 3
        /// Value 4.
        case doorUnspecifiedError = 4
        /// Value 5.
        case doorAjar = 5
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// An enumeration of the cluster.
    public enum OperatingModeEnum: UInt8, TraitEnum, TraitValue {
        /// Value 0.
        case normal = 0
        /// Value 1.
        case vacation = 1
        /// Value 2.
        case privacy = 2
        /// Value 3.
        case noRemoteLockUnlock = 3
        /// Value 4.
        case passage = 4
        /// A value that this version does not know.
        case unrecognized_ = 255
    }

    /// A set of bits of the cluster.
    public struct Feature: OptionSet, TraitValue {
        /// The bits.
        public let rawValue: UInt32
        /// Takes bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Bits 0x01.
        public static let pinCredential = Self(rawValue: 0x01)
        /// Bits 0x02.
        public static let rfidCredential = Self(rawValue: 0x02)
        /// Bits 0x04.
        public static let fingerCredentials = Self(rawValue: 0x04)
        /// Bits 0x08.
        public static let logging = Self(rawValue: 0x08)
        /// Bits 0x10.
        public static let weekDayAccessSchedules = Self(rawValue: 0x10)
        /// Bits 0x20.
        public static let doorPositionSensor = Self(rawValue: 0x20)
        /// Bits 0x40.
        public static let faceCredentials = Self(rawValue: 0x40)
        /// Bits 0x80.
        public static let credentialsOverTheAirAccess = Self(rawValue: 0x80)
        /// Bits 0x100.
        public static let user = Self(rawValue: 0x100)
        /// Bits 0x200.
        public static let notification = Self(rawValue: 0x200)
        /// Bits 0x400.
        public static let yearDayAccessSchedules = Self(rawValue: 0x400)
        /// Bits 0x800.
        public static let holidaySchedules = Self(rawValue: 0x800)
        /// Bits 0x1000.
        public static let unbolt = Self(rawValue: 0x1000)
        /// Bits 0x2000.
        public static let aliroProvisioning = Self(rawValue: 0x2000)
        /// Bits 0x4000.
        public static let aliroBleuwb = Self(rawValue: 0x4000)
    }
}
