import CPosix
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

    @Test("Only a thread that asks for short turns has them, and what it starts has not", .enabled(if: grantsSlices))
    func urgency() {
        let slices = Mutex<[String: Int64]>([:])
        @Sendable func note(_ name: String) { slices.withLock { $0[name] = cposix_slice(0) } }
        OSThread(name: "usual") { note("usual") }.join()
        OSThread(name: "urgent", hasShortTurns: true) {
            note("urgent")
            OSThread(name: "child") { note("child") }.join()
        }.join()
        slices.withLock { slices in
            #expect(slices["urgent"] == 100_000)
            #expect(slices["child"] == slices["usual"] && slices["usual"] ?? 0 > 100_000)
        }
    }

    /// Whether the kernel grants them, and lets us ask.
    private static let grantsSlices: Bool = {
        let slice = Mutex<Int64>(0)
        OSThread(name: "trial") {
            cposix_set_slice(100_000, 0)
            slice.withLock { $0 = cposix_slice(0) }
        }.join()
        return slice.withLock { $0 } == 100_000
    }()
}
