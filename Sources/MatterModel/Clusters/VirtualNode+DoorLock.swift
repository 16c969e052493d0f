import MatterWire

/// DoorLock, 0x0101, without PINs (application clusters §5.2): a bolt that moves at once.
extension VirtualNode {
    private enum Lock {
        static let state: UInt32 = 0x0000
        static let actuatorEnabled: UInt32 = 0x0002
        static let autoRelockTime: UInt32 = 0x0023
        static let operatingMode: UInt32 = 0x0025
        static let locked = TLVValue.uint(1 as UInt8)
        static let unlocked = TLVValue.uint(2 as UInt8)
        static let normal: UInt64 = 0
        static let noRemoteLockUnlock: UInt64 = 3
        /// OperationErrorEnum.
        static let restricted: UInt8 = 3

        /// OperationSourceEnum.
        enum Source: UInt8 {
            case manual = 1
            case automatic = 4
            case remote = 7
        }
    }

    mutating func invokeDoorLock(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let lock = invocation.endpoint
        let now = invocation.context.now
        // A lock without the PIN feature knows no code, so whatever comes is not looked at.
        guard store[path(lock, Lock.actuatorEnabled)] == .bool(true),
            store[path(lock, Lock.operatingMode)]?.unsigned != Lock.noRemoteLockUnlock
        else {
            let isLocking = invocation.command == 0x00
            record(
                0x03, of: .doorLock, on: lock,
                .members(
                    (0, .uint(isLocking ? 0 : 1 as UInt8)), (1, .uint(Lock.Source.remote.rawValue)),
                    (2, .uint(Lock.restricted)), (3, .null), (4, fabric(invocation)), (5, node(invocation))), now: now)
            throw StatusIB(.failure)
        }
        relocking[lock] = nil
        defer { tellOperation(lock, .remote, invocation, now) }
        switch invocation.command {
        case 0x00: set(path(lock, Lock.state), to: Lock.locked)
        case 0x01:
            let seconds = store[path(lock, Lock.autoRelockTime)]?.unsigned ?? 0
            unlock(lock, for: Int(clamping: seconds), now)
        case 0x03: unlock(lock, for: try invocation.required(0), now)
        default: throw StatusIB(.unsupportedCommand)
        }
        return .status(.success)
    }

    /// - Parameter seconds: how long; 0 for as long as nobody locks.
    private mutating func unlock(_ lock: EndpointID, for seconds: Int, _ now: MonotonicInstant) {
        set(path(lock, Lock.state), to: Lock.unlocked)
        if seconds > 0 { relocking[lock] = now.advanced(by: .seconds(seconds)) }
    }

    /// The time for which a lock was opened is over.
    mutating func relock(_ lock: EndpointID, _ now: MonotonicInstant) {
        relocking[lock] = nil
        set(path(lock, Lock.state), to: Lock.locked)
        tellOperation(lock, .automatic, nil, now)
    }

    /// Somebody turned the key.
    mutating func keyTurned(_ lock: EndpointID, to state: TLVValue, _ now: MonotonicInstant) {
        relocking[lock] = nil
        let before = store[path(lock, Lock.state)]
        set(path(lock, Lock.state), to: state)
        if state != before, state == Lock.locked || state == Lock.unlocked { tellOperation(lock, .manual, nil, now) }
    }

    /// Records LockOperation for the state that the lock has now.
    private mutating func tellOperation(
        _ lock: EndpointID, _ source: Lock.Source, _ invocation: Invocation?, _ now: MonotonicInstant
    ) {
        let isLocked = store[path(lock, Lock.state)] == Lock.locked
        record(
            0x02, of: .doorLock, on: lock,
            .members(
                (0, .uint(isLocked ? 0 : 1 as UInt8)), (1, .uint(source.rawValue)), (2, .null),
                (3, fabric(invocation)), (4, node(invocation))), now: now)
    }

    private func fabric(_ invocation: Invocation?) -> TLVValue {
        guard let index = invocation?.context.fabricIndex, index != .none else { return .null }
        return .uint(index.rawValue)
    }

    private func node(_ invocation: Invocation?) -> TLVValue {
        guard case .operational(let node, _)? = invocation?.context.subject else { return .null }
        return .uint(node.rawValue)
    }

    /// Normal operation, or none over the network.
    mutating func writeOperatingMode(_ value: TLVValue, at path: ConcreteAttributePath) throws(StatusIB) {
        guard let mode = value.unsigned, [Lock.normal, Lock.noRemoteLockUnlock].contains(mode) else {
            throw StatusIB(.constraintError)
        }
        set(path, to: value)
    }

    private func path(_ lock: EndpointID, _ attribute: UInt32) -> ConcreteAttributePath {
        ConcreteAttributePath(lock, .doorLock, attribute)
    }
}
