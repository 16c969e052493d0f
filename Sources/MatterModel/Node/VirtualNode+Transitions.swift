import MatterWire

/// Attributes that move by themselves.
extension VirtualNode {
    /// A transition and when its value was last stored.
    struct Moving: Hashable, Sendable {
        var transition: Transition
        var lastStored: MonotonicInstant

        var deadline: MonotonicInstant { transition.deadline(after: lastStored) }
    }

    /// Lets an unsigned attribute move to a value; at once when there is no time to move in.
    ///
    /// - Parameter delta: how far it goes, where the way there is not the straight one (on a circle).
    mutating func move(
        _ path: ConcreteAttributePath, to target: Int, delta: Int? = nil, modulus: Int? = nil, over time: Duration,
        end: Transition.End = .nothing, now: MonotonicInstant
    ) {
        let from = Int(store[path]?.unsigned ?? 0)
        moving[path] = nil
        guard time > .zero, target != from || (delta ?? 0) != 0 else {
            set(path, to: .unsigned(UInt64(max(0, target))))
            return transitionEnded(path, end, now)
        }
        let transition = Transition(
            start: now, from: from, delta: delta ?? target - from, span: time, modulus: modulus, end: end)
        moving[path] = Moving(transition: transition, lastStored: now)
    }

    /// Lets an attribute move for as long as nobody stops it.
    mutating func moveEndlessly(
        _ path: ConcreteAttributePath, by rate: Int, modulus: Int, now: MonotonicInstant
    ) {
        let transition = Transition(
            start: now, from: Int(store[path]?.unsigned ?? 0), delta: rate, span: .seconds(1), isEndless: true,
            modulus: modulus)
        moving[path] = Moving(transition: transition, lastStored: now)
    }

    /// Leaves an attribute where it is now; its end does not come.
    mutating func halt(_ path: ConcreteAttributePath, now: MonotonicInstant) {
        guard let halted = moving.removeValue(forKey: path) else { return }
        set(path, to: .unsigned(UInt64(halted.transition.value(at: now))))
        transitionStored(path, now)
    }

    /// Stores what moving attributes have reached, and ends those that arrived.
    mutating func settleTransitions(now: MonotonicInstant) {
        for path in moving.keys.sorted(by: <) {
            guard let transition = moving[path]?.transition else { continue }
            let hasArrived = transition.finish.map { $0 <= now } ?? false
            if hasArrived { moving[path] = nil } else { moving[path]?.lastStored = now }
            set(path, to: .unsigned(UInt64(transition.value(at: now))))
            transitionStored(path, now)
            if hasArrived { transitionEnded(path, transition.end, now) }
        }
    }

    /// What else shows the value that was just stored.
    private mutating func transitionStored(_ path: ConcreteAttributePath, _ now: MonotonicInstant) {
        switch path.cluster {
        case .levelControl: levelChanged(path.endpoint, now)
        case .windowCovering: coverMoved(path.endpoint)
        default: break
        }
    }

    private mutating func transitionEnded(_ path: ConcreteAttributePath, _ end: Transition.End, _ now: MonotonicInstant)
    {
        transitionStored(path, now)
        switch end {
        case .nothing: break
        case .switchOff: setOnOff(path.endpoint, false, now, movesLevel: false)
        case .restoreLevel(let level): if let level { set(path, to: .uint(level)) }
        case .coverStops: coverStopped(path.endpoint)
        }
    }
}

extension ConcreteAttributePath {
    /// By endpoint, cluster and attribute.
    static func < (left: Self, right: Self) -> Bool {
        (left.endpoint.rawValue, left.cluster.rawValue, left.attribute.rawValue)
            < (right.endpoint.rawValue, right.cluster.rawValue, right.attribute.rawValue)
    }
}
