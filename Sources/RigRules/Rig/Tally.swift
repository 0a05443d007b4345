import CaptureModel
import RigProtocol

/// What a coordinator has counted since it started.
struct Tally: Sendable {
    private var captures: [CaptureState: Int] = [:]
    private var storedPhotos = 0
    private var failedPhotos = 0

    /// Counts what is about to be written into the catalogue.
    mutating func note(_ changes: [CatalogueChange]) {
        for change in changes {
            switch change {
            case .captureState(_, let state, _, _, _) where state.isFinal: captures[state, default: 0] += 1
            case .photoStored: storedPhotos += 1
            case .photoFailed: failedPhotos += 1
            case _: continue
            }
        }
    }

    var metrics: [MetricFamily] {
        var ends = MetricFamily.counter(
            "volley_captures_ended_total", "Captures that came to this end, late corrections of it included.")
        for state in CaptureState.allCases where state.isFinal {
            ends.add(Double(captures[state] ?? 0), ["state": state.rawValue])
        }
        var photos = MetricFamily.counter("volley_photos_total", "Photos that are in the library, or will not come.")
        photos.add(Double(storedPhotos), ["result": "stored"])
        photos.add(Double(failedPhotos), ["result": "failed"])
        return [ends, photos]
    }
}
