import MatterWire

/// LevelControl, 0x0008, with the on/off and lighting features (application clusters §1.6).
///
/// A light that is switched on begins at the lowest level and rises to OnLevel, or to the level that it had; one that is
/// switched off is off at once, and its level falls in the off time. Both times are zero unless they are written.
extension VirtualNode {
    private enum Level {
        static let current: UInt32 = 0x0000
        static let remainingTime: UInt32 = 0x0001
        static let options: UInt32 = 0x000F
        static let onOffTransitionTime: UInt32 = 0x0010
        static let onLevel: UInt32 = 0x0011
        static let onTransitionTime: UInt32 = 0x0012
        static let offTransitionTime: UInt32 = 0x0013
        static let defaultMoveRate: UInt32 = 0x0014
        static let startUp: UInt32 = 0x4000
        static let lowest = 1
        static let highest = 254
    }

    mutating func invokeLevelControl(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let light = invocation.endpoint
        let now = invocation.context.now
        let withOnOff = invocation.command >= 0x04
        let optionsAt: UInt8 =
            switch invocation.command & 3 {
            case 0, 1: 2
            case 2: 3
            default: 0
            }
        // Checked before the options: what is invalid is so for a light that is off, too.
        let order = try levelOrder(invocation, now)
        guard withOnOff || executes(invocation, maskAt: optionsAt, options: .init(light, .levelControl, Level.options))
        else { return .status(.success) }
        guard let order else {
            haltLevel(light, now)
            return .status(.success)
        }
        moveLevel(light, to: order.target, over: order.time, withOnOff: withOnOff, now)
        return .status(.success)
    }

    /// Where a command sends the level, and in what time; `nil` for Stop.
    private func levelOrder(
        _ invocation: Invocation, _ now: MonotonicInstant
    ) throws(StatusIB) -> (target: Int, time: Duration)? {
        let light = invocation.endpoint
        let level = level(light, at: now)
        switch invocation.command & 3 {
        case 0:
            let tenths = invocation.number(1) ?? tenths(Level.onOffTransitionTime, light) ?? 0
            return (min(max(try invocation.required(0), Level.lowest), Level.highest), .milliseconds(100 * tenths))
        case 1:
            let target = try invocation.required(0) == 0 ? Level.highest : Level.lowest
            guard let rate = invocation.number(1) ?? tenths(Level.defaultMoveRate, light) else {
                return (target, .zero)
            }
            guard rate > 0 else { throw StatusIB(.invalidCommand) }
            return (target, .milliseconds(1000 * abs(target - level) / rate))
        case 2:
            let size = try invocation.required(1)
            guard size > 0 else { throw StatusIB(.invalidCommand) }
            let target = level + (try invocation.required(0) == 0 ? size : -size)
            let cut = min(max(target, Level.lowest), Level.highest)
            // A step that is cut short is as fast as a whole one.
            let whole = 100 * (invocation.number(2) ?? 0)
            return (cut, .milliseconds(whole * abs(cut - level) / size))
        default: return nil
        }
    }

    /// Whether a command without on/off acts now, as the Options attribute and the command's override say.
    func executes(_ invocation: Invocation, maskAt tag: UInt8, options path: ConcreteAttributePath) -> Bool {
        let mask = invocation.number(tag) ?? 0
        let override = invocation.number(tag + 1) ?? 0
        let options = Int(store[path]?.unsigned ?? 0)
        let executesIfOff = (options & ~mask | override & mask) & 1 != 0
        return executesIfOff || store[invocation.endpoint, .onOff] == nil || isOn(invocation.endpoint)
    }

    private mutating func moveLevel(
        _ light: EndpointID, to target: Int, over time: Duration, withOnOff: Bool, _ now: MonotonicInstant
    ) {
        haltLevel(light, now)
        let switchesOff = withOnOff && target == Level.lowest
        if withOnOff, target > Level.lowest { setOnOff(light, true, now, movesLevel: false) }
        move(
            path(light, Level.current), to: target, over: time, end: switchesOff ? .switchOff : .nothing, now: now)
        showRemainingTime(path(light, Level.remainingTime), time, isMoving: path(light, Level.current), now)
    }

    private mutating func haltLevel(_ light: EndpointID, _ now: MonotonicInstant) {
        if case .restoreLevel(let level)? = moving[path(light, Level.current)]?.transition.end {
            moving[path(light, Level.current)] = nil
            if let level { set(path(light, Level.current), to: .uint(level)) }
        } else {
            halt(path(light, Level.current), now: now)
        }
        showRemainingTime(path(light, Level.remainingTime), .zero, isMoving: path(light, Level.current), now)
    }

    /// Lets a remaining time, in tenths of a second, count down while an attribute moves.
    mutating func showRemainingTime(
        _ path: ConcreteAttributePath, _ time: Duration, isMoving moved: ConcreteAttributePath, _ now: MonotonicInstant
    ) {
        guard store[path] != nil else { return }
        let tenths = moving[moved] == nil ? 0 : UInt16(min(time / .milliseconds(100), 65_535))
        countdowns[path] = nil
        set(path, to: .uint(tenths))
        startCountdown(tenths, at: path, unit: .milliseconds(100), now: now)
    }

    /// The light was switched, and not by its level.
    mutating func levelFollows(_ light: EndpointID, isOn: Bool, _ now: MonotonicInstant) {
        guard let control = store[light, .levelControl], control.features & 1 != 0 else { return }
        haltLevel(light, now)
        let before = level(light, at: now)
        let onLevel = store[path(light, Level.onLevel)]?.unsigned.map { Int($0) }
        let own = tenths(isOn ? Level.onTransitionTime : Level.offTransitionTime, light)
        let time = Duration.milliseconds(100 * (own ?? tenths(Level.onOffTransitionTime, light) ?? 0))
        let current = path(light, Level.current)
        if isOn {
            if time > .zero { set(current, to: .unsigned(UInt64(Level.lowest))) }
            move(current, to: onLevel ?? before, over: time, now: now)
        } else {
            let restored = onLevel == nil ? UInt8(before) : nil
            move(current, to: Level.lowest, over: time, end: .restoreLevel(restored), now: now)
        }
        showRemainingTime(path(light, Level.remainingTime), time, isMoving: current, now)
    }

    /// Sets every light's level as StartUpCurrentLevel says; called once, when the node starts.
    mutating func applyStartUpLevel() {
        for light in store.endpointIDs where store[light, .levelControl] != nil {
            if let level = store[path(light, Level.startUp)]?.unsigned {
                set(path(light, Level.current), to: .unsigned(max(level, UInt64(Level.lowest))))
            }
        }
    }

    /// The world turned the dimmer: the light has this level at once.
    mutating func dimmerTurned(_ light: EndpointID, to level: Int, _ now: MonotonicInstant) throws(StatusIB) {
        guard (Level.lowest...Level.highest).contains(level) else { throw StatusIB(.constraintError) }
        moveLevel(light, to: level, over: .zero, withOnOff: false, now)
    }

    private func level(_ light: EndpointID, at now: MonotonicInstant) -> Int {
        let path = path(light, Level.current)
        return moving[path]?.transition.value(at: now) ?? Int(store[path]?.unsigned ?? UInt64(Level.lowest))
    }

    private func tenths(_ attribute: UInt32, _ light: EndpointID) -> Int? {
        store[path(light, attribute)]?.unsigned.map { Int($0) }
    }

    private func path(_ light: EndpointID, _ attribute: UInt32) -> ConcreteAttributePath {
        ConcreteAttributePath(light, .levelControl, attribute)
    }
}
