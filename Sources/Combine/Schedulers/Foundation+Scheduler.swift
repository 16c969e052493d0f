public import Dispatch
public import Foundation

extension DispatchQueue: Scheduler {
    /// How one piece of work runs.
    public struct SchedulerOptions {
        /// How urgent it is.
        public var qos: DispatchQoS
        /// How it runs beside others.
        public var flags: DispatchWorkItemFlags
        /// The group that it belongs to.
        public var group: DispatchGroup?

        /// Says how one piece of work runs.
        public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
            self.qos = qos
            self.flags = flags
            self.group = group
        }
    }

    /// Runs `action` on the queue.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        let work = ScheduledWork(action: action)
        async(group: options?.group, qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) { work.action() }
    }
}

extension OperationQueue: Scheduler {
    /// There is nothing to say of one piece of work.
    public struct SchedulerOptions {}

    /// Runs `action` on the queue.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        let work = ScheduledWork(action: action)
        addOperation { work.action() }
    }
}

extension RunLoop: Scheduler {
    /// There is nothing to say of one piece of work.
    public struct SchedulerOptions {}

    /// Runs `action` in the loop.
    ///
    /// Work for the main loop goes to the main queue, which runs both in a program whose main run loop runs and in one with
    /// an asynchronous `main`, where on Linux no run loop does.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        if self === RunLoop.main {
            DispatchQueue.main.schedule(action)
        } else {
            let work = ScheduledWork(action: action)
            perform { work.action() }
        }
    }
}
