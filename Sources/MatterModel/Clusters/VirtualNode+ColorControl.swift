import MatterWire

/// ColorControl, 0x0300, with hue and saturation, xy and colour temperature (application clusters §3.2).
///
/// The attributes of the mode that ColorMode names show the colour; those of the other modes stay as they were.
extension VirtualNode {
    private enum Color {
        static let hue: UInt32 = 0x0000
        static let saturation: UInt32 = 0x0001
        static let remainingTime: UInt32 = 0x0002
        static let x: UInt32 = 0x0003
        static let y: UInt32 = 0x0004
        static let mireds: UInt32 = 0x0007
        static let mode: UInt32 = 0x0008
        static let options: UInt32 = 0x000F
        static let enhancedMode: UInt32 = 0x4001
        static let coolest: UInt32 = 0x400B
        static let warmest: UInt32 = 0x400C
        static let coolestByLevel: UInt32 = 0x400D
        static let startUp: UInt32 = 0x4010
        static let moving = [hue, saturation, x, y, mireds]
        static let hues = 255
        static let highest = 254
        static let highestCoordinate = 0xFEFF
    }

    private enum Mode: UInt8 {
        case hueAndSaturation = 0
        case xy = 1
        case temperature = 2
    }

    /// What one attribute has to do.
    private struct Course {
        var attribute: UInt32
        var delta = 0
        var target = 0
        /// On the circle of hues.
        var isCircle = false
        var time = Duration.zero
        var isEndless = false
    }

    mutating func invokeColorControl(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let light = invocation.endpoint
        let now = invocation.context.now
        let (mode, courses) = try courses(invocation)
        // The options are the last two fields of every command.
        let fields = store[light, .colorControl]?.commands[CommandID(rawValue: invocation.command)]?.fields ?? []
        guard
            executes(
                invocation, maskAt: UInt8(max(2, fields.count) - 2), options: path(light, Color.options))
        else { return .status(.success) }
        haltColor(light, now)
        guard let mode else { return .status(.success) }
        show(mode, on: light)
        for course in courses {
            let attribute = path(light, course.attribute)
            if course.isEndless {
                moveEndlessly(attribute, by: course.delta, modulus: Color.hues, now: now)
            } else {
                move(
                    attribute, to: course.target, delta: course.delta, modulus: course.isCircle ? Color.hues : nil,
                    over: course.time, now: now)
            }
        }
        let longest = courses.filter { !$0.isEndless }.max { $0.time < $1.time }
        if let longest {
            showRemainingTime(
                path(light, Color.remainingTime), longest.time, isMoving: path(light, longest.attribute), now)
        } else if !courses.isEmpty {
            set(path(light, Color.remainingTime), to: .uint(0xFFFF as UInt16))
        }
        return .status(.success)
    }

