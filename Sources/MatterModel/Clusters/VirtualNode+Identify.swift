import MatterWire

/// Identify, 0x0003: the remaining time is an attribute that counts down.
extension VirtualNode {
    mutating func invokeIdentify(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let path = ConcreteAttributePath(invocation.endpoint, .identify, 0x0000)
        switch invocation.command {
        case 0x00:
            let time = try invocation.decode { (fields) throws(TLVError) in try fields.integer(0, as: UInt16.self) }
            writeCountdown(time, at: path, now: invocation.context.now)
        case 0x40:
            let (effect, _) = try invocation.decode { (fields) throws(TLVError) in
                (try fields.integer(0, as: UInt8.self), try fields.integer(1, as: UInt8.self))
            }
            switch effect {
            case 0x00, 0x01, 0x02, 0x0B: break  // Blink, breathe, okay, channel change: nothing to see here.
            case 0xFE, 0xFF: writeCountdown(0, at: path, now: invocation.context.now)  // Finish or stop.
            default: throw StatusIB(.constraintError)
            }
        default: throw StatusIB(.unsupportedCommand)
        }
        return .status(.success)
    }

    func isIdentifying(_ endpoint: EndpointID) -> Bool {
        countdowns[ConcreteAttributePath(endpoint, .identify, 0x0000)] != nil
    }
}

// MARK: - Counting down

extension VirtualNode {
    /// Sets an attribute that counts down, and starts or stops its count.
    mutating func writeCountdown(_ value: UInt16, at path: ConcreteAttributePath, now: MonotonicInstant) {
        let wasCounting = countdowns[path] != nil
        let before = countdowns[path]?.value(at: now)
        countdowns[path] = nil
        store[path] = before.map { .uint($0) } ?? store[path]
        set(path, to: .uint(value))
        switch path.cluster {
        case .identify: startCountdown(value, at: path, unit: .seconds(1), now: now)
        case .onOff where wasCounting: startCountdown(value, at: path, unit: .milliseconds(100), now: now)
        default: break
        }
    }

    /// Starts the count of an attribute whose stored value is `value`; 0 has nothing to count.
    mutating func startCountdown(
        _ value: UInt16, at path: ConcreteAttributePath, unit: Duration, now: MonotonicInstant
    ) {
        guard value > 0 else { return }
        countdowns[path] = Countdown(start: now, from: value, unit: unit)
    }

    /// An attribute has counted down to zero.
    mutating func countdownEnded(_ path: ConcreteAttributePath, _ now: MonotonicInstant) {
        set(path, to: .uint(0 as UInt16))
        if path.cluster == .onOff { timedStateEnded(path, now) }
    }
}
