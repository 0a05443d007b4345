import CaptureModel
import RigProtocol

extension RigMachine {
    /// How the rig is doing, in one line for `systemctl status`.
    package var statusLine: String {
        let states = nodes.values.map(\.announced)
        var parts = ["\(states.count { $0 == .ready }) of \(states.count) nodes ready"]
        let busy = states.count { $0 == .busy }
        if busy > 0 { parts.append("\(busy) busy") }
        // What runs comes before what waits.
        let open = captures.values.filter { !$0.state.isFinal }.sorted {
            ($0.phase.isBeforehand ? 1 : 0, $0.uniqueID) < ($1.phase.isBeforehand ? 1 : 0, $1.uniqueID)
        }
        if let first = open.first {
            let photos = "\(first.parts.storedPhotoCount) of \(first.parts.expectedPhotoCount) photos stored"
            parts.append("capture \(first.uniqueID) \(first.state.rawValue), \(photos)")
        }
        if open.count > 1 { parts.append("\(open.count - 1) more under way") }
        return parts.joined(separator: "; ")
    }
}
