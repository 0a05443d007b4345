import CaptureModel
import RigProtocol

/// A camera that is set by hand.
extension NodeMachine {
    /// The most orders that are under way; of those that set something, one is.
    private static let mostCameraOrders = 8

    /// A camera is not set while a capture counts on what it is set to.
    mutating func ordered(_ order: CameraOrder) -> [Effect] {
        if let objection = objection(to: order) {
            return [.send(.camera(CameraReport(number: order.number, error: objection)))]
        }
        cameraOrders[order.number] = order.act
        return [.camera(order)]
    }

    private func objection(to order: CameraOrder) -> CaptureError? {
        func notNow(_ why: String) -> CaptureError {
            CaptureError(.operationNotAllowed, "Node \(name) \(why); try again after that.")
        }
        if capabilities == nil, cameraError == nil { return notNow("is still opening its camera") }
        guard cameraOrders[order.number] == nil, cameraOrders.count < Self.mostCameraOrders else {
            return notNow("is asked too much of its camera")
        }
        guard order.act != .show else { return nil }
        if isStopping { return CaptureError(.operationNotAllowed, "Node \(name) is stopping.") }
        if let id = capture.uniqueID { return notNow("is busy with capture \(id); its camera was left as it is") }
        if cameraOrders.values.contains(where: { $0 != .show }) { return notNow("is setting its camera already") }
        guard order.act == .set else { return nil }
        return (order.settings.map(\.problem) ?? "The order has no settings.")
            .map { CaptureError(.unsupportedSettings, $0) }
    }
}
