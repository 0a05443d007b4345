import CaptureModel
import Foundation
import Programs
import RigProtocol

/// The form for a capture, and what the rig has against it.
struct FireView {
    private static let example = """
        name: hdr-3
        bracket:
          autoExposure: [-2, 0, 2]
        formats: [jpeg]
        """

    let title = "Fire"
    let isInside = true
    /// After which number news is news.
    let news: Int64?
    var plan = FireView.example
    var session = "", subject = "", labels = "", at = ""
    /// The same form, sent twice, is one capture.
    var requestID = UUID().uuidString
    /// The capture that waits for the shutter; nil where none does.
    private(set) var armed: String?
    private(set) var verdict: String?
    private(set) var details: [String] = []
    private(set) var hasDetails = false
    private(set) var isRefused = false

    init(news: Int64?) { self.news = news }

    init(_ form: Query, news: Int64?) {
        self.news = news
        plan = form.text("plan") ?? ""
        (session, subject) = (form.text("session") ?? "", form.text("subject") ?? "")
        (labels, at) = (form.text("labels") ?? "", form.text("at") ?? "")
        requestID = form.text("requestID") ?? requestID
    }

    mutating func show(_ check: CheckReply) {
        verdict = "It can be fired: \(Sentences.count(check.expectedPhotoCount, "photo")) of \(check.nodes.folded)."
        set(check.objections)
    }

    mutating func show(_ reply: ArmReply) {
        armed = "\(reply.uniqueID)"
        verdict =
            "Armed: \(reply.nodes.folded); the first exposure begins \(Sentences.milliseconds(reply.leadNanoseconds)) "
            + "after the shutter. The nodes hold it for an hour."
        set(reply.objections)
    }

    mutating func show(_ error: ConsoleError) {
        (verdict, isRefused) = (error.message.printableLine, true)
        set(error.details)
    }

    private mutating func set(_ lines: [String]) {
        (details, hasDetails) = (lines.map(\.printableLine), !lines.isEmpty)
    }
}
