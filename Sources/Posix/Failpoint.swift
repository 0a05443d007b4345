import Glibc
import Synchronization

/// A step at which a build for tests can be made to die as from SIGKILL, to show that nothing is lost by it.
///
/// `VOLLEY_FAILPOINT=photoKept` dies at the first pass, `photoKept:3` at the third; at `photoKept:3:hang` the thread hangs for
/// ever instead, as in a driver's call that does not return. A release build has none of it, but where it is given
/// `-D FAILPOINTS`, as `deploy/test` does.
package enum Failpoint: String, Sendable {
    // Any file that is kept whole: a photo or a journal of a spool, an archive of a library.

    /// A file is written aside, and not synced.
    case fileWritten
    /// It is synced, and has not its name.
    case fileSynced
    /// It has its name, which is not synced.
    case fileRenamed

    // A node.

    /// A frame has arrived, on the camera's own thread.
    case frameArrived
    /// A capture is prepared, and nobody was told.
    case capturePrepared
    /// A capture was told when to begin.
    case captureFired
    /// A photo is in the spool, and its event is not.
    case photoKept
    /// An event is in the journal, and was not sent.
    case eventKept
    /// An event was sent.
    case eventSent
    /// A piece of a photo was sent.
    case chunkSent
    /// A photo that the coordinator has was removed.
    case photoReclaimed
    /// A capture that the coordinator has was removed.
    case captureReclaimed

    // A coordinator.

    /// Library and catalogue agree, but no node has been heard.
    case reconciled
    /// A capture is in the catalogue, but has no archive.
    case captureCommitted
    /// A capture is durable, but its operator does not know.
    case captureAccepted
    /// Changes are committed, but what waits for them is not done yet.
    case changesCommitted
    /// A piece of a photo was written.
    case chunkWritten
    /// A photo is in the library, but the catalogue does not say so.
    case photoPublished
    /// A capture is archived, but its node was not told.
    case captureArchived

    /// Dies here if this is the chosen step and pass.
    @inline(__always)
    package func pass() {
        #if DEBUG || FAILPOINTS
            if Self.chosen?.point == self { Self.count() }
        #endif
    }

    private static let chosen: (point: Failpoint, pass: Int, hangs: Bool)? = {
        guard let text = getenv("VOLLEY_FAILPOINT").map({ String(cString: $0) }) else { return nil }
        let words = text.split(separator: ":")
        guard let point = words.first.flatMap({ Failpoint(rawValue: String($0)) }) else {
            fatalError("VOLLEY_FAILPOINT=\(text): there is no such step")
        }
        return (point, words.count > 1 ? Int(words[1]) ?? 1 : 1, words.last == "hang")
    }()

    private static let passes = Atomic(0)

    private static func count() {
        guard passes.add(1, ordering: .relaxed).newValue == chosen?.pass else { return }
        if chosen?.hangs == true { while true { pause() } }
        kill(getpid(), SIGKILL)
    }
}
