import CaptureModel
import Catalogue
import Foundation
import Testing

@Suite("What operators look for")
struct FindingTests {
    private let scratch = Scratch()
    private let catalogue: Catalogue

    init() async throws {
        catalogue = try await scratch.open()
        try PlantedCatalogue.fill(scratch.path, count: 1000)
    }

    /// The numbers of the captures that match, in order, and how many there are in all.
    private func captures(_ change: (inout CaptureFilter) throws -> Void) async throws -> (numbers: [Int64], count: Int)
    {
        var filter = CaptureFilter()
        filter.limit = 1000
        try change(&filter)
        let found = try await catalogue.captures(filter)
        return (found.items.map { PlantedCatalogue.number($0.uniqueID) }, found.matchCount)
    }

    private func every(_ period: Int64, _ rest: Int64) -> [Int64] {
        (1...1000).filter { $0 % period == rest }.reversed()
    }

    @Test("which captures lost photos, by what became of them, and why")
    func losses() async throws {
        let lost = (1...1000).filter { $0 % 50 == 7 || $0 % 200 == 9 }.reversed().map(Int64.init)
        #expect(try await captures { $0.states = [.partial, .failed] }.numbers == lost)
        #expect(try await captures { $0.states = [.failed] }.numbers == every(200, 9))
        #expect(try await captures { $0.error = .diskFull }.numbers == every(50, 7), "of a photo")
        #expect(try await captures { $0.error = .nodeUnreachable }.numbers == every(200, 9), "of a node")
        #expect(try await captures { $0.reason = "was LOST" }.numbers == every(200, 9))
        #expect(try await captures { $0.reason = "1 of 2" }.numbers == every(50, 7))
        #expect(try await captures { $0.reason = "100% full" }.numbers == every(50, 7))
        #expect(try await captures { $0.reason = "%" }.count == 20, "a percent sign is one")
        #expect(try await captures { $0.reason = "_" }.count == 0)
    }

