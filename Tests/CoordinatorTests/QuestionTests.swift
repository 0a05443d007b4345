import CaptureModel
import Coordinator
import Foundation
import GRDB
import Library
import Logging
import RigProtocol
import Synchronization
import Testing

@testable import Catalogue

/// Operators alone: what they ask is put in, and what they are told comes out.
private final class OperatorLink: CoordinatorLink {
    let clockPort = 1
    let bulkPort = 2
    let eventsPort = 3
    let replies: AsyncStream<String>
    private let repliesInput: AsyncStream<String>.Continuation
    private let requests: AsyncStream<OperatorRequest>
    private let requestsInput: AsyncStream<OperatorRequest>.Continuation

    init() {
        (replies, repliesInput) = AsyncStream<String>.makeStream()
        (requests, requestsInput) = AsyncStream<OperatorRequest>.makeStream()
    }

    func ask(_ request: OperatorRequest) { requestsInput.yield(request) }

    func send(_ message: CoordinatorMessage, to peer: Peer) {}
    func request(_ chunk: ChunkRequest, from peer: Peer) {}
    func reply(_ message: any WireMessage, to caller: Caller) {
        let code = (message as? Refusal).map { " \($0.code.rawValue)" } ?? ""
        repliesInput.yield(type(of: message).type + code)
    }
    func publish(_ notice: any WireMessage) {}

    func nextFromNode() async -> Arrival<NodeMessage>? { await untilCancelled() }
    func nextBulk() async -> Arrival<BulkMessage>? { await untilCancelled() }

    func nextFromOperator() async -> Arrival<OperatorRequest>? {
        for await request in requests {
            return Arrival(peer: Peer(routingID: [1]), user: "o", message: .success(request))
        }
        return nil
    }

    private func untilCancelled<Value>() async -> Value? {
        try? await Task.sleep(for: .seconds(1000))
        return nil
    }

    func close() { requestsInput.finish() }
}

private final class Gate: Sendable {
    let waiting = Atomic(0)
    let isOpen = Atomic(false)
}

@Suite("Questions to a coordinator", .timeLimit(.minutes(1)))
struct QuestionTests {
    @Test("that take long hold up no others, and no order")
    func slow() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let catalogue = try Catalogue(
            path: folder + "/catalogue.sqlite", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        let link = OperatorLink()
        let service = CoordinatorService(
            link: link, catalogue: catalogue, library: try Library(root: folder), startedAt: 1,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, members: { [] })
        let running = Task { try await service.run() }

        link.ask(.nodes)
        for await _ in link.replies { break }

        // Every connection that reads is busy for as long as this takes.
        let gate = Gate()
        defer { gate.isOpen.store(true, ordering: .relaxed) }
        let readers = (0..<5).map { _ in
            Task {
                try await catalogue.database.read { _ in
                    gate.waiting.add(1, ordering: .relaxed)
                    while !gate.isOpen.load(ordering: .relaxed) { usleep(1000) }
                }
            }
        }
        while gate.waiting.load(ordering: .relaxed) < 5 { try await Task.sleep(for: .milliseconds(1)) }
        link.ask(.show(UniqueID(rawValue: 7)))
        link.ask(.nodes)
        link.ask(
            .fire(FireRequest(requestID: "r", plan: Plan(name: "p", bracket: try .burst(1)), session: nil, labels: [:]))
        )
        var told: [String] = []
        for await reply in link.replies {
            told.append(reply)
            if told.count == 2 { gate.isOpen.store(true, ordering: .relaxed) }
            if told.count == 3 { break }
        }
        try #require(told.count == 3)
        // There are no nodes that could fire, and there is no such capture.
        #expect(Set(told.prefix(2)) == ["nodesReply", "refusal unavailable"] && told[2] == "refusal notFound")
        for reader in readers { try await reader.value }
        link.close()
        try await running.value
    }
}
