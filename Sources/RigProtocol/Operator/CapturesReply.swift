package import CaptureModel

/// coordinator -> operator: the captures that match.
package struct CapturesReply: WireMessage, Hashable {
    package static let type = "capturesReply"
    /// The newest first.
    package var captures: [CaptureSummary]

    package init(captures: [CaptureSummary]) {
        self.captures = captures
    }
}
