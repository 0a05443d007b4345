import Foundation
import Posix
import Synchronization
import Testing

struct OSThreadTests {
    @Test("A thread has its name, and whoever waits for it sees what it did, however many wait")
    func waiting() {
        let name = Mutex("")
        let thread = OSThread(name: "a-name-of-more-than-15-bytes") {
            let own = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            name.withLock { $0 = own ?? "" }
        }
        thread.join()
        #expect(name.withLock { $0 } == "a-name-of-more-\n")
        thread.join()
    }

    @Test("Threads that end as soon as they begin leave their starters alone")
    func short() {
        let ran = Atomic(0)
        let starters = (0..<8).map { index in
            OSThread(name: "starter-\(index)") {
                for _ in 0..<1_000 { _ = OSThread(name: "short") { ran.add(1, ordering: .relaxed) } }
            }
        }
        starters.forEach { $0.join() }
        while ran.load(ordering: .relaxed) < 8_000 { sched_yield() }
    }
}
