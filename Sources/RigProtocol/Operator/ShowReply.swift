package import CaptureModel

/// coordinator -> operator: everything about one capture.
package struct ShowReply: WireMessage, Hashable {
    package static let type = "showReply"
    /// The capture as the catalogue has it now, under way or over.
    package var capture: CaptureDetail

    package init(capture: CaptureDetail) {
        self.capture = capture
    }
}
