import Posix

/// Steps of a coordinator.
extension Failpoint {
    /// Library and catalogue agree, but no node has been heard.
    static var reconciled: Failpoint { Failpoint("reconciled") }
    /// A capture is in the catalogue, but has no archive.
    static var captureCommitted: Failpoint { Failpoint("captureCommitted") }
    /// A capture is durable, but its operator does not know.
    static var captureAccepted: Failpoint { Failpoint("captureAccepted") }
    /// Changes are committed, but what waits for them is not done yet.
    static var changesCommitted: Failpoint { Failpoint("changesCommitted") }
    /// A piece of a photo was written.
    static var chunkWritten: Failpoint { Failpoint("chunkWritten") }
    /// A photo is in the library, but the catalogue does not say so.
    static var photoPublished: Failpoint { Failpoint("photoPublished") }
    /// A capture is archived, but its node was not told.
    static var captureArchived: Failpoint { Failpoint("captureArchived") }
}
