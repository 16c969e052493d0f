import MatterWire

/// FanControl, 0x0202, with speeds, automatic mode and steps (application clusters §4.4).
///
/// Mode, percent and speed are three views of one setting: a write to one moves the others.
extension VirtualNode {
    private enum Fan {
        static let mode: UInt32 = 0x0000
        static let percentSetting: UInt32 = 0x0002
        static let percentCurrent: UInt32 = 0x0003
        static let speedMax: UInt32 = 0x0004
        static let speedSetting: UInt32 = 0x0005
        static let speedCurrent: UInt32 = 0x0006
        static let off: UInt64 = 0
        static let high: UInt64 = 3
        static let on: UInt64 = 4
        static let auto: UInt64 = 5
        static let smart: UInt64 = 6
        /// What the modes off, low, medium and high mean in percent.
        static let percents: [UInt64] = [0, 30, 60, 100]
        /// What the automatic mode chooses.
        static let automaticPercent: UInt64 = 50
    }

    mutating func invokeFanControl(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        guard invocation.command == 0x00 else { throw StatusIB(.unsupportedCommand) }
        let fan = invocation.endpoint
        let wraps = invocation.fields[1]?.bool ?? false
        let lowest: UInt64 = invocation.fields[2]?.bool ?? true ? 0 : 1
        let highest = number(fan, Fan.speedMax)
        let speed = number(fan, Fan.speedCurrent)
        let isUp = try invocation.required(0) == 0
        let next =
            if isUp { speed < highest ? max(speed + 1, lowest) : wraps ? lowest : highest } else {
                speed > lowest ? speed - 1 : wraps ? highest : lowest
            }
        showPercent(fan, next * 100 / highest)
        return .status(.success)
    }

    mutating func writeFan(_ value: TLVValue, at path: ConcreteAttributePath) throws(StatusIB) {
        let fan = path.endpoint
        // Null is what the automatic mode shows, and nothing to ask for.
        guard let number = value.unsigned else { throw StatusIB(.invalidInState) }
        switch path.attribute.rawValue {
        case Fan.mode:
            switch number {
            case Fan.auto, Fan.smart: showAutomatic(fan)
            case Fan.on: showPercent(fan, Fan.percents[Int(Fan.high)])
            default: showPercent(fan, Fan.percents[Int(number)])
            }
        case Fan.percentSetting: showPercent(fan, number)
        case Fan.speedSetting:
            let highest = self.number(fan, Fan.speedMax)
            guard number <= highest else { throw StatusIB(.constraintError) }
            showPercent(fan, number * 100 / highest)
        default: set(path, to: value)
        }
    }

    private mutating func showPercent(_ fan: EndpointID, _ percent: UInt64) {
        let mode = Fan.percents.firstIndex { percent <= $0 } ?? Int(Fan.high)
        set(path(fan, Fan.mode), to: .unsigned(UInt64(mode)))
        set(path(fan, Fan.percentSetting), to: .unsigned(percent))
        set(path(fan, Fan.speedSetting), to: .unsigned(speed(fan, percent)))
        blow(fan, percent)
    }

    private mutating func showAutomatic(_ fan: EndpointID) {
        set(path(fan, Fan.mode), to: .unsigned(Fan.auto))
        set(path(fan, Fan.percentSetting), to: .null)
        set(path(fan, Fan.speedSetting), to: .null)
        blow(fan, Fan.automaticPercent)
    }

    private mutating func blow(_ fan: EndpointID, _ percent: UInt64) {
        set(path(fan, Fan.percentCurrent), to: .unsigned(percent))
        set(path(fan, Fan.speedCurrent), to: .unsigned(speed(fan, percent)))
    }

    /// Rounded up: what is not off turns.
    private func speed(_ fan: EndpointID, _ percent: UInt64) -> UInt64 {
        (percent * number(fan, Fan.speedMax) + 99) / 100
    }

    private func number(_ fan: EndpointID, _ attribute: UInt32) -> UInt64 {
        store[path(fan, attribute)]?.unsigned ?? 0
    }

    private func path(_ fan: EndpointID, _ attribute: UInt32) -> ConcreteAttributePath {
        ConcreteAttributePath(fan, .fanControl, attribute)
    }
}
