/// What a hub keeps in memory at a moment, so that tests can see that nothing is left behind.
package struct HubLoad: Hashable, Sendable {
    /// Active sessions.
    package var sessions = 0
    /// Commissions that run or were stopped and have not ended.
    package var commissions = 0
    /// Callers of `cancel` that wait for a commission's end.
    package var waiters = 0
    /// Nodes that are being taken off the fabric.
    package var cleanings = 0
    /// Devices of active sessions.
    package var provisional = 0
    /// Commissions that wait for a device to be clean.
    package var watchers = 0
    /// Requests with a client key that run.
    package var requests = 0

    package init() {}
}

extension HubService {
    /// What the hub keeps now.
    package var load: HubLoad {
        var load = HubLoad()
        load.requests = inFlight.count
        for runtime in runtimes.values {
            load.sessions += runtime.machine.session == nil ? 0 : 1
            load.commissions += runtime.commissions.count
            load.waiters += runtime.commissions.values.map(\.waiters.count).reduce(0, +)
            load.cleanings += runtime.cleaning.count
            load.provisional += runtime.provisional.count
            load.watchers += runtime.settleWatchers.count
        }
        return load
    }
}
