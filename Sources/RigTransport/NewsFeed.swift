package import RigProtocol

/// All news of a rig from a number on, each once and in order, whatever is lost on the way.
///
/// The events plane brings what happens as it happens, and loses what nobody could take. What a gap shows to be missing,
/// and what came while nobody was connected, is asked for; the catalogue keeps it.
package struct NewsFeed {
    /// What comes next.
    package enum Item: Sendable {
        case news(Notice)
        /// The coordinator does not answer; it is waited for.
        case away
        /// It is there again; what was missed follows.
        case back
    }

    /// Where nothing comes for this long, somebody asks whether there was nothing: the last news before a silence shows no
    /// gap, and a wire may be cut without a word. In seconds.
    private static let silence = 10.0

    private let client: OperatorClient
    private let subscription: EventSubscription
    private var cursor: NewsCursor
    private var waiting: ArraySlice<Notice> = []
    private var mayMiss = true
    private var isAway = false

    /// Begins to listen.
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
    /// - Throws: ``OperatorClient/ClientError`` where the coordinator refuses to tell, and `CancellationError`.
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
                // What cannot be read is of a later release; what is behind it shows the gap.
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
                // A catalogue that was made anew after a clock that was ahead: none of what it tells was had.
                let newest = try await client.ask(StatusRequest()).news
                if newest < cursor.last { cursor = NewsCursor(after: newest) }
            }
            let page = try await client.ask(NewsRequest(after: cursor.last))
            cursor.advance(to: page.last)
            waiting = page.news[...]
            mayMiss = page.isMore
        } catch OperatorClient.ClientError.unreachable {
            // It is asked again until it answers.
            return leave()
        } catch OperatorClient.ClientError.refused(let refusal) where refusal.code == .tryAgain {
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
                try? await Task.sleep(for: .seconds(Self.silence))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Ends it.
    package func close() { subscription.close() }
}
