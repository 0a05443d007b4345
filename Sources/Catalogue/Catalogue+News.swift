package import CaptureModel
import GRDB

extension Catalogue {
    /// The number of the latest news; zero if there is none.
    package func lastNews() throws -> Int64 {
        try database.read { try Int64.fetchOne($0, sql: "SELECT max(number) FROM news") ?? 0 }
    }

    /// The news after a given number, in order.
    ///
    /// An event is given as the catalogue has it now: its photo may have been stored, or lost, meanwhile. An event
    /// whose capture was withdrawn is left out.
    ///
    /// - Parameter limit: how many rows to examine.
    /// - Returns: the news, the number to continue from, and whether there is more.
    package func news(after number: Int64, limit: Int) async throws -> (news: [News], last: Int64, isMore: Bool) {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM news WHERE number > ? ORDER BY number LIMIT ?", arguments: [number, limit])
            var (previous, news): (Int64, [News]) = (number, [])
            for row in rows {
                guard let content = try Self.content(of: row, db) else { continue }
                news.append(News(number: row["number"], previous: previous, content: content))
                previous = row["number"]
            }
            return (news, rows.last?["number"] ?? number, rows.count == limit)
        }
    }

    private static func content(of row: Row, _ db: Database) throws -> News.Content? {
        guard let id = row["unique_id"] as Int64? else {
            return .node(name: try known(row["node"]), state: row["state"], problem: row["reason"])
        }
        guard let sequence = row["event"] as Int64? else {
            return .capture(
                UniqueID(rawValue: id), try known(row["state"]), reason: row["reason"],
                storedPhotoCount: row["photos_stored"], expectedPhotoCount: row["photos_expected"])
        }
        let node: NodeName = try known(row["node"])
        return try event(sequence, of: node, in: id, db).map { .event(node: node, $0) }
    }
}
