import Glibc
import Synchronization

/// A thread that runs jobs in the order in which they come, and leaves the processors to whatever is urgent meanwhile.
///
/// Orders to fire, probes of the clocks and frames wait for no thread like this one: what it does may take seconds anyway.
final class JobThread: Sendable {
    /// As of `nice(1)`.
    private static let niceness: CInt = 10

    private let loop = Loop()

    /// - Parameter name: the thread's name.
    init(name: String) {
        // The thread holds the loop, not this object, which ends the loop when it goes.
        let loop = loop
        _ = OSThread(name: name) {
            _ = nice(Self.niceness)
            loop.run()
        }
    }

    deinit {
        loop.enqueue(nil)
    }

    func enqueue(_ job: @escaping @Sendable () -> Void) {
        loop.enqueue(job)
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
