package import CaptureModel

/// coordinator -> operator: the boards that ask to join, those that have waited longest in front.
package struct BoardsReply: WireMessage, Hashable {
    package static let type = "boardsReply"

    /// A board that waits for a person.
    package struct Board: Codable, Sendable, Hashable {
        /// What it would like to be called.
        package var name: NodeName
        /// What the board shows as well, if nobody is in between.
        package var words: String
        /// The address that it asks from.
        package var address: String
        /// For how long it has been asking, in seconds.
        package var seconds: Int
        /// How long ago it asked last, in seconds; every two, while it waits.
        package var silentSeconds: Int?
        /// Why its join code does not let it in, or what else a person should know.
        package var remark: String?

        package init(
            name: NodeName, words: String, address: String, seconds: Int, silentSeconds: Int, remark: String?
        ) {
            (self.name, self.words, self.address) = (name, words, address)
            (self.seconds, self.silentSeconds, self.remark) = (seconds, silentSeconds, remark)
        }
    }

    /// At most a few hundred.
    package var boards: [Board]

    package init(boards: [Board]) { self.boards = boards }
}
