import CaptureModel
import Foundation
import GRDB
import Logging
import RigProtocol
import RigRules
import Synchronization
import Testing

@testable import Catalogue
@testable import OperatorDesk

/// A rig whose rules say at once what they were asked.
private final class RehearsedRig: OperatedRig {
    let replies: AsyncStream<String>
    private let repliesInput: AsyncStream<String>.Continuation
    let trail = AuditTrail()

    init() { (replies, repliesInput) = AsyncStream<String>.makeStream() }

    func status() -> StatusReply { StatusReply(eventsPort: 1, library: "l", news: 0) }
    func lookAtLibrary() -> LibraryTrouble? { nil }
    func metrics() -> [MetricFamily] { [] }
    func knows(_ requestID: String) -> Bool { requestID == "known" }
    func freeBytes() -> Int64 { 7 }
    func withheld(of ids: [UniqueID]) -> Set<UniqueID> { [] }
    func spared(of ids: [UniqueID]) -> Set<UniqueID> { [] }
    func trash(
        _ places: [PhotoPlace], of id: UniqueID, createdAt: UTCTime
    ) -> (isArranged: Bool, lost: [String]) { (id.rawValue != 9, id.rawValue == 8 ? ["a_8_01.jpg"] : []) }
    func role(of user: NodeName) -> Role? { Role(rawValue: user.rawValue) ?? (user == "stranger" ? nil : .administer) }
    func operators() -> OperatorsReply { OperatorsReply(operators: []) }
    func change(_ request: OperatorChangeRequest, by user: NodeName) throws(Refusal) {}
    func boards() -> BoardsReply { BoardsReply(boards: []) }
    func invite(_ request: InviteRequest) throws(Refusal) -> InviteReply { InviteReply(code: "code", until: 0) }
    func change(_ request: MemberRequest) throws(Refusal) -> MemberReply { throw Refusal(.notFound, "no such node") }

    func take(_ request: PreviewsRequest, _ caller: Caller) {
        repliesInput.yield("previews of \(request.seen.count) for \(caller.user)")
    }

    func take(_ input: RigInput) {
        switch input {
        case .fireRequested(let caller, let fire, let freeBytes):
            repliesInput.yield("fire \(fire.requestID) of \(caller.user) into \(freeBytes)")
        case .annotateRequested(let caller, let annotation, let captures, let photos):
            repliesInput.yield("\(caller.user): \(annotation.words) of \(captures.count), \(photos.count)")
        case .trashRequested(let caller, let order, let reply):
            let act =
                switch order.act {
                case .delete: "delete"
                case .deletePhotos(let photos): "delete \(photos.count) photos"
                case .recover: "recover"
                case .empty: "empty"
                }
            repliesInput.yield("\(act) of \(order.captures.count) by \(order.user): \(reply.photoCount)")
            if let caller { self.reply(reply, to: caller) }
        case .cancelRequested(let caller, _): repliesInput.yield("cancel of \(caller.user)")
        case .nodesRequested(let caller): repliesInput.yield("nodes for \(caller.user)")
        case .clocksRequested, .pendingRequested, .moveStartsRequested, .identifyRequested, .cameraRequested,
            .checkRequested, .armRequested, .releaseRequested:
            repliesInput.yield("done")
        case _: Issue.record("\(input)")
        }
    }

    func keep(_ geometry: RigGeometry) -> RigGeometry { geometry }

    func piece(of path: String, offset: Int, length: Int) throws -> [UInt8] {
        Array(Array(path.utf8)[offset...].prefix(length))
    }

    func reply(_ message: any WireMessage, bytes: [UInt8]?, to caller: Caller) {
        trail.end(message, to: caller)
        let code = (message as? Refusal).map { " \($0.code.rawValue)" } ?? ""
        let content = bytes.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
        repliesInput.yield(type(of: message).type + code + content)
    }

    /// The next answers, as many as are wanted.
    func told(_ count: Int) async -> [String] {
        var told: [String] = []
        for await reply in replies {
            told.append(reply)
            if told.count == count { break }
        }
        return told
    }
}

private final class Gate: Sendable {
    let waiting = Atomic(0)
    let isOpen = Atomic(false)
}

