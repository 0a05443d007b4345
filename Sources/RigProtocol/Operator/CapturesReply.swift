package import CaptureModel

/// coordinator -> operator: the captures that match.
package struct CapturesReply: WireMessage, Hashable {
    package static let type = "capturesReply"
    /// In the order that was asked for.
    package var captures: [CaptureSummary]
    /// How many match in all; nil from a release that knew fewer filters.
    package var matchCount: Int?
    /// See ``Found/remarks``.
    package var remarks: [String]?

    package init(_ found: Found<CaptureSummary>) {
        (captures, matchCount, remarks) = (found.items, found.matchCount, found.remarks)
    }
}
