package import CaptureModel

/// coordinator -> operator: a new join code; whoever has it can add boards to the rig.
package struct InviteReply: WireMessage, Hashable {
    package static let type = "inviteReply"
    /// The code, as it is copied onto cards.
    package var code: String
    /// Until when it counts.
    package var until: UTCTime

    package init(code: String, until: UTCTime) { (self.code, self.until) = (code, until) }
}
