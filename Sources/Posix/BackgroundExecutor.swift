/// Runs a task on a thread of its own, for tasks that keep a processor busy.
package final class BackgroundExecutor: TaskExecutor {
    private let thread: JobThread

    /// - Parameter name: the thread's name.
    package init(name: String) {
        thread = JobThread(name: name)
    }

    /// Hands a job to the thread; jobs run in the order in which they come.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        thread.enqueue { job.runSynchronously(on: executor) }
    }
}
