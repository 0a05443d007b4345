import CPosix
import Glibc

/// A named operating system thread, for work that must not block Swift's pool.
package final class OSThread: Sendable {
    private let handle: pthread_t

    /// Starts a thread that runs `body` once.
    ///
    /// - Parameters:
    ///   - name: shown by `top -H` and debuggers; cut to 15 bytes, the kernel's limit.
    ///   - isDetached: whether nobody will ``join()`` it.
    package init(name: String, isDetached: Bool = false, _ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Body(run: body))
        var handle = pthread_t()
        let result = pthread_create(
            &handle, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        precondition(result == 0, "pthread_create: \(String(cString: strerror(result)))")
        pthread_setname_np(handle, String(decoding: name.utf8.prefix(15), as: UTF8.self))
        self.handle = handle
        if isDetached { detach() }
    }

    /// Leaves the thread to itself; afterwards nobody may ``join()`` it.
    package func detach() { pthread_detach(handle) }

    /// Waits for the thread to end. Call it once, and never from the thread itself.
    package func join() {
        let result = pthread_join(handle, nil)
        // After the first time its memory may be another thread's.
        precondition(result != ESRCH, "a thread was waited for twice")
    }

    /// Runs blocking work on a thread of its own, and awaits it without holding a thread of Swift's pool.
    package static func run<Value: Sendable>(
        name: String, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { done in
            _ = OSThread(name: name, isDetached: true) { done.resume(with: Result(catching: body)) }
        }
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