    @Test("which were by whom, of what, with which camera, and how they were judged")
    func origins() async throws {
        #expect(try await captures { $0.firedBy = "bob" }.numbers == every(10, 0))
        #expect(try await captures { $0.plan = "focus" }.numbers == every(3, 1))
        #expect(try await captures { $0.camera = "S-top-3" }.numbers == every(5, 0))
        #expect(try await captures { $0.nodes = ["top-*"] }.numbers == every(5, 0))
        #expect(try await captures { $0.nodes = ["t?p-3", "z"] }.numbers == every(5, 0))
        #expect(try await captures { $0.verification = "unverifiable" }.numbers == every(100, 13))
        #expect(
            try await captures {
                $0.labels = ["subject": "anna"]; $0.session = "s2"
            }.count == 25)
        let since = UTCTime(rawValue: PlantedCatalogue.start + 990 * PlantedCatalogue.minute)
        #expect(
            try await captures {
                $0.since = .at(since); $0.until = .at(since + .seconds(120))
            }.numbers == [991, 990])
    }

    @Test("which are missing, and which nobody has taken yet or is to take any more")
    func counts() async throws {
        let fresh = Scratch()
        let catalogue = try await fresh.open()
        try await catalogue.commit([try capture(), try capture(1)])
        func become(_ state: CaptureState, _ number: Int64 = 0) async throws -> Catalogue.PhotoCounts {
            let id = UniqueID(rawValue: id.rawValue + number)
            try await catalogue.commit([.captureState(id, state, reason: nil, fireRigTime: nil, at: 3)])
            return try await catalogue.photoCounts()
        }
        let waiting = try await become(.cancelled, 1)
        #expect(waiting.expected == 12 && waiting.untaken == 12 && waiting.awaited == 0 && waiting.failed == 0)
        let fired = try await become(.firing)
        #expect(fired.untaken == 6 && fired.awaited == 6 && fired.failed == 0)
        let failed = try await become(.failed)
        #expect(failed.untaken == 6 && failed.awaited == 0 && failed.failed == 6)
        // One that was cancelled while it was taken: a photo is stored, a photo is lost, one is on its way.
        try await catalogue.commit(
            (1...3).map { .event(node: "a", event($0, photo: photo($0, start: Int64($0)))) } + [
                .photoStored(photoID("a", 1), path: "photos/x", at: 4),
                .photoFailed(
                    photoID("a", 2), PhotoSlot(sequenceCount: 2, format: .jpeg), CaptureError(.storageFailed, "lost")),
            ])
        let cancelled = try await become(.cancelled)
        #expect(cancelled.stored == 1 && cancelled.lost == 1 && cancelled.awaited == 1)
        #expect(cancelled.untaken == 9 && cancelled.failed == 0)
    }

    @Test("where nodes were furthest apart")
    func spread() async throws {
        #expect(try await captures { $0.minSpreadNanoseconds = 5_000_000 }.numbers == every(100, 42))
        #expect(try await captures { $0.minSpreadNanoseconds = 5_000_001 }.count == 0)
        let worst = try await captures { ($0.order, $0.limit) = (.spread, 11) }
        #expect(worst.numbers == every(100, 42) + [1000] && worst.count == 1000)
        var filter = CaptureFilter()
        filter.digits = "\(PlantedCatalogue.start + 42 * PlantedCatalogue.minute)"
        #expect(try await catalogue.captures(filter).items.map(\.widestSpreadNanoseconds) == [5_000_000])
    }

    @Test("one by the first or the last digits of its id, and how many there are beyond the limit")
    func digits() async throws {
        // Numbers 1 and 2, and so on: ids end in the same seven zeros.
        let last = "\(PlantedCatalogue.start + 1000 * PlantedCatalogue.minute)"
        #expect(try await captures { $0.digits = last }.numbers == [1000])
        #expect(try await captures { $0.digits = String(last.suffix(11)) }.numbers == [1000])
        #expect(
            try await captures {
                $0.digits = "180"; $0.limit = 3
            } == ([1000, 999, 998], 1000))
        #expect(try await captures { $0.digits = "999999" }.count == 0)
    }

    @Test("photos by node, step, state and judgement, with whose they are")
    func photos() async throws {
        func photos(_ change: (inout PhotoFilter) -> Void) async throws -> Found<FoundPhoto> {
            var filter = PhotoFilter()
            filter.limit = 10_000
            change(&filter)
            return try await catalogue.photos(filter)
        }
        let chosen = try await photos {
            $0.captures.session = "s4"; $0.nodes = ["top-*"]; $0.steps = [2]
        }
        #expect(chosen.items.count == 20 && chosen.matchCount == 20)
        #expect(
            chosen.items.allSatisfy {
                $0.session == "s4" && $0.photo.node == "top-3" && $0.photo.record.sequenceCount == 2
            })
        #expect(
            chosen.items.first?.photo.path
                == "photos/\(PlantedCatalogue.start + 495 * PlantedCatalogue.minute)/top-3_2.jpg")
        let failed = try await photos { $0.states = [.failed] }
        #expect(failed.items.count == 30 && failed.items.allSatisfy { $0.state == .failed && $0.photo.path == nil })
        #expect(failed.items.filter { $0.photo.record.error?.code == .diskFull }.count == 20)
        #expect(try await photos { $0.verification = "unverifiable" }.items.count == 10)
        #expect(try await photos { $0.formats = [.dng] }.items.isEmpty)
        #expect(try await photos { $0.limit = 1 }.matchCount == 4400)
        #expect(
            try await photos {
                $0.captures.labels = ["subject": "anna"]; $0.states = [.stored]
            }.matchCount == 1100)
    }

    @Test("sessions and labels, with how much each has")
    func sessions() async throws {
        let sessions = try await catalogue.sessions(since: nil, limit: 100)
        #expect(sessions.map(\.session) == ["s10", "s9", "s8", "s7", "s6", "s5", "s4", "s3", "s2", "s1", "s0"])
        let second = try #require(sessions.first { $0.session == "s2" })
        #expect(second.captureCount == 100 && second.incompleteCount == 3)
        #expect(second.expectedPhotoCount == 440 && second.storedPhotoCount == 436)
        #expect(PlantedCatalogue.number(UniqueID(rawValue: second.firstAt.rawValue)) == 200)
        #expect(PlantedCatalogue.number(UniqueID(rawValue: second.lastAt.rawValue)) == 299)
        #expect(try await catalogue.sessions(since: .at(second.lastAt), limit: 100).last?.captureCount == 1)
        let labels = try await catalogue.labels(since: nil, limit: 100)
        #expect(labels.map(\.captureCount) == [250] && labels.first?.key == "subject")
    }

    @Test("what does not exist, said of what was asked for")
    func remarks() async throws {
        var filter = CaptureFilter()
        (filter.session, filter.plan, filter.nodes, filter.labels) = ("monday", "hdr-9", ["tpo-*"], ["sbject": "anna"])
        let found = try await catalogue.captures(filter)
        #expect(found.items.isEmpty && found.remarks.count == 4, "\(found.remarks)")
        (filter.session, filter.plan, filter.nodes, filter.labels) = ("s1", "burst", ["top-*"], ["subject": "bea"])
        #expect(try await catalogue.captures(filter).remarks.isEmpty)
        var photos = PhotoFilter()
        photos.nodes = ["tpo-*"]
        #expect(try await catalogue.photos(photos).remarks == ["No capture had a node 'tpo-*'."])
    }

    @Test("with a filter that leaves out everything, as another program may write it")
    func defaults() throws {
        let filter = try JSONDecoder().decode(PhotoFilter.self, from: Data(#"{"captures":{"session":"s1"}}"#.utf8))
        var same = PhotoFilter()
        same.captures.session = "s1"
        #expect(filter == same)
    }
}
