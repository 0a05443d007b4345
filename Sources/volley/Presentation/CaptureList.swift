import CaptureModel
import Programs

/// Captures, a row each, for a person.
struct CaptureList {
    let captures: [CaptureSummary]
    /// The most characters on a line; nil for any number.
    var width = Table.terminalWidth

    var text: String {
        var table = Table([
            "CAPTURE", Sentences.zoned("CREATED"), "STATE", "PHOTOS", "SPREAD", "PLAN", "SESSION", "RATING", "REASON",
        ])
        for capture in captures {
            table.add([
                "\(capture.uniqueID)", Sentences.time(capture.createdAt), capture.state.rawValue,
                Sentences.photos(capture),
                capture.widestSpreadNanoseconds.map(Sentences.milliseconds) ?? "", capture.planName,
                Sentences.setting(capture), Sentences.opinion(capture.rating, capture.isRejected),
                capture.reason ?? "",
            ])
        }
        return table.text(width: width)
    }
}
