import MatterWire

/// OnOff, 0x0006, with the lighting feature (application clusters §1.5).
///
/// ```
///         On, Toggle, OnWithTimedOff ▶ counts OnTime               OnTime ended
///  off ───────────────────────────────────────────▶ on ──────────────────────────────▶ off
///   │ ▲                                              │ Off, Toggle, OffWithEffect
///   │ └──────────────────────────────────────────────┘
///   └─ after a timed on that was cut short, OffWaitTime counts: OnWithTimedOff can't switch on until it ended
/// ```
extension VirtualNode {
    private static let onOff: UInt32 = 0x0000
    private static let globalSceneControl: UInt32 = 0x4000
    private static let onTime: UInt32 = 0x4001
    private static let offWaitTime: UInt32 = 0x4002
    private static let startUpOnOff: UInt32 = 0x4003
    /// A time of this many tenths never ends.
    private static let endless: UInt16 = 0xFFFF

    mutating func invokeOnOff(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let light = invocation.endpoint
        let now = invocation.context.now
        switch invocation.command {
        case 0x00: switchOff(light, now)
        case 0x01: switchOn(light, now)
        case 0x02: isOn(light) ? switchOff(light, now) : switchOn(light, now)
        case 0x40:
            let (effect, variant) = try invocation.decode { (fields) throws(TLVError) in
                (try fields.integer(0, as: UInt8.self), try fields.integer(1, as: UInt8.self))
            }
            guard effect <= 1, variant <= (effect == 0 ? 2 : 0) else { throw StatusIB(.constraintError) }
            set(ConcreteAttributePath(light, .onOff, Self.globalSceneControl), to: .bool(false))
            switchOff(light, now)
        case 0x41:
            // Without ScenesManagement there is no global scene to recall: the light goes on as it was.
            let control = ConcreteAttributePath(light, .onOff, Self.globalSceneControl)
            if store[control] == .bool(false) { switchOn(light, now) }
        case 0x42: try switchOnWithTimedOff(invocation)
        default: throw StatusIB(.unsupportedCommand)
        }
        return .status(.success)
    }

    func isOn(_ light: EndpointID) -> Bool {
        store[ConcreteAttributePath(light, .onOff, Self.onOff)] == .bool(true)
    }

    private func tenths(_ attribute: UInt32, _ light: EndpointID, _ now: MonotonicInstant) -> UInt16 {
        let path = ConcreteAttributePath(light, .onOff, attribute)
        return countdowns[path]?.value(at: now) ?? UInt16(store[path]?.unsigned ?? 0)
    }

    /// Sets a time and lets it stand still.
    private mutating func hold(_ attribute: UInt32, _ light: EndpointID, at value: UInt16) {
        let path = ConcreteAttributePath(light, .onOff, attribute)
        countdowns[path] = nil
        set(path, to: .uint(value))
    }

    private mutating func count(_ attribute: UInt32, _ light: EndpointID, _ now: MonotonicInstant) {
        let path = ConcreteAttributePath(light, .onOff, attribute)
        startCountdown(tenths(attribute, light, now), at: path, unit: .milliseconds(100), now: now)
    }

    /// Switches as On and Off do.
    ///
    /// - Parameter movesLevel: a light that can be dimmed fades; `false` when it is the level that switches.
    mutating func setOnOff(_ light: EndpointID, _ isOn: Bool, _ now: MonotonicInstant, movesLevel: Bool = true) {
        isOn ? switchOn(light, now, movesLevel: movesLevel) : switchOff(light, now, movesLevel: movesLevel)
    }

    private mutating func setLamp(_ light: EndpointID, _ isOn: Bool, _ now: MonotonicInstant, movesLevel: Bool = true) {
        guard isOn != self.isOn(light) else { return }
        set(ConcreteAttributePath(light, .onOff, Self.onOff), to: .bool(isOn))
        if movesLevel { levelFollows(light, isOn: isOn, now) }
    }

    private mutating func switchOn(_ light: EndpointID, _ now: MonotonicInstant, movesLevel: Bool = true) {
        let waits = ConcreteAttributePath(light, .onOff, Self.offWaitTime)
        let left = tenths(Self.offWaitTime, light, now)
        if countdowns[waits] != nil { hold(Self.offWaitTime, light, at: left) }
        if tenths(Self.onTime, light, now) == 0 { hold(Self.offWaitTime, light, at: 0) }
        set(ConcreteAttributePath(light, .onOff, Self.globalSceneControl), to: .bool(true))
        setLamp(light, true, now, movesLevel: movesLevel)
    }

    private mutating func switchOff(_ light: EndpointID, _ now: MonotonicInstant, movesLevel: Bool = true) {
        let wasTimed = countdowns[ConcreteAttributePath(light, .onOff, Self.onTime)] != nil
        hold(Self.onTime, light, at: 0)
        setLamp(light, false, now, movesLevel: movesLevel)
        if wasTimed, tenths(Self.offWaitTime, light, now) < Self.endless { count(Self.offWaitTime, light, now) }
    }

    private mutating func switchOnWithTimedOff(_ invocation: Invocation) throws(StatusIB) {
        let light = invocation.endpoint
        let now = invocation.context.now
        let (control, on, wait) = try invocation.decode { (fields) throws(TLVError) in
            (
                try fields.integer(0, as: UInt8.self), try fields.integer(1, as: UInt16.self),
                try fields.integer(2, as: UInt16.self)
            )
        }
        guard control <= 1, on < Self.endless, wait < Self.endless else { throw StatusIB(.constraintError) }
        let acceptsOnlyWhenOn = control & 1 != 0
        if acceptsOnlyWhenOn, !isOn(light) { return }
        let waiting = tenths(Self.offWaitTime, light, now)
        if waiting > 0, !isOn(light) {
            hold(Self.offWaitTime, light, at: min(waiting, wait))
            count(Self.offWaitTime, light, now)
        } else {
            hold(Self.onTime, light, at: max(tenths(Self.onTime, light, now), on))
            hold(Self.offWaitTime, light, at: wait)
            setLamp(light, true, now)
            if tenths(Self.onTime, light, now) < Self.endless { count(Self.onTime, light, now) }
        }
    }

    /// OnTime or OffWaitTime ended; the end of OnTime switches off.
    mutating func timedStateEnded(_ path: ConcreteAttributePath, _ now: MonotonicInstant) {
        guard path.attribute.rawValue == Self.onTime else { return }
        hold(Self.offWaitTime, path.endpoint, at: 0)
        setLamp(path.endpoint, false, now)
    }

    /// Switches every light as StartUpOnOff says; called once, when the node starts.
    mutating func applyStartUpOnOff() {
        for light in store.endpointIDs where store[light, .onOff] != nil {
            let path = ConcreteAttributePath(light, .onOff, Self.onOff)
            switch store[ConcreteAttributePath(light, .onOff, Self.startUpOnOff)]?.unsigned {
            case 0: set(path, to: .bool(false))
            case 1: set(path, to: .bool(true))
            case 2: set(path, to: .bool(!isOn(light)))
            default: break
            }
        }
    }
}
