import CaptureModel

/// coordinator -> operator: a page of news, in order.
package struct NewsReply: WireMessage, Hashable {
    package static let type = "newsReply"
    /// The oldest first, without what this release cannot read.
    package var news: [Notice]
    /// The number to ask for the next page after.
    package var last: Int64
    /// Whether there is a next page.
    package var isMore: Bool

    package init(news: [Notice], last: Int64, isMore: Bool) {
        self.news = news
        self.last = last
        self.isMore = isMore
    }

    /// Reads a page, leaving out notices of a later release.
    package init(from decoder: any Decoder) throws {
        struct Known: Decodable {
            let notice: Notice?

            init(from decoder: any Decoder) { notice = try? Notice(from: decoder) }
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        news = try container.decode([Known].self, forKey: .news).compactMap(\.notice)
        last = try container.decode(Int64.self, forKey: .last)
        isMore = try container.decode(Bool.self, forKey: .isMore)
    }
}
