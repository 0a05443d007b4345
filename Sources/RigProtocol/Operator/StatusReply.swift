package import CaptureModel

/// coordinator -> operator: where to listen for events.
package struct StatusReply: WireMessage, Hashable {
    package static let type = "statusReply"
    /// The port of the events plane, on the host that was asked.
    package var eventsPort: Int
    /// The path of the library on the coordinator's machine.
    package var library: String
    /// The number of the latest news.
    package var news: Int64
    /// The release of the coordinator's program; nil where it is too old to say so.
    package var software: String?
    /// Whether it fires the nodes that a plan chooses; nil where it is too old to know of that, and would fire all.
    package var choosesNodes: Bool? = true
    /// Whether it has cameras set as a plan says beside the bracket; nil where it is too old to know of that.
    package var setsCameras: Bool? = true
    /// Its wall clock, as it answered; nil where it is too old to say so.
    package var utc: UTCTime?
    /// Why its library takes nothing; nil where it does.
    package var trouble: LibraryTrouble?
    /// What of photos is still to come: how many, their bytes, how many of these come in a second, and how many seconds the
    /// slowest node takes at that; nil where it is too old to say so.
    package var toCome: ToCome?
    /// Why its retention throws nothing away, in a sentence; nil where nothing is in its way.
    package var retentionRemark: String?
    /// What the last check of its library found; nil where there was none.
    package var verdict: LibraryVerdict?
    /// What other places have of its photos, as it was some minutes ago; nil where the coordinator is too old to say so.
    package var copies: [PlaceOfCopies]?

    /// What of photos is still to come.
    package struct ToCome: Codable, Sendable, Hashable {
        package var photoCount, byteCount: Int
        package var bytesPerSecond: Double
        package var seconds: Double?

        package init(photoCount: Int, byteCount: Int, bytesPerSecond: Double, seconds: Double?) {
            (self.photoCount, self.byteCount) = (photoCount, byteCount)
            (self.bytesPerSecond, self.seconds) = (bytesPerSecond, seconds)
        }
    }

    package init(eventsPort: Int, library: String, news: Int64, software: String? = Release.version) {
        self.eventsPort = eventsPort
        self.library = library
        self.news = news
        self.software = software
    }
}
