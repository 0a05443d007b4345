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

    /// - Parameters:
    ///   - instant: when it would be fired; nil for as soon as possible.
    ///   - now: the time by the coordinator's clock.
    ///   - series: the captures of which it would be the first; nil where it is the only one.
    init(_ reply: CheckReply, at instant: Instant?, now: UTCTime, _ series: CaptureSeries?) {
        canFire = true
        let photos = Sentences.count(reply.expectedPhotoCount, "photo")
        var words = "It can be fired: \(photos) of \(Sentences.count(reply.nodes.count, "node"))"
        if let series { words += ", \(Self.words(series))" }
        if let time = instant?.time(now) {
            words += ", at \(Sentences.zonedTime(time)), in \(Sentences.countdown(to: time, from: now))"
        }
        if let other = reply.waitsFor { words += ", once capture \(other) is over" }
        verdict = words + "."
        details =
            (reply.objections + (reply.remarks ?? []) + [series?.objection(reply).map { $0 + "." }].compactMap(\.self))
            .map(\.printableLine)
        objectionsByNode = (reply.objectionsByNode ?? [:]).mapValues(\.printableLine)
        nodes = reply.nodes.map(\.rawValue)
    }

    /// - Parameter refusal: what is in the way of the first capture now, and maybe not when its time comes.
    init(_ refusal: Refusal, of series: CaptureSeries) {
        canFire = true
        verdict = "The series can begin, \(Self.words(series)); as it is now: \(refusal.message.printableLine)"
        details = refusal.details.map(\.printableLine)
        objectionsByNode = (refusal.objectionsByNode ?? [:]).mapValues(\.printableLine)
    }

    private static func words(_ series: CaptureSeries) -> String {
        let interval = String(format: "%g s", Double(series.interval) / 1e9)
        return "\(Sentences.count(series.count, "time")), one every \(interval)"
    }

    init(_ error: ConsoleError) {
        (canFire, verdict) = (false, error.message.printableLine)
        (details, objectionsByNode) = (
            error.details.map(\.printableLine), error.objectionsByNode.mapValues(\.printableLine)
        )
    }
}
