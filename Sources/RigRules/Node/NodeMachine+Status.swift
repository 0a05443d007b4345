import CaptureModel
import RigClock
import RigProtocol

extension NodeMachine {
    /// How the node is doing, in one line for `systemctl status`.
    package var statusLine: String {
        var parts = [rigWords, cameraWords]
        switch capture {
        case .idle: break
        case .preparing(let prepare): parts.append("preparing capture \(prepare.uniqueID)")
        case .prepared(let prepare, _, _): parts.append("ready to fire \(prepare.uniqueID)")
        case .firing(let id, _): parts.append("capturing \(id)")
        }
        let waiting = outbox.values.reduce(0) { $0 + $1.waiting.count }
        if waiting > 0 { parts.append(waiting == 1 ? "1 event not stored yet" : "\(waiting) events not stored yet") }
        return parts.joined(separator: "; ")
    }

    private var rigWords: String {
        switch connection {
        case .seeking: "looking for the coordinator"
        case .member where clock.estimate.isKnown:
            "connected; clock within \(Self.words(clock.estimate.boundNanoseconds))"
        case .member: "connected; synchronising its clock"
        }
    }

    /// Rounded up, as the line is sent again whenever it has changed.
    private static func words(_ nanoseconds: Int64) -> String {
        let scales: [Int64] = [1, 10, 100, 1000, 10_000, 100_000]
        let steps = scales.flatMap { [$0, 2 * $0, 5 * $0] }
        guard let step = steps.first(where: { $0 * 1000 >= nanoseconds }) else { return "seconds" }
        return step < 1000 ? "\(step) µs" : "\(step / 1000) ms"
    }

    private var cameraWords: String {
        if let capabilities { return "\(capabilities.cameraID) ready" }
        return cameraError?.message ?? "opening the camera"
    }
}
