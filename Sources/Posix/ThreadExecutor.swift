/// Runs an actor's jobs on a thread of its own, for actors that wait for a disk.
package final class ThreadExecutor: SerialExecutor {
    private let thread: JobThread

    /// - Parameter name: the thread's name.
    package init(name: String) {
        thread = JobThread(name: name)
    }

    /// Hands a job to the thread; jobs run in the order in which they come.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        thread.enqueue { job.runSynchronously(on: executor) }
    }
}
