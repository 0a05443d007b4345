import Glibc
import Synchronization

/// Runs an actor's jobs on a thread of its own, for actors that wait for a disk.
package final class ThreadExecutor: SerialExecutor {
    private let loop = Loop()

    /// - Parameter name: the thread's name.
    package init(name: String) {
        // The thread holds the loop, not the executor; the executor ends the loop when it goes.
        let loop = loop
        _ = OSThread(name: name) { loop.run() }
    }

    deinit {
        loop.enqueue(nil)
    }

    /// Hands a job to the thread; jobs run in the order in which they come.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        loop.enqueue { job.runSynchronously(on: executor) }
    }

    private final class Loop: @unchecked Sendable {
        // Invariant: the semaphore is made and destroyed with the object, and is itself safe on any thread.
        private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        private let jobs = Mutex<[(@Sendable () -> Void)?]>([])

        init() {
            sem_init(semaphore, 0, 0)
        }

        deinit {
            sem_destroy(semaphore)
            semaphore.deallocate()
        }

        /// Nil ends the loop.
        func enqueue(_ job: (@Sendable () -> Void)?) {
            jobs.withLock { $0.append(job) }
            sem_post(semaphore)
        }

        func run() {
            while true {
                while sem_wait(semaphore) != 0 {}
                guard let job = jobs.withLock({ $0.removeFirst() }) else { return }
                job()
            }
        }
    }
}
