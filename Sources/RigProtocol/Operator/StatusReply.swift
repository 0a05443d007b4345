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
    /// What the last check of its library found; nil where there was none.
    package var verdict: LibraryVerdict?

    package init(eventsPort: Int, library: String, news: Int64, software: String? = Release.version) {
        self.eventsPort = eventsPort
        self.library = library
        self.news = news
        self.software = software
    }
}