    /// What a command means; no mode for one that stops.
    private func courses(_ invocation: Invocation) throws(StatusIB) -> (Mode?, [Course]) {
        let light = invocation.endpoint
        let now = invocation.context.now
        func tenths(_ tag: UInt8) throws(StatusIB) -> Duration { .milliseconds(100 * (try invocation.required(tag))) }
        switch invocation.command {
        case 0x00:
            let course = hue(
                from: value(light, Color.hue, now), to: try invocation.required(0),
                direction: try invocation.required(1), over: try tenths(2))
            return (.hueAndSaturation, [course])
        case 0x01:
            guard let sign = try sign(invocation, 0) else { return (nil, []) }
            let rate = try positive(invocation, 1)
            return (
                .hueAndSaturation,
                [Course(attribute: Color.hue, delta: sign * rate, isCircle: true, isEndless: true)]
            )
        case 0x02:
            guard let sign = try sign(invocation, 0) else { throw StatusIB(.constraintError) }
            let delta = sign * (try positive(invocation, 1))
            let target = (value(light, Color.hue, now) + delta + 2 * Color.hues) % Color.hues
            return (
                .hueAndSaturation,
                [
                    Course(
                        attribute: Color.hue, delta: delta, target: target, isCircle: true, time: try tenths(2))
                ]
            )
        case 0x03:
            return (
                .hueAndSaturation,
                [try straight(light, Color.saturation, to: invocation.required(0), over: tenths(1), now)]
            )
        case 0x04:
            guard let sign = try sign(invocation, 0) else { return (nil, []) }
            let course = atRate(
                light, Color.saturation, sign * (try positive(invocation, 1)), within: 0...Color.highest, now)
            return (.hueAndSaturation, [course])
        case 0x05:
            guard let sign = try sign(invocation, 0) else { throw StatusIB(.constraintError) }
            let course = stepped(
                light, Color.saturation, sign * (try positive(invocation, 1)), within: 0...Color.highest,
                over: try tenths(2), now)
            return (.hueAndSaturation, [course])
        case 0x06:
            let turn = hue(
                from: value(light, Color.hue, now), to: try invocation.required(0), direction: 0, over: try tenths(2))
            let course = try straight(light, Color.saturation, to: invocation.required(1), over: tenths(2), now)
            return (.hueAndSaturation, [turn, course])
        case 0x07:
            return (
                .xy,
                [
                    try straight(light, Color.x, to: invocation.required(0), over: tenths(2), now),
                    try straight(light, Color.y, to: invocation.required(1), over: tenths(2), now),
                ]
            )
        case 0x08:
            let (x, y) = (try invocation.required(0), try invocation.required(1))
            guard x != 0 || y != 0 else { return (nil, []) }
            let range = 0...Color.highestCoordinate
            return (
                .xy,
                [atRate(light, Color.x, x, within: range, now), atRate(light, Color.y, y, within: range, now)]
            )
        case 0x09:
            let (x, y) = (try invocation.required(0), try invocation.required(1))
            guard x != 0 || y != 0 else { throw StatusIB(.invalidCommand) }
            let (range, time) = (0...Color.highestCoordinate, try tenths(2))
            return (
                .xy,
                [
                    stepped(light, Color.x, x, within: range, over: time, now),
                    stepped(light, Color.y, y, within: range, over: time, now),
                ]
            )
        case 0x0A, 0x4B, 0x4C: return try temperatureCourse(invocation)
        case 0x47: return (nil, [])
        default: throw StatusIB(.unsupportedCommand)
        }
    }

    private func temperatureCourse(_ invocation: Invocation) throws(StatusIB) -> (Mode?, [Course]) {
        let light = invocation.endpoint
        let now = invocation.context.now
        let physical = value(light, Color.coolest, now)...value(light, Color.warmest, now)
        if invocation.command == 0x0A {
            let target = min(max(try invocation.required(0), physical.lowerBound), physical.upperBound)
            let time = Duration.milliseconds(100 * (try invocation.required(1)))
            return (.temperature, [straight(light, Color.mireds, to: target, over: time, now)])
        }
        let limitsAt: UInt8 = invocation.command == 0x4B ? 2 : 3
        let (low, high) = (try invocation.required(limitsAt), try invocation.required(limitsAt + 1))
        // Zero means the device's own limit.
        let lowest = low == 0 ? physical.lowerBound : max(low, physical.lowerBound)
        let highest = high == 0 ? physical.upperBound : min(high, physical.upperBound)
        guard lowest <= highest else { throw StatusIB(.constraintError) }
        let sign = try sign(invocation, 0)
        if invocation.command == 0x4B {
            guard let sign else { return (nil, []) }
            let rate = try positive(invocation, 1)
            return (.temperature, [atRate(light, Color.mireds, sign * rate, within: lowest...highest, now)])
        }
        guard let sign else { throw StatusIB(.constraintError) }
        let size = try positive(invocation, 1)
        let time = Duration.milliseconds(100 * (try invocation.required(2)))
        return (
            .temperature,
            [stepped(light, Color.mireds, sign * size, within: lowest...highest, over: time, now)]
        )
    }

    // MARK: - Courses

    private func hue(from: Int, to target: Int, direction: Int, over time: Duration) -> Course {
        let up = (target - from + Color.hues) % Color.hues
        let down = up - Color.hues
        let isUpShorter = up <= -down
        let delta =
            switch direction {
            case 0: isUpShorter ? up : down
            case 1: isUpShorter ? down : up
            case 2: up
            default: up == 0 ? 0 : down
            }
        return Course(attribute: Color.hue, delta: delta, target: target, isCircle: true, time: time)
    }

    private func straight(
        _ light: EndpointID, _ attribute: UInt32, to target: Int, over time: Duration, _ now: MonotonicInstant
    ) -> Course {
        Course(attribute: attribute, delta: target - value(light, attribute, now), target: target, time: time)
    }

    private func stepped(
        _ light: EndpointID, _ attribute: UInt32, _ step: Int, within range: ClosedRange<Int>, over time: Duration,
        _ now: MonotonicInstant
    ) -> Course {
        let target = min(max(value(light, attribute, now) + step, range.lowerBound), range.upperBound)
        return straight(light, attribute, to: target, over: time, now)
    }

