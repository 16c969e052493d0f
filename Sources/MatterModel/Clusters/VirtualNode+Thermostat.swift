import MatterWire

/// Thermostat, 0x0201, that heats, cools and chooses between them (application clusters §4.3).
///
/// A setpoint lies within its limits, and the cooling one above the heating one by the dead band: the other one is moved
/// where there is room, else the new value is refused.
extension VirtualNode {
    private enum Climate {
        static let localTemperature: UInt32 = 0x0000
        static let absMinHeat: UInt32 = 0x0003
        static let absMaxHeat: UInt32 = 0x0004
        static let absMinCool: UInt32 = 0x0005
        static let absMaxCool: UInt32 = 0x0006
        static let cooling: UInt32 = 0x0011
        static let heating: UInt32 = 0x0012
        static let minHeat: UInt32 = 0x0015
        static let maxHeat: UInt32 = 0x0016
        static let minCool: UInt32 = 0x0017
        static let maxCool: UInt32 = 0x0018
        static let deadBand: UInt32 = 0x0019
        static let sequence: UInt32 = 0x001B
        static let systemMode: UInt32 = 0x001C
        static let runningMode: UInt32 = 0x001E
        static let runningState: UInt32 = 0x0029
        /// What SystemMode and ThermostatRunningMode call the modes.
        static let off: UInt64 = 0
        static let auto: UInt64 = 1
        static let cool: UInt64 = 3
        static let heat: UInt64 = 4
    }

    mutating func invokeThermostat(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        guard invocation.command == 0x00 else { throw StatusIB(.unsupportedCommand) }
        let room = invocation.endpoint
        let mode = try invocation.required(0)
        // In tenths of a degree.
        let amount = try invocation.required(1) * 10
        if mode != 1 { raise(room, Climate.heating, by: amount) }
        if mode != 0 { raise(room, Climate.cooling, by: amount) }
        heatOrCool(room)
        return .status(.success)
    }

    /// Moves a setpoint as far as its limits and those of the other one allow.
    private mutating func raise(_ room: EndpointID, _ setpoint: UInt32, by amount: Int) {
        let limits = setpointLimits(room, setpoint)
        let wanted = min(max(degrees(room, setpoint) + amount, limits.lowerBound), limits.upperBound)
        let band = degrees(room, Climate.deadBand) * 10
        let other = setpointLimits(room, setpoint == Climate.heating ? Climate.cooling : Climate.heating)
        let possible =
            setpoint == Climate.heating
            ? min(wanted, other.upperBound - band) : max(wanted, other.lowerBound + band)
        setSetpoint(room, setpoint, to: possible)
    }

    /// Sets a setpoint and pushes the other one away; there must be room.
    private mutating func setSetpoint(_ room: EndpointID, _ setpoint: UInt32, to value: Int) {
        let band = degrees(room, Climate.deadBand) * 10
        set(path(room, setpoint), to: .signed(Int64(value)))
        if setpoint == Climate.heating, degrees(room, Climate.cooling) < value + band {
            set(path(room, Climate.cooling), to: .signed(Int64(value + band)))
        }
        if setpoint == Climate.cooling, degrees(room, Climate.heating) > value - band {
            set(path(room, Climate.heating), to: .signed(Int64(value - band)))
        }
    }

    private func setpointLimits(_ room: EndpointID, _ setpoint: UInt32) -> ClosedRange<Int> {
        let isHeat = setpoint == Climate.heating
        let low = degrees(room, isHeat ? Climate.minHeat : Climate.minCool)
        return low...max(low, degrees(room, isHeat ? Climate.maxHeat : Climate.maxCool))
    }

    mutating func writeThermostat(_ value: TLVValue, at path: ConcreteAttributePath) throws(StatusIB) {
        let room = path.endpoint
        let number = Int(value.signed ?? Int64(clamping: value.unsigned ?? 0))
        switch path.attribute.rawValue {
        case Climate.heating, Climate.cooling: try writeSetpoint(number, path.attribute.rawValue, room)
        case Climate.minHeat...Climate.maxCool, Climate.deadBand:
            try writeLimit(number, path.attribute.rawValue, room)
        case Climate.sequence: try writeSequence(UInt64(number), room)
        case Climate.systemMode: try writeSystemMode(UInt64(number), room)
        default: set(path, to: value)
        }
        heatOrCool(room)
    }

