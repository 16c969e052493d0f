import MatterWire

/// WindowCovering, 0x0102, with a lift that knows its position (application clusters §5.3): 0 is open, 10000 closed.
extension VirtualNode {
    private enum Cover {
        static let configStatus: UInt32 = 0x0007
        static let percentage: UInt32 = 0x0008
        static let operationalStatus: UInt32 = 0x000A
        static let target: UInt32 = 0x000B
        static let position: UInt32 = 0x000E
        static let closed = 10_000
        /// How long the whole way takes.
        static let travel = Duration.seconds(10)
        static let reversed: UInt64 = 1
        static let calibrating: UInt64 = 2
        static let maintenance: UInt64 = 4
    }

    mutating func invokeWindowCovering(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let cover = invocation.endpoint
        let now = invocation.context.now
        let mode = store[path(cover, 0x0017)]?.unsigned ?? 0
        guard mode & Cover.maintenance == 0 else { throw StatusIB(.busy) }
        guard mode & Cover.calibrating == 0 else { throw StatusIB(.failure) }
        switch invocation.command {
        case 0x00: travel(cover, to: 0, now)
        case 0x01: travel(cover, to: Cover.closed, now)
        case 0x02:
            halt(path(cover, Cover.position), now: now)
            coverStopped(cover)
        case 0x05: travel(cover, to: try invocation.required(0), now)
        default: throw StatusIB(.unsupportedCommand)
        }
        return .status(.success)
    }

    private mutating func travel(_ cover: EndpointID, to target: Int, _ now: MonotonicInstant) {
        halt(path(cover, Cover.position), now: now)
        let from = position(of: cover)
        set(path(cover, Cover.target), to: .unsigned(UInt64(target)))
        move(
            path(cover, Cover.position), to: target, over: Cover.travel * abs(target - from) / Cover.closed,
            end: .coverStops, now: now)
        guard moving[path(cover, Cover.position)] != nil else { return }
        // 1 opens, 2 closes; once for the whole cover and once for its lift.
        let direction: UInt8 = target < from ? 1 : 2
        set(path(cover, Cover.operationalStatus), to: .uint(direction | direction << 2))
    }

    /// Position in percent follows the exact one.
    mutating func coverMoved(_ cover: EndpointID) {
        set(path(cover, Cover.percentage), to: .uint(UInt8(position(of: cover) / 100)))
    }

    /// The cover stands still: where it is, it wants to be.
    mutating func coverStopped(_ cover: EndpointID) {
        coverMoved(cover)
        set(path(cover, Cover.target), to: .unsigned(UInt64(position(of: cover))))
        set(path(cover, Cover.operationalStatus), to: .uint(0 as UInt8))
    }

    /// Somebody pulled the cover to a position.
    mutating func coverPulled(_ cover: EndpointID, to value: TLVValue) {
        moving[path(cover, Cover.position)] = nil
        set(path(cover, Cover.position), to: value)
        coverStopped(cover)
    }

    /// Covers that moved when the node stopped stand still when it starts.
    mutating func applyStartUpCover() {
        for cover in store.endpointIDs where store[cover, .windowCovering] != nil { coverStopped(cover) }
    }

    /// Maintenance and calibration take the cover out of operation, and ConfigStatus shows it.
    mutating func writeCoverMode(_ value: TLVValue, at path: ConcreteAttributePath) {
        set(path, to: value)
        let mode = value.unsigned ?? 0
        let operational: UInt64 = mode & (Cover.calibrating | Cover.maintenance) == 0 ? 1 : 0
        let status = self.path(path.endpoint, Cover.configStatus)
        let others = (store[status]?.unsigned ?? 0) & ~0b101
        set(status, to: .unsigned(others | operational | (mode & Cover.reversed) << 2))
    }

    private func position(of cover: EndpointID) -> Int { Int(store[path(cover, Cover.position)]?.unsigned ?? 0) }

    private func path(_ cover: EndpointID, _ attribute: UInt32) -> ConcreteAttributePath {
        ConcreteAttributePath(cover, .windowCovering, attribute)
    }
}
