import Glibc
import NetIO
import TestSupport

/// Tells when a process waits for nothing but time: the moment to move a clock that stands still.
package enum Idleness {
    /// What the kernel says of one thread.
    private struct ThreadState: Hashable {
        var thread: Int32
        /// It runs, or would if a processor were free.
        var isRunnable: Bool
        /// How often it has been given a processor.
        var turns: UInt64
    }

    /// Returns when every other thread sleeps, and has slept between two looks.
    ///
    /// A thread that was woken is runnable at once, so nothing that another thread started can be overlooked. What comes from
    /// outside (sockets, timers of the system) is: tests that use it have none.
    package static func reached() async {
        _ = await DedicatedThread.call { @Sendable in wait() }
    }

    private static func wait() {
        let own = ownThread()
        var before = states(except: own)
        while true {
            usleep(20)
            let now = states(except: own)
            if now == before, !now.contains(where: { $0.isRunnable }) { return }
            before = now
        }
    }

    /// The kernel's number of the calling thread; Glibc's module has no `gettid`.
    private static func ownThread() -> Int32 {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/thread-self", &buffer, buffer.count)
        let link = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return link.split(separator: "/").last.flatMap { Int32($0) } ?? 0
    }

    private static func states(except own: Int32) -> Set<ThreadState> {
        guard let folder = opendir("/proc/self/task") else { return [] }
        defer { closedir(folder) }
        var states: Set<ThreadState> = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let thread = Int32(name), thread != own else { continue }
            let stat = text("/proc/self/task/\(name)/stat")
            // "id (name) S …"; the name may hold anything.
            let state = stat.lastIndex(of: ")").map { stat[stat.index($0, offsetBy: 1)...].dropFirst().first } ?? nil
            let turns = text("/proc/self/task/\(name)/schedstat").split(separator: " ").last
                .flatMap { UInt64($0.filter(\.isNumber)) }
            states.insert(ThreadState(thread: thread, isRunnable: state != "S", turns: turns ?? 0))
        }
        return states
    }

    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        // The thread is gone.
        guard file >= 0 else { return "" }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = read(file, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}

/// Time stood still although something was waited for.
package struct StuckError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the clock showed.
    package var at: Duration
    /// The next deadline, when it was only too far away.
    package var next: Duration?
    package var description: String {
        next.map { "still waiting at \(at), next deadline \($0)" } ?? "waits for ever: no deadline is set at \(at)"
    }
}

extension Home {
    /// Runs the body; whenever nothing can go on without time, moves the clock to the next deadline.
    ///
    /// - Parameter limit: of the clock's time.
    /// - Throws: what the body throws; ``StuckError`` when it waits for something that no deadline ends.
    package func lapse<R: Sendable>(
        limit: Duration = .seconds(7_200), _ body: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        let work = Task { try await body() }
        let isDone = Locked(false)
        let watch = Task {
            _ = await work.result
            isDone.withLock { $0 = true }
        }
        let end = clock.now.sinceStart + limit
        while true {
            await Idleness.reached()
            if isDone.withLock({ $0 }) { break }
            let next = await clock.nextDeadline?.sinceStart
            guard let next, next <= end else {
                work.cancel()
                await Idleness.reached()
                watch.cancel()
                throw StuckError(at: clock.now.sinceStart, next: next)
            }
            await clock.advance(to: ManualClock.Instant(sinceStart: next))
        }
        await watch.value
        return try await work.value
    }

    /// Lets time pass until the condition holds; it is asked whenever nothing can go on.
    ///
    /// - Returns: whether it held within the limit.
    package func lapse(limit: Duration, until condition: () async -> Bool) async -> Bool {
        let end = clock.now.sinceStart + limit
        while true {
            await Idleness.reached()
            if await condition() { return true }
            guard let next = await clock.nextDeadline?.sinceStart, next <= end else {
                await clock.advance(to: ManualClock.Instant(sinceStart: end))
                await Idleness.reached()
                return await condition()
            }
            await clock.advance(to: ManualClock.Instant(sinceStart: next))
        }
    }
}
