import Dispatch

/// Runs tasks on a serial queue with a thread outside the cooperative pool.
final class ThreadExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "fake-hub", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { @Sendable in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