@Suite("An operators' desk", .timeLimit(.minutes(1)))
struct OperatorDeskTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())").path
    private let rig = RehearsedRig()

    /// Runs a desk until the body has ended, and then until all has been answered.
    private func withDesk(_ body: (OperatorDesk, Catalogue) async throws -> Void) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let catalogue = try Catalogue(
            path: folder + "/catalogue.sqlite", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        let desk = OperatorDesk(
            rig: rig, catalogue: catalogue, trail: rig.trail,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await desk.run() }
            try await body(desk, catalogue)
            await desk.close()
        }
    }

    private func caller(_ user: NodeName) -> Caller { Caller(peer: Peer(routingID: [1]), user: user, request: 1) }

    private func fire(_ requestID: String, _ plan: String = "p") throws -> OperatorRequest {
        .fire(
            FireRequest(requestID: requestID, plan: Plan(name: plan, bracket: try .burst(1)), session: nil, labels: [:])
        )
    }

    @Test("lets the rules decide in the order in which they are asked, and says who asks")
    func orders() async throws {
        try await withDesk { desk, catalogue in
            let id = UniqueID(rawValue: 1_800_000_000_000_000)
            try await catalogue.commit([
                .capture(
                    NewCapture(
                        uniqueID: id, requestID: "former", firedBy: "ada", plan: Plan(name: "p", bracket: .burst(1)),
                        createdAt: 1, nodes: []))
            ])
            await desk.take(try fire("new"), from: caller("ada"))
            await desk.take(.cancel(id), from: caller("bob"))
            await desk.take(try fire("known"), from: caller("ada"))
            // A former run made a capture of it.
            await desk.take(try fire("former"), from: caller("eve"))
            await desk.take(try fire("former", "other"), from: caller("eve"))
            await desk.take(.status, from: caller("ada"))
            #expect(
                await rig.told(6) == [
                    "fire new of ada into 7", "cancel of bob", "fire known of ada into 7", FireReply.type,
                    "refusal invalid", StatusReply.type,
                ])
        }
    }

    @Test("finds what something is said of, and refuses what means nothing")
    func annotations() async throws {
        func request(_ change: (inout AnnotateRequest) -> Void) -> OperatorRequest {
            var request = AnnotateRequest(filter: PhotoFilter(), isOfPhotos: false, annotation: Annotation())
            request.annotation.rating = 3
            change(&request)
            return .annotate(request)
        }
        try await withDesk { desk, catalogue in
            func told(_ request: OperatorRequest) async -> [String] {
                await desk.take(request, from: caller("ada"))
                return await rig.told(1)
            }
            #expect(await told(request { _ in }) == ["refusal notFound"])
            try await catalogue.commit(
                (1...2).map { number in
                    .capture(
                        NewCapture(
                            uniqueID: UniqueID(rawValue: number), requestID: "\(number)", firedBy: "ada",
                            plan: Plan(name: "p", bracket: try .burst(1)), session: "s\(number)", createdAt: 1,
                            nodes: []))
                })
            #expect(await told(request { _ in }) == ["ada: rating 3 of 2, 0"])
            #expect(await told(request { $0.filter.captures.session = "s2" }) == ["ada: rating 3 of 1, 0"])
            #expect(await told(request { $0.isOfPhotos = true }) == ["refusal notFound"])
            #expect(await told(request { $0.annotation.rating = 9 }) == ["refusal invalid"])
            #expect(
                await told(
                    request {
                        $0.isOfPhotos = true
                        $0.annotation.session = "x"
                    }) == ["refusal invalid"], "photos have no session of their own")
        }
    }

    @Test("does for each role what that role may have done, and nothing else")
    func rights() async throws {
        let id = UniqueID(rawValue: 1)
        let table: [(OperatorRequest, least: Role)] = [
            (.status, .watch), (.nodes, .watch), (.clocks, .watch), (.pending, .watch),
            (.captures(CaptureFilter()), .watch),
            (.photos(PhotoFilter()), .watch),
            (.annotate(AnnotateRequest(filter: PhotoFilter(), isOfPhotos: false, annotation: Annotation())), .operate),
            (.sessions(SessionsRequest(since: nil, limit: 1)), .watch),
            (.labels(LabelsRequest(since: nil, limit: 1)), .watch),
            (.show(id), .watch), (.news(after: 0), .watch), (.boards, .watch), (try fire("r"), .operate),
            (.cancel(id), .operate), (.release(ReleaseRequest()), .operate),
            (
                .arm(
                    ArmRequest(
                        FireRequest(
                            requestID: "a", plan: Plan(name: "p", bracket: try .burst(1)), session: nil, labels: [:]))),
                .operate
            ),
            (.moveStarts(MoveStartsRequest(nanoseconds: [:])), .operate),
            (.identify(IdentifyRequest(node: "top", seconds: 5)), .operate),
            (
                .noteExport(
                    NoteExportRequest(uniqueID: UniqueID(rawValue: 1), layout: "odm", place: "p", photoCount: 1)),
                .watch
            ),
            (.geometry(GeometryRequest()), .watch),
            (
                .keepGeometry(
                    KeepGeometryRequest(
                        geometry: RigGeometry(since: 1, captures: [], isMetric: false, cameras: []))), .operate
            ),
            (.camera(CameraRequest(act: .show)), .watch), (.camera(CameraRequest(act: .reset)), .operate),
            (.invite(InviteRequest(count: 1, seconds: 1)), .administer),
            (.member(MemberRequest(.admit, "a")), .administer), (.operators, .administer),
            (.operatorChange(OperatorChangeRequest(name: "a", role: .watch)), .administer),
            (.audit(AuditRequest(since: .at(0), limit: 1)), .administer), (.metrics, .watch),
        ]
        try await withDesk { desk, _ in
            for (request, least) in table {
                for role in Role.allCases {
                    await desk.take(request, from: caller(NodeName(role.rawValue) ?? "x"))
                    let answer = await rig.told(1)
                    #expect((answer != ["refusal notAllowed"]) == (role >= least), "\(request) by \(role): \(answer)")
                }
                await desk.take(request, from: caller("stranger"))
                #expect(await rig.told(1) == ["refusal notAllowed"])
            }
        }
    }

    @Test("writes down what people had done and what they were refused, and no question")
    func audit() async throws {
        try await withDesk { desk, catalogue in
            func entries() async throws -> [AuditEntry] { try await catalogue.audit(since: .at(0), limit: 100) }
            await desk.take(.invite(InviteRequest(count: 1, seconds: 1)), from: caller("root"))
            await desk.take(.nodes, from: caller("root"))
            await desk.take(.member(MemberRequest(.revoke, "top")), from: caller("root"))
            await desk.take(try fire("r"), from: caller("watch"))
            await desk.take(.moveStarts(MoveStartsRequest(nanoseconds: ["top": 5])), from: caller("root"))
            // Asked, and not answered by these rules: it is there before anything is done.
            while try await entries().count < 4 { await Task.yield() }
            let told = try await entries()
            #expect(told.map(\.act).sorted() == ["fire", "invite", "moveStarts", "revoke"])
            let byAct = Dictionary(uniqueKeysWithValues: told.map { ($0.act, $0) })
            #expect(byAct["invite"]?.result == "done" && byAct["invite"]?.user == "root")
            #expect(byAct["invite"]?.message == "boards: 1, seconds: 1")
            #expect(byAct["revoke"]?.result == "notFound" && byAct["revoke"]?.message == "no such node")
            #expect(byAct["revoke"]?.subject == "top")
            #expect(byAct["revoke"]?.arguments.contains("revoke") == true)
            #expect(byAct["fire"]?.result == "notAllowed" && byAct["fire"]?.user == "watch")
            #expect(byAct["moveStarts"]?.result == "asked")
            #expect(try await catalogue.audit(since: .at(0), limit: 1).count == 1)
            #expect(try await catalogue.audit(since: .at(.init(rawValue: .max)), limit: 9).isEmpty)
        }
    }

    @Test("tells a new operator from a new role")
    func operatorActs() {
        func act(_ role: Role?, _ key: String? = nil) -> String {
            let act = OperatorRequest.operatorChange(OperatorChangeRequest(name: "anna", role: role, key: key)).act
            return [act?.name, act?.subject, act?.manner].compactMap { $0 }.joined(separator: " ")
        }
        #expect(act(.watch, "k") == "addOperator anna may watch")
        #expect(act(.operate) == "changeRole anna may operate")
        #expect(act(nil) == "removeOperator anna" && act(nil, "k") == "removeOperator anna")
    }

    @Test("keeps a refused program from filling the audit")
    func auditFlood() async throws {
        try await withDesk { desk, catalogue in
            for number in 0..<1000 {
                let caller = Caller(peer: Peer(routingID: [1]), user: "watch", request: number)
                await desk.take(.cancel(UniqueID(rawValue: 1)), from: caller)
            }
            await desk.take(.invite(InviteRequest(count: 1, seconds: 1)), from: caller("root"))
            func entries() async throws -> [AuditEntry] { try await catalogue.audit(since: .at(0), limit: 2000) }
            while try await entries().count < 301 { await Task.yield() }
            // A minute may have ended meanwhile.
            #expect(try await entries().count <= 601)
        }
    }

    @Test("writes down who joined with a code, and once an hour whose key was turned away")
    func door() async throws {
        try await withDesk { desk, catalogue in
            rig.trail.joined("top", key: "k", code: "ABCDE", at: 1)
            for attempt in 0..<1000 {
                rig.trail.turnedAway(key: "y\(attempt)", from: "10.0.0.9", domain: "nodes", owner: nil, at: 2)
            }
            for _ in 0..<2 { rig.trail.turnedAway(key: "x", from: "10.0.0.9", domain: "nodes", owner: "door", at: 2) }
            rig.trail.turnedAway(key: "x", from: "10.0.0.9", domain: "nodes", owner: "door", at: 3_600_000_001)
            func entries() async throws -> [AuditEntry] { try await catalogue.audit(since: .at(0), limit: 1000) }
            while try await entries().last?.at != 3_600_000_001 { await Task.yield() }
            let told = try await entries()
            #expect(told.count == 103, "a stranger with ever new keys must not fill a disk")
            #expect(told.first?.act == "join" && told.first?.user == "top" && told.first?.arguments == "ABCDE")
            #expect(told.filter { $0.key == "x" }.map(\.message) == ["This key was revoked.", "This key was revoked."])
            #expect(told.filter { $0.key == "x" }.allSatisfy { $0.user == "door" && $0.result == "notAllowed" })
            #expect(told.filter { $0.key == "y0" }.map(\.user) == ["unknown"])
        }
    }

    @Test("answers what takes long beside all else, also at its end, and goes on after what cannot be answered")
    func slow() async throws {
        try await withDesk { desk, catalogue in
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
            await desk.take(.show(UniqueID(rawValue: 7)), from: caller("ada"))
            await desk.take(.nodes, from: caller("ada"))
            await desk.take(try fire("known"), from: caller("bob"))
            #expect(await rig.told(2) == ["nodes for ada", "fire known of bob into 7"])
            await desk.close()
            gate.isOpen.store(true, ordering: .relaxed)
            #expect(await rig.told(1) == ["refusal notFound"])
            for reader in readers { try await reader.value }
        }
        try await withDesk { desk, catalogue in
            try await catalogue.writer?.write { try $0.execute(sql: "DROP TABLE capture_label; DROP TABLE news") }
            for _ in 0..<4 { await desk.take(.news(after: 0), from: caller("ada")) }
            await desk.take(.captures(CaptureFilter()), from: caller("ada"))
            #expect(await rig.told(5).filter { $0 == "refusal tryAgain" }.count >= 4)
        }
    }

    @Test("throws away by itself what is old and what is rejected, but nothing that is rated")
    func retention() async throws {
        let day: Int64 = 86_400_000_000
        let now = UTCTime(rawValue: Int64(Date().timeIntervalSince1970 * 1e6))
        try await withDesk { desk, catalogue in
            var changes: [CatalogueChange] = []
            for (number, age) in [400, 400, 20, 20, 1].enumerated() {
                let id = UniqueID(rawValue: Int64(number + 1))
                changes += [
                    .capture(
                        NewCapture(
                            uniqueID: id, requestID: "\(number)", firedBy: "ada",
                            plan: Plan(name: "p", bracket: try .burst(1)),
                            createdAt: UTCTime(rawValue: now.rawValue - Int64(age) * day), nodes: [])),
                    .captureState(id, .complete, reason: nil, fireRigTime: nil, at: 1),
                ]
            }
            var (rated, rejected) = (Annotation(), Annotation())
            (rated.rating, rejected.isRejected) = (1, true)
            changes.append(.annotated(UniqueID(rawValue: 2), rated, at: 1))
            changes += [4, 5].map { .annotated(UniqueID(rawValue: $0), rejected, at: 1) }
            try await catalogue.commit(changes)
            _ = await desk.throwAway(Retention())
            _ = await desk.throwAway(Retention(captures: .seconds(365 * 86_400)))
            _ = await desk.throwAway(Retention(rejected: .seconds(14 * 86_400)))
            #expect(await rig.told(2) == ["delete of 1 by retention: 0", "delete of 1 by retention: 0"])
            try await catalogue.commit([.captureDeleted(UniqueID(rawValue: 1), by: "retention", at: 2)])
            let entries = try await catalogue.audit(since: .at(0), limit: 9)
            #expect(
                Set(entries.compactMap(\.subject)) == [
                    "captures older than 365 d", "rejected captures older than 14 d",
                ])
        }
    }

    @Test("throws nothing away by a clock that has jumped, and says so until somebody agrees")
    func jump() async throws {
        let now = UTCTime(rawValue: Int64(Date().timeIntervalSince1970 * 1e6))
        let (day, retention) = (
            Int64.seconds(86_400), Retention(trash: .seconds(30 * 86_400), captures: .seconds(365 * 86_400))
        )
        try await withDesk { desk, catalogue in
            let id = UniqueID(rawValue: 1)
            try await catalogue.commit([
                .capture(
                    NewCapture(
                        uniqueID: id, requestID: "r", firedBy: "ada", plan: Plan(name: "p", bracket: try .burst(1)),
                        createdAt: now, nodes: [])),
                .captureState(id, .complete, reason: nil, fireRigTime: nil, at: 1),
            ])
            _ = await desk.throwAway(retention, utc: now, elapsed: .seconds(10))
            // 400 days ahead within a minute.
            _ = await desk.throwAway(retention, utc: now + 400 * day, elapsed: .seconds(70))
            let entries = try await catalogue.audit(since: .at(0), limit: 9)
            #expect(entries.isEmpty)
            let remark = await desk.retentionRemark
            #expect(remark?.contains("volley trash trust-clock") == true)
            // It is known beyond the end of the coordinator.
            let doubted = try await catalogue.retention()?.doubtedFor
            #expect(doubted == 0)
            await desk.take(.trash(TrashRequest(.trustClock, PhotoFilter())), from: caller("operate"))
            #expect(await rig.told(1) == ["refusal notAllowed"])
            await desk.take(.trash(TrashRequest(.trustClock, PhotoFilter())), from: caller("root"))
            _ = await rig.told(1)
            let none = await desk.retentionRemark
            #expect(none == nil)
            _ = await desk.throwAway(retention, utc: now + 400 * day + .seconds(60), elapsed: .seconds(130))
            #expect(await rig.told(1) == ["delete of 1 by retention: 0"])
        }
    }

    @Test("lets nobody have more written down than a budget, and notes no export of what there is not")
    func budgets() async throws {
        try await withDesk { desk, catalogue in
            for number in 0..<100 {
                let note = NoteExportRequest(
                    uniqueID: UniqueID(rawValue: 5), layout: "colmap", place: String(repeating: "x", count: 9000),
                    photoCount: -5)
                let caller = Caller(peer: Peer(routingID: [1]), user: "watch", request: number)
                await desk.take(.noteExport(note), from: caller)
            }
            let told = await rig.told(100)
            #expect(told.allSatisfy { $0.hasPrefix("refusal") })
            #expect(told.contains("refusal invalid") && told.contains("refusal tryAgain"))
        }
    }

    @Test("has what administers in the audit before it is done")
    func durable() async throws {
        try await withDesk { desk, catalogue in
            await desk.take(.invite(InviteRequest(count: 1, seconds: 1)), from: caller("root"))
            let acts = try await catalogue.audit(since: .at(0), limit: 9).map(\.act)
            #expect(acts == ["invite"])
        }
    }

    @Test("sends pieces of photos that are in the library, and of nothing else")
    func pieces() async throws {
        let id = UniqueID(rawValue: 1_800_000_000_000_000)
        let photo = PhotoID(uniqueID: id, node: "a", photoCount: 1)
        try await withDesk { desk, catalogue in
            func told(_ request: PieceRequest) async -> [String] {
                await desk.take(.piece(request), from: caller("watch"))
                return await rig.told(1)
            }
            #expect(await told(PieceRequest(photo, offset: 0, length: 1)) == ["refusal notFound"])
            #expect(await told(PieceRequest(photo, offset: 0, length: 2 << 20)) == ["refusal invalid"])
            #expect(await told(PieceRequest(photo, offset: -1, length: 1)) == ["refusal invalid"])
            let capture = NewCapture(
                uniqueID: id, requestID: "r", firedBy: "ada", plan: Plan(name: "p", bracket: try .burst(1)),
                createdAt: 1, nodes: ["a"])
            var record = PhotoRecord(
                photoCount: 1, sequenceCount: 1, format: .jpeg,
                requested: ResolvedExposure(sequenceCount: 1, exposureTargetBias: nil, duration: nil, iso: nil))
            record.file = PhotoFile(
                byteCount: 5, sha256: String(repeating: "a", count: 64), dimensions: Dimensions(width: 1, height: 1),
                imageUniqueID: "")
            let event = CaptureEvent(
                uniqueID: id, sequence: 1, kind: .didFinishProcessingPhoto, time: MonotonicTime(nanoseconds: 1),
                photo: record)
            try await catalogue.commit([
                .node(name: "a", nil, at: 1), .capture(capture), .event(node: "a", event),
                .photoStored(photo, path: "a.jpg", at: 1),
            ])
            #expect(await told(PieceRequest(photo, offset: 1, length: 3)) == ["pieceReply .jp"])
        }
    }
}
