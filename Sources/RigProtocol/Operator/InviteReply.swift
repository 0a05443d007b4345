package import CaptureModel

/// coordinator -> operator: a new join code; whoever has it can add boards to the rig.
package struct InviteReply: WireMessage, Hashable {
    package static let type = "inviteReply"
    /// The code, as it is copied onto cards.
    package var code: String
    /// Until when it counts.
    package var until: UTCTime
    /// What is in its way as yet.
    package var remark: String?

    package init(code: String, until: UTCTime, remark: String? = nil) {
        (self.code, self.until, self.remark) = (code, until, remark)
    }
}
