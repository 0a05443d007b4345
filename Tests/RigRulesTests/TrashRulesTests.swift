import CaptureModel
import RigProtocol
import Testing

@testable import RigRules

@Suite("Captures that are deleted")
struct TrashRulesTests {
    private let reply = TrashReply([], matchCount: 0)

    /// A capture of two nodes, of which one is gone with what it owes.
    private func partial() throws -> (Rehearsal, UniqueID) {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.bestEffort).get()
        try rig.prepared("a", id)
        try rig.prepared("b", id)
        try rig.deliver("a", id)
        rig.arrive("a")
        try rig.event("b", id, 1, .willBeginCapture)
        return (rig, id)
    }

    private func lose(_ node: NodeName, _ rig: inout Rehearsal) throws {
        // The other one is heard of meanwhile.
        for _ in 0..<50 {
            rig.now = rig.now + .seconds(1)
            try rig.beat("a")
            rig.take(.tick)
        }
    }

    @Test("are over, or they are not")
    func underWay() throws {
        var (rig, id) = try partial()
        let order = TrashOrder(.delete, [id], by: "ada")
        rig.take(.trashRequested(rig.caller, order, reply))
        guard case .refused(let refusal)? = rig.replies.last else { return #expect(Bool(false)) }
        #expect(refusal.says("capture \(id) is under way"))
        rig.changes = []
        rig.take(.trashRequested(nil, order, reply))
        #expect(rig.changes.isEmpty, "what the coordinator does by itself leaves it out")
        try lose("b", &rig)
        #expect(rig.state(id)?.state == .partial)
        rig.take(.trashRequested(rig.caller, order, reply))
        #expect(rig.replies.last == .trash(reply))
        #expect(rig.changes.contains(.captureDeleted(id, by: "ada", at: rig.wallClock)))
    }

    @Test("stay where they were where that cannot be written, and whoever asked hears that it never will be")
    func withdrawn() throws {
        var (rig, id) = try partial()
        try lose("b", &rig)
        rig.isRefusingActs = true
        rig.take(.trashRequested(rig.caller, TrashOrder(.delete, [id], by: "ada"), reply))
        guard case .refused(let refusal)? = rig.replies.last else { return #expect(Bool(false)) }
        #expect(refusal.code == .tryAgain && refusal.says("nothing will be: the disk is full"))
        #expect(rig.state(id).map { _ in rig.machine.captures[id]?.isDeleted } == false)
        // Its photos are fetched as before.
        rig.isRefusingActs = false
        try rig.join("b")
        try rig.deliver("b", id)
        #expect(!rig.pulls.isEmpty)
    }

    @Test("are no reason to fetch what a node brings later, which may forget it")
    func late() throws {
        var (rig, id) = try partial()
        try lose("b", &rig)
        rig.take(.trashRequested(rig.caller, TrashOrder(.delete, [id], by: "ada"), reply))
        try rig.join("b")
        (rig.changes, rig.pulls) = ([], [])
        try rig.deliver("b", id)
        #expect(rig.pulls.isEmpty)
        #expect(rig.acknowledged("b").suffix(8).sorted() == Array(1...8))
        #expect(rig.failures("b").map(\.code) == [.captureDeleted, .captureDeleted])
        // The same once more, after the node has started anew.
        rig.sent = []
        try rig.event("b", id, 6, .didFinishProcessingPhoto, photo: 1)
        #expect(rig.pulls.isEmpty && rig.acknowledged("b") == [6])
        // Put back, it is like any other.
        rig.take(.trashRequested(rig.caller, TrashOrder(.recover(), [id], by: "ada"), reply))
        #expect(rig.changes.contains(.captureRecovered(id, at: rig.wallClock)))
    }

    @Test("are not those of which a node that is back still brings something")
    func delivering() throws {
        var (rig, id) = try partial()
        for step in 1...2 { try rig.event("b", id, step + 1, .didFinishProcessingPhoto, photo: step) }
        try rig.event("b", id, 4, .didFinishCapture)
        try lose("b", &rig)
        try rig.join("b")
        try rig.event("b", id, 2, .didFinishProcessingPhoto, photo: 1)
        #expect(!rig.pulls.isEmpty)
        rig.take(.trashRequested(rig.caller, TrashOrder(.delete, [id], by: "ada"), reply))
        guard case .refused(let refusal)? = rig.replies.last else { return #expect(Bool(false)) }
        #expect(refusal.says("photos of capture \(id) are still to come"))
        rig.changes = []
        rig.take(.trashRequested(rig.caller, TrashOrder(.empty(deletedUntil: 9), [id], by: "ada"), reply))
        #expect(rig.changes.count == 1, "what is in the trash already is nobody's debt")
    }

    @Test("are followed into the trash by a photo that comes all the same")
    func arriving() throws {
        var (rig, id) = try partial()
        try rig.event("b", id, 2, .willCapturePhoto)
        try rig.event("b", id, 3, .didFinishProcessingPhoto, photo: 1)
        let pull = try #require(rig.pulls.last)
        try lose("b", &rig)
        rig.take(.trashRequested(rig.caller, TrashOrder(.delete, [id], by: "ada"), reply))
        // The node is back, and does not hear that its photo was forgone.
        try rig.join("b")
        try rig.event("b", id, 3, .didFinishProcessingPhoto, photo: 1)
        rig.changes = []
        rig.take(.photoArrived(pull.key, path: pull.path))
        #expect(rig.changes == [.photoStored(pull.key, path: pull.path, at: rig.wallClock)])
    }

    @Test("by nobody's word are never those of which somebody has just said something")
    func annotatedLately() throws {
        var (rig, id) = try partial()
        try lose("b", &rig)
        var rated = Annotation()
        rated.rating = 5
        rig.take(.annotateRequested(rig.caller, rated, captures: [id], photos: []))
        rig.changes = []
        rig.take(.trashRequested(nil, TrashOrder(.delete, [id], by: "retention"), reply))
        #expect(!rig.changes.contains(.captureDeleted(id, by: "retention", at: rig.wallClock)))
        #expect(rig.machine.spared(of: [id]) == [id])
        rig.take(.trashRequested(nil, TrashOrder(.empty(deletedUntil: 9), [id], by: "retention"), reply))
        #expect(
            rig.changes.contains(.trashEmptied(id, deletedUntil: 9, at: rig.wallClock)), "it is in the trash already")
    }

    @Test("may be photos alone, of captures that stay")
    func photos() throws {
        var (rig, id) = try partial()
        try lose("b", &rig)
        let photo = PhotoID(uniqueID: id, node: "a", photoCount: 1)
        rig.take(.trashRequested(rig.caller, TrashOrder(.deletePhotos([photo]), [id], by: "ada"), reply))
        #expect(rig.changes.last == .photoDeleted(photo, at: rig.wallClock))
        try rig.join("b")
        rig.pulls = []
        try rig.deliver("b", id)
        #expect(rig.pulls.count == 2, "the capture is not deleted")
    }
}
