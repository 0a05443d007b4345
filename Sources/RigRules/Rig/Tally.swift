import CaptureModel
import RigProtocol

/// What a coordinator has counted since it started.
struct Tally: Sendable {
    /// The ends that captures came to; one that is corrected later counts again, under what it is then.
    var ends: [CaptureState: Int] = [:]
    /// The photos that came into the library.
    var storedPhotoCount = 0

    var metrics: [MetricFamily] {
        var ends = MetricFamily.counter(
            "volley_captures_ended_total", "Captures that came to this end, late corrections of it included.")
        for state in CaptureState.allCases where state.isFinal {
            ends.add(Double(self.ends[state] ?? 0), ["state": state.rawValue])
        }
        let photos = MetricFamily.counter("volley_photos_stored_total", "Photos that came into the library.")
        return [ends, photos.with(Double(storedPhotoCount))]
    }
}
