import Glibc
import Synchronization

/// A step at which a build for tests can be made to die as from SIGKILL, to show that nothing is lost by it.
///
/// `VOLLEY_FAILPOINT=photoKept` dies at the first pass, `photoKept:3` at the third; at `photoKept:3:hang` the thread hangs for
/// ever instead, as in a driver's call that does not return. A release build has none of it, but where it is given
/// `-D FAILPOINTS`, as `deploy/test` does.
package struct Failpoint: Sendable {
    /// The step's name, as `VOLLEY_FAILPOINT` gives it.
    let name: String

    /// - Parameter name: of a step, which the room that has it declares.
    package init(_ name: String) { self.name = name }

    /// Dies here if this is the chosen step and pass.
    @inline(__always)
    package func pass() {
        #if DEBUG || FAILPOINTS
            if Self.chosen?.name == name { Self.count() }
        #endif
    }

    private static let chosen: (name: String, pass: Int, hangs: Bool)? = {
        guard let text = getenv("VOLLEY_FAILPOINT").map({ String(cString: $0) }) else { return nil }
        let words = text.split(separator: ":").map(String.init)
        return words.first.map { ($0, words.count > 1 ? Int(words[1]) ?? 1 : 1, words.last == "hang") }
    }()

    private static let passes = Atomic(0)

    private static func count() {
        guard passes.add(1, ordering: .relaxed).newValue == chosen?.pass else { return }
        if chosen?.hangs == true { while true { pause() } }
        kill(getpid(), SIGKILL)
    }
}
