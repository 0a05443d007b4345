import CPosix
import Dispatch
import Glibc

/// A named operating system thread, for work that must not block Swift's pool.
///
/// Threads are detached from their first moment. Glibc's `pthread_detach` reads the thread's memory after it has let
/// go of it, and a thread that ends just then takes its memory along: the program dies of it, once in a million.
package final class OSThread: Sendable {
    /// Signalled when the work is done.
    private let end = DispatchSemaphore(value: 0)

    /// Starts a thread that runs `body` once.
    ///
    /// - Parameters:
    ///   - name: shown by `top -H` and debuggers; cut to 15 bytes, the kernel's limit.
    ///   - hasShortTurns: whether it gets its turn as soon as what it waits for is there: ``ShortTurns``.
    package init(name: String, hasShortTurns: Bool = false, _ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(name: name, hasShortTurns: hasShortTurns, body: body, end: end))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        var handle = pthread_t()
        let result = pthread_create(
            &handle, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, work.toOpaque())
        precondition(result == 0, "pthread_create: \(String(cString: strerror(result)))")
    }

    /// Waits for the work to end, which the thread itself outlives by an instant; never from the thread itself.
    package func join() {
        end.wait()
        // For whoever else waits.
        end.signal()
    }

    /// Runs blocking work on a thread of its own, and awaits it without holding a thread of Swift's pool.
    package static func run<Value: Sendable>(
        name: String, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { done in
            _ = OSThread(name: name) { done.resume(with: Result(catching: body)) }
        }
    }

    private final class Work {
        private let name: String
        private let hasShortTurns: Bool
        private var body: (() -> Void)?
        private let end: DispatchSemaphore

        init(name: String, hasShortTurns: Bool, body: @escaping @Sendable () -> Void, end: DispatchSemaphore) {
            (self.name, self.hasShortTurns, self.body, self.end) = (name, hasShortTurns, body, end)
        }

        func run() {
            pthread_setname_np(pthread_self(), String(decoding: name.utf8.prefix(15), as: UTF8.self))
            if hasShortTurns { ShortTurns.begin(areInherited: false) }
            body?()
            // What it held is gone before anybody is told.
            body = nil
            end.signal()
        }
    }
}