    /// Moves to the end of the range at a speed a second.
    private func atRate(
        _ light: EndpointID, _ attribute: UInt32, _ rate: Int, within range: ClosedRange<Int>, _ now: MonotonicInstant
    ) -> Course {
        let from = value(light, attribute, now)
        let target = rate == 0 ? from : rate > 0 ? range.upperBound : range.lowerBound
        let time = rate == 0 ? Duration.zero : .milliseconds(1000 * abs(target - from) / abs(rate))
        return straight(light, attribute, to: target, over: time, now)
    }

    /// A mode of Move or Step: up, down, or `nil` for the mode that stops.
    private func sign(_ invocation: Invocation, _ tag: UInt8) throws(StatusIB) -> Int? {
        switch try invocation.required(tag) {
        case 0: nil
        case 1: 1
        case 3: -1
        default: throw StatusIB(.constraintError)
        }
    }

    private func positive(_ invocation: Invocation, _ tag: UInt8) throws(StatusIB) -> Int {
        let number = try invocation.required(tag)
        guard number > 0 else { throw StatusIB(.invalidCommand) }
        return number
    }

    // MARK: - State

    private mutating func show(_ mode: Mode, on light: EndpointID) {
        set(path(light, Color.mode), to: .uint(mode.rawValue))
        set(path(light, Color.enhancedMode), to: .uint(mode.rawValue))
    }

    private mutating func haltColor(_ light: EndpointID, _ now: MonotonicInstant) {
        for attribute in Color.moving { halt(path(light, attribute), now: now) }
        let remaining = path(light, Color.remainingTime)
        showRemainingTime(remaining, .zero, isMoving: remaining, now)
    }

    /// The level of a light whose colour temperature is coupled to it changed: the dimmer, the warmer.
    mutating func levelChanged(_ light: EndpointID, _ now: MonotonicInstant) {
        let options = store[ConcreteAttributePath(light, .levelControl, 0x000F)]?.unsigned ?? 0
        let level = store[ConcreteAttributePath(light, .levelControl, 0x0000)]?.unsigned
        guard options & 2 != 0, let level, store[path(light, Color.mode)]?.unsigned == UInt64(Mode.temperature.rawValue)
        else { return }
        let (coolest, warmest) = (value(light, Color.coolestByLevel, now), value(light, Color.warmest, now))
        halt(path(light, Color.mireds), now: now)
        let mireds = coolest + (warmest - coolest) * (Color.highest - Int(level)) / (Color.highest - 1)
        set(path(light, Color.mireds), to: .unsigned(UInt64(max(mireds, 0))))
    }

    /// Sets every light's colour temperature as its start-up attribute says; called once, when the node starts.
    mutating func applyStartUpColor() {
        for light in store.endpointIDs where store[light, .colorControl] != nil {
            guard let mireds = store[path(light, Color.startUp)]?.unsigned else { continue }
            let lowest = store[path(light, Color.coolest)]?.unsigned ?? mireds
            let highest = store[path(light, Color.warmest)]?.unsigned ?? mireds
            set(path(light, Color.mireds), to: .unsigned(min(max(mireds, lowest), highest)))
            show(.temperature, on: light)
        }
    }

    /// The world gave the light another colour.
    mutating func colorTurned(
        _ path: ConcreteAttributePath, to value: TLVValue, _ now: MonotonicInstant
    ) throws(StatusIB) {
        if path.attribute.rawValue == Color.mireds, let mireds = value.unsigned {
            let physical = self.value(path.endpoint, Color.coolest, now)...self.value(path.endpoint, Color.warmest, now)
            guard physical.contains(Int(mireds)) else { throw StatusIB(.constraintError) }
        }
        haltColor(path.endpoint, now)
        set(path, to: value)
        switch path.attribute.rawValue {
        case Color.hue, Color.saturation: show(.hueAndSaturation, on: path.endpoint)
        case Color.x, Color.y: show(.xy, on: path.endpoint)
        default: show(.temperature, on: path.endpoint)
        }
    }

    private func value(_ light: EndpointID, _ attribute: UInt32, _ now: MonotonicInstant) -> Int {
        let path = path(light, attribute)
        return moving[path]?.transition.value(at: now) ?? Int(store[path]?.unsigned ?? 0)
    }

    private func path(_ light: EndpointID, _ attribute: UInt32) -> ConcreteAttributePath {
        ConcreteAttributePath(light, .colorControl, attribute)
    }
}
