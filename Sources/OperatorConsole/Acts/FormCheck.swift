import CaptureModel
import Foundation
import OperatorAccess
import Programs
import RigProtocol

/// What would become of the form if it were sent.
struct FormCheck: Encodable {
    let canFire: Bool
    /// In a sentence.
    let verdict: String
    let details: [String]
    let objectionsByNode: [String: String]
    /// Those that take part; nil where it cannot be fired.
    var nodes: [String]?

    /// - Parameter series: the captures of which it would be the first; nil where it is the only one.
    init(_ reply: CheckReply, at time: UTCTime?, _ series: CaptureSeries?) {
        canFire = true
        let photos = Sentences.count(reply.expectedPhotoCount, "photo")
        var words = "It can be fired: \(photos) of \(Sentences.count(reply.nodes.count, "node"))"
        if let series {
            let interval = String(format: "%g s", Double(series.interval) / 1e9)
            words += ", \(Sentences.count(series.count, "time")), one every \(interval)"
        }
        if let time {
            words += ", at \(Sentences.zonedTime(time)), in \(Sentences.span(max(0, time - .now)))"
        }
        verdict = words + "."
        details = (reply.objections + [series?.objection(reply).map { $0 + "." }].compactMap(\.self))
            .map(\.printableLine)
        objectionsByNode = (reply.objectionsByNode ?? [:]).mapValues(\.printableLine)
        nodes = reply.nodes.map(\.rawValue)
    }

    init(_ error: ConsoleError) {
        (canFire, verdict) = (false, error.message.printableLine)
        (details, objectionsByNode) = (
            error.details.map(\.printableLine), error.objectionsByNode.mapValues(\.printableLine)
        )
    }
}
