package import RigProtocol

/// All news of a rig after a number, each item once and in order, whatever is lost on the way.
///
/// The events plane brings news as it happens, and loses what could not be taken. What a gap shows to be missing, and
/// what happened while there was no connection, is asked for; the catalogue keeps it.
package struct NewsFeed {
    /// What comes next.
    package enum Item: Sendable {
        case news(Notice)
        /// The coordinator does not answer; the feed waits for it.
        case away
        /// The coordinator is back; what was missed follows.
        case back
    }

    /// After a silence of this many seconds the feed asks whether there was any news: the loss of the last news before
    /// a silence shows no gap, and a wire may be cut without notice.
    private static let silence = 10.0

    private let client: OperatorClient
    private let subscription: EventSubscription
    private var cursor: NewsCursor
    private var waiting: ArraySlice<Notice> = []
    private var mayMiss = true
    private var isAway = false

    /// Starts listening.
    ///
    /// - Parameter number: after which news is wanted; nil for what becomes true from now on.
    package init(_ client: OperatorClient, after number: Int64? = nil) async throws {
        self.client = client
        let status = try await client.ask(StatusRequest())
        subscription = try client.watch(eventsPort: status.eventsPort)
        cursor = NewsCursor(after: number ?? status.news)
    }

    /// What comes next.
    ///
    /// - Throws: ``OperatorClient/ClientError`` where the coordinator refuses to answer, and `CancellationError`.
    package mutating func next() async throws -> Item {
        while true {
            try Task.checkCancellation()
            if let notice = waiting.popFirst() { return .news(notice) }
            if mayMiss {
                if let item = try await catchUp() { return item }
                continue
            }
            switch await arrival() {
            case nil, .connected?: mayMiss = true
            case .disconnected?: if let item = leave() { return item }
            case .refused?: throw OperatorClient.ClientError.keyRefused(client.place)
            case .notice(let item)?:
                // What cannot be read is from a later release; the next notice shows the gap.
                guard let notice = try? item.decode(Notice.self) else { continue }
                switch cursor.take(notice.number, previous: notice.previous) {
                case .isNext: return .news(notice)
                case .isKnown: continue
                case .isBehindGap: mayMiss = true
                }
            }
        }
    }

    /// Asks for a page of what was missed.
    private mutating func catchUp() async throws -> Item? {
        do {
            if isAway {
                // The catalogue was created anew after a clock that was ahead: none of its news has been seen.
                let newest = try await client.ask(StatusRequest()).news
                if newest < cursor.last { cursor = NewsCursor(after: newest) }
            }
            let page = try await client.ask(NewsRequest(after: cursor.last), waitsItsTurn: false)
            cursor.advance(to: page.last)
            waiting = page.news[...]
            mayMiss = page.isMore
        } catch OperatorClient.ClientError.unreachable {
            // Asked again until it answers.
            return leave()
        } catch OperatorClient.ClientError.refused(let refusal) where refusal.code == .tryAgain {
            // The coordinator is busy, and does not say when it no longer is.
            try await Task.sleep(for: .seconds(1))
            return nil
        }
        guard isAway else { return nil }
        isAway = false
        return .back
    }

    private mutating func leave() -> Item? {
        mayMiss = true
        guard !isAway else { return nil }
        isAway = true
        return .away
    }

    /// What the events plane brings; nil after a silence.
    private func arrival() async -> EventSubscription.News? {
        let subscription = subscription
        return await withTaskGroup(of: EventSubscription.News?.self) { group in
            group.addTask { await subscription.next() }
            group.addTask {
                // A connection that is lost says nothing: after a silence the coordinator is asked.
                try? await Task.sleep(for: .seconds(Self.silence))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Stops listening.
    package func close() { subscription.close() }
}
