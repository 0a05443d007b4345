import Posix

/// Steps of a node.
extension Failpoint {
    /// A capture is prepared, and nobody was told.
    static var capturePrepared: Failpoint { Failpoint("capturePrepared") }
    /// A capture was told when to begin.
    static var captureFired: Failpoint { Failpoint("captureFired") }
    /// A photo is in the spool, and its event is not.
    static var photoKept: Failpoint { Failpoint("photoKept") }
    /// An event is in the journal, and was not sent.
    static var eventKept: Failpoint { Failpoint("eventKept") }
    /// An event was sent.
    static var eventSent: Failpoint { Failpoint("eventSent") }
    /// A piece of a photo was sent.
    static var chunkSent: Failpoint { Failpoint("chunkSent") }
    /// A photo that the coordinator has was removed.
    static var photoReclaimed: Failpoint { Failpoint("photoReclaimed") }
    /// A capture that the coordinator has was removed.
    static var captureReclaimed: Failpoint { Failpoint("captureReclaimed") }
}