    private mutating func writeSetpoint(_ value: Int, _ setpoint: UInt32, _ room: EndpointID) throws(StatusIB) {
        let isHeat = setpoint == Climate.heating
        let band = degrees(room, Climate.deadBand) * 10
        let other = setpointLimits(room, isHeat ? Climate.cooling : Climate.heating)
        let hasRoom = isHeat ? value + band <= other.upperBound : value - band >= other.lowerBound
        guard setpointLimits(room, setpoint).contains(value), hasRoom else { throw StatusIB(.constraintError) }
        setSetpoint(room, setpoint, to: value)
    }

    /// A limit or the dead band: it must fit the others, and the setpoints follow.
    private mutating func writeLimit(_ value: Int, _ limit: UInt32, _ room: EndpointID) throws(StatusIB) {
        func after(_ attribute: UInt32) -> Int { attribute == limit ? value : degrees(room, attribute) }
        let band = after(Climate.deadBand) * 10
        let heat = (after(Climate.minHeat), after(Climate.maxHeat))
        let cool = (after(Climate.minCool), after(Climate.maxCool))
        guard degrees(room, Climate.absMinHeat) <= heat.0, heat.0 <= heat.1,
            heat.1 <= degrees(room, Climate.absMaxHeat), degrees(room, Climate.absMinCool) <= cool.0,
            cool.0 <= cool.1, cool.1 <= degrees(room, Climate.absMaxCool), heat.0 <= cool.0 - band,
            heat.1 <= cool.1 - band
        else { throw StatusIB(.constraintError) }
        set(path(room, limit), to: .signed(Int64(value)))
        for setpoint in [Climate.heating, Climate.cooling] { raise(room, setpoint, by: 0) }
    }

    /// Cooling only, heating only, or both; the variants with reheat need another machine.
    private mutating func writeSequence(_ value: UInt64, _ room: EndpointID) throws(StatusIB) {
        guard [0, 2, 4].contains(value) else { throw StatusIB(.constraintError) }
        set(path(room, Climate.sequence), to: .unsigned(value))
        let mode = store[path(room, Climate.systemMode)]?.unsigned ?? 0
        if !Self.allows(mode, value) { set(path(room, Climate.systemMode), to: .unsigned(Climate.off)) }
    }

    private mutating func writeSystemMode(_ value: UInt64, _ room: EndpointID) throws(StatusIB) {
        guard Self.allows(value, store[path(room, Climate.sequence)]?.unsigned ?? 4) else {
            throw StatusIB(.constraintError)
        }
        set(path(room, Climate.systemMode), to: .unsigned(value))
    }

    private static func allows(_ mode: UInt64, _ sequence: UInt64) -> Bool {
        switch mode {
        case Climate.off: true
        case Climate.auto: sequence == 4
        case Climate.cool: sequence != 2
        case Climate.heat: sequence != 0
        default: false
        }
    }

    /// Shows what a machine would do at this temperature.
    mutating func heatOrCool(_ room: EndpointID) {
        let local = store[path(room, Climate.localTemperature)]?.signed.map { Int($0) }
        let mode = store[path(room, Climate.systemMode)]?.unsigned ?? Climate.off
        var running = Climate.off
        if let local {
            if mode == Climate.heat || mode == Climate.auto, local < degrees(room, Climate.heating) {
                running = Climate.heat
            }
            if mode == Climate.cool || mode == Climate.auto, local > degrees(room, Climate.cooling) {
                running = Climate.cool
            }
        }
        set(path(room, Climate.runningMode), to: .unsigned(running))
        set(
            path(room, Climate.runningState),
            to: .unsigned(running == Climate.heat ? 1 : running == Climate.cool ? 2 : 0))
    }

    /// Called once, when the node starts.
    mutating func applyStartUpThermostat() {
        for room in store.endpointIDs where store[room, .thermostat] != nil { heatOrCool(room) }
    }

    private func degrees(_ room: EndpointID, _ attribute: UInt32) -> Int {
        Int(store[path(room, attribute)]?.signed ?? 0)
    }

    private func path(_ room: EndpointID, _ attribute: UInt32) -> ConcreteAttributePath {
        ConcreteAttributePath(room, .thermostat, attribute)
    }
}
