/// Something that runs work at some time, on some thread.
///
/// Of the system's protocol this is only what runs work at once: the operators that wait (`debounce`, `delay`, `throttle`,
/// `timeout`) are not there.
public protocol Scheduler<SchedulerOptions> {
    /// What may be said of one piece of work.
    associatedtype SchedulerOptions

    /// Runs `action` as soon as it can.
    func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)
}

extension Scheduler {
    /// Runs `action` as soon as it can.
    public func schedule(_ action: @escaping () -> Void) { schedule(options: nil, action) }
}

/// Runs work at once, in the thread that asks for it.
public struct ImmediateScheduler: Scheduler, Sendable {
    /// There is nothing to say.
    public typealias SchedulerOptions = Never
    /// The one that there is.
    public static let shared = ImmediateScheduler()

    /// Runs `action`.
    public func schedule(options: Never?, _ action: @escaping () -> Void) { action() }
}

/// Carries a piece of work to the thread that runs it.
// Sendable: it is made by one thread and run once, by another; the queue between them orders the two.
struct ScheduledWork: @unchecked Sendable {
    let action: () -> Void
}
