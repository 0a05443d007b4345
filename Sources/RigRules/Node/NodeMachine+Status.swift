import CaptureModel
import RigClock
import RigProtocol

extension NodeMachine {
    /// How the node is doing, in one line for `systemctl status`.
    package var statusLine: String {
        var parts = [rigWords, cameraWords]
        switch capture {
        case .idle: break
        case .preparing(let prepare), .prepared(let prepare, _, _):
            parts.append("preparing capture \(prepare.uniqueID)")
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
            "in the rig, its time known to \((clock.estimate.boundNanoseconds + 999) / 1000) µs"
        case .member: "in the rig, learning its time"
        }
    }

    private var cameraWords: String {
        if let capabilities { return "\(capabilities.cameraID) ready" }
        return cameraError?.message ?? "the camera is being opened"
    }
}
