import CaptureModel
import Catalogue
import DurableFiles
import FoundationEssentials
import Library
import LibraryCare
import Posix
import RigProtocol
import RigRules
import SimulationKit

/// What must hold for a rig, whatever happens to it; it sees everything.
///
/// - What is acknowledged is in the library, durable, with the bytes that were photographed, and in the catalogue.
/// - A node fires a capture once, never one that it refused, and never while it is busy with another one; an id belongs
///   to one request, and is greater than those before it.
/// - Only the nodes that a plan chooses fire it, each set to what the plan sets it to, and each group in its turn.
/// - What is armed is fired when somebody presses the shutter, and not before.
/// - Events reach the catalogue without gaps, and one number always means the same event.
/// - Each event is news, in the commit that makes it true; news numbers rise, nobody hears of what is not durable, and
///   everybody hears it in order.
/// - Whoever sets cameras by hand hears of each of them once, and none is set that a capture counts on.
/// - What somebody was told stands of a capture does, and its archive has it in the end.
/// - What somebody was told is deleted is no longer among the photos, nothing of it counts as lost, and nodes may forget
///   what they still have of it; what was put back is there again.
/// - What the catalogue refuses for good is not offered to it again and again.
/// - Whoever wants something kept hears in time that it is, or that it never will be.
/// - What is on its way is not asked for again.
/// - In the end every capture has ended, every debt is paid exactly, and every photo that a node promised is there.
struct Oracle {
    /// Something that should have held and did not.
    struct Violation: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    struct Part: Hashable {
        let id: UniqueID
        let node: NodeName
    }

    /// An act that cannot be kept is answered within ten seconds, and what a slow disk takes.
    private static let longestWait = Int64.seconds(12)

    /// The acts that somebody waits for, and since when.
    private var waiting: [String: Int64] = [:]
    /// What was asked for of each photo, on its node's connection to the coordinator.
    private var askedFor: [PhotoID: (connection: Int, life: Int, byteCount: Int)] = [:]
    private(set) var ids: [Int: UniqueID] = [:]
    private(set) var accepted: Set<UniqueID> = []
    /// Photos whose event a node has made durable.
    private(set) var promised: [PhotoID: PhotoFile] = [:]
    /// Which photo an event reports.
    private var photoCounts: [Part: [Int: Int]] = [:]
    /// What nodes were told is stored.
    private var acknowledgements: [Part: Set<Int>] = [:]
    /// The same, since the present catalogue took over.
    private var acknowledgedNow: [Part: Set<Int>] = [:]
    private var refusals: [Int: Int] = [:]
    private var firings: Set<Part> = []
    private var nodeRefusals: Set<Part> = []
    var cancellations: Set<UniqueID> = []
    var events: [Part: [CaptureEvent]] = [:]
    /// The numbers of the news in the present catalogue.
    private var news: Set<Int64> = []
    private var lastNews: Int64 = 0
    private var lastPublished: Int64 = 0
    /// Parts that their node forgot halfway: the coordinator settles them.
    var forgotten: Set<Part> = []
    /// The number of the last event that a node has made durable.
    private var lastJournalled: [Part: Int] = [:]
    /// The event that the catalogue refused for good: its node keeps it.
    var refused: [Part: CaptureEvent] = [:]
    /// When this life of the coordinator first heard of that, in nanoseconds of virtual time.
    private var refusedSince: [Part: Int64] = [:]
    /// Parts whose node was re-imaged since it fired.
    var emptied: Set<Part> = []
    /// Parts that neither their node nor the catalogue has completely any more: one was re-imaged, and the other
    /// restored from an old copy.
    var erased: Set<Part> = []
    /// The capture of each note, by the note's number.
    private var notes: [Int: UniqueID] = [:]
    /// The last note of each capture of which its writer was told that it stands.
    var lastNote: [UniqueID: Int] = [:]
    /// The nodes whose cameras somebody sets, by the number of the request, until that is answered.
    private var settings: [Int: [NodeName]] = [:]
    /// What was wanted of captures and the trash, by the number of the request.
    var trashOrders: [Int: TrashOrder] = [:]
    /// The last of them of each capture that was told to be done, and those of which nobody was told anything.
    var lastTrashOrder: [UniqueID: (told: Int, open: Set<Int>)] = [:]
    /// Captures whose shutter somebody has pressed.
    private var pressed: Set<UniqueID> = []
    /// Which request each capture in the catalogue belongs to.
    var requests: [UniqueID: Int] = [:]
    /// Who was told to fire what.
    private var orders: Set<Part> = []
    /// The notes of which their writers were told that they failed.
    private var withdrawn: Set<Int> = []
    /// When the first node was told to fire a capture, less by how much later its group fires.
    private var fireTimes: [UniqueID: RigTime] = [:]
    let scenario: Scenario
    /// What was on its way when the catalogue refused it may still come, over a slow disk.
    private static let insistence = Int64.seconds(20)

    init(_ scenario: Scenario) {
        self.scenario = scenario
    }

    // MARK: What is seen

    /// Notes that a request was accepted.
    mutating func accepted(_ request: Int, _ id: UniqueID) throws {
        if let known = ids[request], known != id { throw Violation("request \(request) is \(known) and \(id)") }
        if ids.contains(where: { $0.key != request && $0.value == id }) { throw Violation("\(id) is two captures'") }
        ids[request] = id
        accepted.insert(id)
    }

    /// Notes that the catalogue refused a change for good, and checks that it was not asked for long.
    mutating func refused(_ change: CatalogueChange, now: Int64) throws {
        guard case .event(let node, let event) = change else { return }
        let part = Part(id: event.uniqueID, node: node)
        refused[part] = event
        let since = refusedSince[part] ?? now
        refusedSince[part] = since
        guard now - since < Self.insistence else {
            throw Violation("event \(event.sequence) of \(part) is offered again to the catalogue that refused it")
        }
    }

    /// Notes that the disk is there again: what was refused before it went may be told only now.
    mutating func diskIsBack() { refusedSince = [:] }

    /// Checks a reported start of exposure, which is off by `off` nanoseconds, against its uncertainty.
    func started(off: Int64, within known: Int64, _ event: CaptureEvent, _ node: NodeName) throws {
        guard off <= known else {
            throw Violation("event \(event.sequence) of \(event.uniqueID) by \(node) is off by \(off) ns, not \(known)")
        }
    }

    /// Notes a refusal; all that is asked for is what the rig can do.
    mutating func refused(_ request: Int, _ refusal: Refusal) throws {
        guard refusal.code != .invalid || requests.values.contains(request) else {
            throw Violation("request \(request) is refused as invalid: \(refusal.message) \(refusal.details)")
        }
        refusals[request, default: 0] += 1
    }

    /// Whether a node's spool has nothing that still has to be stored.
    func isEmpty(_ spool: SimulatedFileSystem, of node: NodeName) -> Bool {
        spool.names(in: "/spool").compactMap { Int64($0) }
            .allSatisfy { capture in
                let part = Part(id: UniqueID(rawValue: capture), node: node)
                // Everything but the event that the catalogue refused.
                return refused[part] != nil && acknowledgedNow[part]?.count == (lastJournalled[part] ?? 0) - 1
            }
    }

    /// Whether a request was refused so often that the operator gives up.
    func isRefusedForGood(_ request: Int) -> Bool { refusals[request] ?? 0 > 20 }

    var areAllAnswered: Bool { (0..<scenario.captureCount).allSatisfy { ids[$0] != nil || isRefusedForGood($0) } }

    /// - Parameter isBusy: whether its camera still has to deliver some of another capture.
    mutating func fired(_ id: UniqueID, _ node: NodeName, isBusy: Bool) throws {
        guard firings.insert(Part(id: id, node: node)).inserted else { throw Violation("\(node) fired \(id) twice") }
        guard orders.contains(Part(id: id, node: node)) else { throw Violation("\(node) fired \(id) untold") }
        guard !isBusy else { throw Violation("\(node) fired \(id) in the middle of another capture") }
    }

    /// Notes that the coordinator heard of a node that will not take part.
    mutating func refused(_ id: UniqueID, _ node: NodeName) { nodeRefusals.insert(Part(id: id, node: node)) }

    /// Checks an order to fire that the coordinator sends to a node.
    mutating func ordered(_ fire: Fire, _ node: NodeName) throws {
        let id = fire.uniqueID
        guard !nodeRefusals.contains(Part(id: id, node: node)) else {
            throw Violation("\(node) was told to fire \(id), which it had refused")
        }
        guard let request = requests[id] else { throw Violation("\(id) is fired, but not in the catalogue") }
        guard !scenario.isArmed(request) || pressed.contains(id) else {
            throw Violation("\(id) is armed, and fired before somebody pressed the shutter")
        }
        guard scenario.chooses(node, request) else { throw Violation("\(id) is fired by \(node), and not for it") }
        let time = fire.rigTime - scenario.delay(of: node)
        guard fireTimes[id] ?? time == time else { throw Violation("\(node) is not told to fire \(id) in its turn") }
        fireTimes[id] = time
        orders.insert(Part(id: id, node: node))
    }

    /// Notes that somebody presses the shutter of an armed capture.
    mutating func pressed(_ id: UniqueID) { pressed.insert(id) }

    /// Notes that somebody writes a note.
    mutating func annotates(_ id: UniqueID, _ number: Int) { notes[number] = id }

    /// Notes that its writer was told that a note stands.
    mutating func annotated(_ number: Int) {
        if let id = notes[number] { lastNote[id] = max(number, lastNote[id] ?? 0) }
    }

    /// Notes that its writer was told that a note was not written, and never will be.
    mutating func withdrew(note number: Int) { withdrawn.insert(number) }

    /// Checks that nothing is done that was told as failed.
    private func check(_ annotation: Annotation, of id: UniqueID) throws {
        guard let number = annotation.note.flatMap({ Int($0) }), withdrawn.contains(number) else { return }
        throw Violation("note \(number) of \(id) was told as failed, and is carried out")
    }

    /// Notes that somebody waits until an act is kept.
    mutating func waits(for act: String, since now: Int64) { waiting[act] = now }

    /// Notes that he was told what became of it.
    mutating func answered(_ act: String) { waiting[act] = nil }

    /// Checks that whoever waits hears in time that it cannot be.
    func checkWaiting(_ now: Int64) throws {
        guard let (act, since) = waiting.min(by: { $0.value < $1.value }), now - since > Self.longestWait else {
            return
        }
        throw Violation(
            "\(act) has waited for \((now - since) / 1_000_000_000) s, and nobody was told that it cannot be")
    }

    /// Checks that bytes are not asked for again while they are on their way, where none are lost; those that the library's
    /// disk did not take come a few times more.
    mutating func asksFor(_ request: ChunkRequest, of node: NodeName, on connection: Int, life: Int) throws {
        guard scenario.loss == 0, scenario.partitions == 0 else { return }
        let photo = PhotoID(uniqueID: request.uniqueID, node: node, photoCount: request.photoCount)
        let asked =
            (askedFor[photo].flatMap { $0.connection == connection && $0.life == life ? $0.byteCount : nil } ?? 0)
        askedFor[photo] = (connection, life, asked + request.length)
        let isTaken =
            scenario.diskLosses == 0 && scenario.syncFailure == 0 && scenario.libraryCapacity == 1 << 30
        let tries = isTaken ? TransferMachine.tries : 3 * TransferMachine.tries
        guard let file = promised[photo], asked > tries * file.byteCount else { return }
        throw Violation("\(asked) bytes of \(photo) were put on the wire, which has \(file.byteCount)")
    }

    /// Notes that somebody deletes, puts back or empties.
    mutating func orders(_ order: TrashOrder, _ number: Int) {
        trashOrders[number] = order
        for id in order.captures { lastTrashOrder[id, default: (0, [])].open.insert(number) }
    }

    /// Notes that whoever wanted that was told that it is done.
    mutating func ordered(_ number: Int) {
        for id in trashOrders[number]?.captures ?? [] {
            lastTrashOrder[id]?.told = number
            lastTrashOrder[id]?.open.remove(number)
        }
    }

    /// Notes that whoever wanted that was told that it cannot be.
    mutating func refusedTrash(_ number: Int) {
        for id in trashOrders[number]?.captures ?? [] { lastTrashOrder[id]?.open.remove(number) }
    }

    private func wasEver(_ act: (TrashOrder.Act) -> Bool, _ id: UniqueID) -> Bool {
        trashOrders.values.contains { act($0.act) && $0.captures.contains(id) }
    }

    /// Notes that somebody sets the cameras of nodes.
    mutating func setsCameras(_ request: Int, of nodes: [NodeName]) { settings[request] = nodes }

    /// Checks what somebody was told who set cameras.
    mutating func camerasAnswered(_ request: Int, _ reply: CameraReply) throws {
        guard let nodes = settings.removeValue(forKey: request) else {
            throw Violation("setting \(request) is answered twice")
        }
        guard reply.nodes.map(\.node).sorted() == nodes.sorted() else {
            throw Violation("setting \(request) is answered for \(reply.nodes.map(\.node)), not \(nodes)")
        }
    }

    mutating func camerasRefused(_ request: Int) { settings[request] = nil }

    /// Checks that a camera is not set which a capture counts on.
    func cameraOrdered(_ node: NodeName, isBusy: Bool) throws {
        guard !isBusy else { throw Violation("the camera of \(node) is set in the middle of a capture") }
    }

    var areCamerasAnswered: Bool { settings.isEmpty }

    /// Notes that an operator was told that a capture is cancelled.
    mutating func cancelled(_ id: UniqueID) { cancellations.insert(id) }

    /// Notes that the catalogue is an old copy: nodes report again what they were told is stored.
    mutating func catalogueRestored() {
        (acknowledgedNow, lastNote, lastTrashOrder) = ([:], [:], [:])
        (news, lastNews, lastPublished) = ([], 0, 0)
    }

    /// Checks a piece of news that watchers hear.
    mutating func published(_ number: Int64) throws {
        guard news.contains(number) else { throw Violation("news \(number) is published but not catalogued") }
        guard number > lastPublished else { throw Violation("news \(number) is published after \(lastPublished)") }
        lastPublished = number
    }

    /// Notes that the coordinator died: after a restart it goes on with what it had fired.
    mutating func coordinatorDied() {
        (cancellations, refusedSince, settings) = ([], [:], [:])
        waiting = [:]
    }

    mutating func journalled(_ event: CaptureEvent, _ node: NodeName) {
        lastJournalled[Part(id: event.uniqueID, node: node)] = event.sequence
        guard let photo = event.photo, let file = photo.file else { return }
        promised[PhotoID(uniqueID: event.uniqueID, node: node, photoCount: photo.photoCount)] = file
        photoCounts[Part(id: event.uniqueID, node: node), default: [:]][event.sequence] = photo.photoCount
    }

    /// Notes what was committed to the catalogue, for good.
    mutating func committed(_ changes: [CatalogueChange]) throws {
        for change in changes {
            switch change {
            case .event(let node, let event): try note(event, node, changes)
            case .news(let new):
                guard new.number > lastNews else { throw Violation("news \(new.number) comes after \(lastNews)") }
                lastNews = new.number
                news.insert(lastNews)
            case .annotated(let id, let annotation, _): try check(annotation, of: id)
            case .capture(let new): requests[new.uniqueID] = Int(new.requestID.split(separator: "-").last ?? "")
            case .anchored, .slept, .node, .captureWithdrawn, .captureCancelled, .captureState, .captureNodeState,
                .captureSync, .captureNodeSync, .captureNodeCamera, .photoStored, .photoFailed, .photoLost,
                .photoAnnotated, .captureDeleted, .photoDeleted, .captureRecovered, .trashEmptied:
                break
            }
        }
    }

    private mutating func note(_ event: CaptureEvent, _ node: NodeName, _ changes: [CatalogueChange]) throws {
        let part = Part(id: event.uniqueID, node: node)
        let known = events[part] ?? []
        if let before = known.first(where: { $0.sequence == event.sequence }) {
            guard before == event else { throw Violation("event \(event.sequence) of \(part) has two versions") }
            return
        }
        let isAfterRefused = refused[part] != nil && event.sequence == known.count + 2
        guard event.sequence == known.count + 1 || isAfterRefused else {
            throw Violation("a gap before \(event.sequence) of \(part)")
        }
        events[part] = known + [event]
        let isNews = changes.contains {
            if case .news(let news) = $0 { news.content == .event(node: node, event) } else { false }
        }
        guard isNews else { throw Violation("event \(event.sequence) of \(part) is not news") }
    }

    /// Notes that the coordinator told a node that an event is stored.
    mutating func acknowledged(_ sequence: Int, of id: UniqueID, _ node: NodeName) {
        acknowledgements[Part(id: id, node: node), default: []].insert(sequence)
        acknowledgedNow[Part(id: id, node: node), default: []].insert(sequence)
    }

    /// Checks that an acknowledged event's photo is there for good, and with the last event, that everything is in the
    /// capture's archive.
    func checkAcknowledged(
        _ sequence: Int, of id: UniqueID, _ node: NodeName, _ catalogue: Catalogue, _ disk: SimulatedFileSystem
    ) async throws {
        let part = Part(id: id, node: node)
        // A re-imaged node hears about events from before.
        guard !emptied.contains(part) else { return }
        if let told = events[part], told.last?.kind == .didFinishCapture, told.count == acknowledgedNow[part]?.count {
            try await checkArchive(part, told.count, catalogue, disk)
        }
        guard let photoCount = photoCounts[part]?[sequence] else { return }
        let key = PhotoID(uniqueID: id, node: node, photoCount: photoCount)
        guard let file = promised[key] else { throw Violation("\(key) was acknowledged before it was there") }
        guard let path = try await path(of: key, catalogue) else {
            if try await isGiven(key, catalogue) { return }
            throw Violation("\(key) was acknowledged, but is not in the catalogue")
        }
        // On its way into the trash or back it has either name.
        let places = [path, path.replacing("photos/", with: "trash/"), path.replacing("trash/", with: "photos/")]
        guard let bytes = places.compactMap({ disk.durableBytes(of: "/library/" + $0) }).first else {
            throw Violation("\(key) was acknowledged, but is not on disk")
        }
        guard Digest.of(bytes) == file.sha256 else { throw Violation("\(key) was acknowledged, but differs") }
    }

    /// A node forgets what is acknowledged to the end: from then on the archive must make up for a lost catalogue.
    private func checkArchive(
        _ part: Part, _ eventCount: Int, _ catalogue: Catalogue, _ disk: SimulatedFileSystem
    ) async throws {
        guard let capture = try await catalogue.capture(part.id) else { throw Violation("\(part) is unknown") }
        let folder = LibraryPath.folder(of: part.id, createdAt: capture.summary.createdAt)
        let archive = disk.durableBytes(of: "/library/\(folder)/\(LibraryFolder.archiveName)") ?? []
        let archived = Catalogue.progress(of: Data(archive))?.eventCount ?? 0
        guard archived >= eventCount else {
            throw Violation("\(part) was acknowledged to its end, but its archive has \(archived) events")
        }
    }

    /// Checks that a photo which a node removes was acknowledged.
    func reclaimed(_ id: UniqueID, _ node: NodeName, _ photoCount: Int) throws {
        let part = Part(id: id, node: node)
        let isTold = acknowledgements[part]?.contains { photoCounts[part]?[$0] == photoCount } ?? false
        guard isTold else { throw Violation("photo \(photoCount) of \(part) was removed, but never acknowledged") }
    }

    /// Where the catalogue says a photo is; nil as long as it does not say.
    func path(of key: PhotoID, _ catalogue: Catalogue) async throws -> String? {
        let photo = try await photo(key, catalogue)
        return photo?.path ?? photo?.trashPath
    }

    private func photo(_ key: PhotoID, _ catalogue: Catalogue) async throws -> StoredPhoto? {
        try await catalogue.capture(key.uniqueID)?.photos
            .first { $0.node == key.node && $0.record.photoCount == key.photoCount }
    }

    /// Whether a photo is not there because somebody wanted that: it left the trash, or its capture was deleted before it
    /// came.
    func isGiven(_ key: PhotoID, _ catalogue: Catalogue) async throws -> Bool {
        guard let photo = try await photo(key, catalogue) else { return false }
        let isEmptied = wasEver({ if case .empty = $0 { true } else { false } }, key.uniqueID)
        let isDeleted = wasEver({ $0 == .delete }, key.uniqueID)
        return photo.deletedAt != nil && photo.trashPath == nil && isEmptied
            || photo.record.error?.code == .captureDeleted && isDeleted
    }

    /// Notes that a node lost everything: what was not acknowledged is gone.
    ///
    /// - Parameter known: what the catalogue has of the node.
    mutating func reimaged(_ node: NodeName, _ known: (stored: Set<PhotoID>, eventCounts: [UniqueID: Int])) {
        emptied.formUnion(firings.filter { $0.node == node })
        forget(node, known)
    }

    /// Forgets what both a node and the catalogue have lost: nobody has it any more.
    ///
    /// - Parameter known: what the present catalogue has of the node.
    mutating func forget(_ node: NodeName, _ known: (stored: Set<PhotoID>, eventCounts: [UniqueID: Int])) {
        let parts = emptied.filter { $0.node == node }
        promised = promised.filter { key, _ in
            !parts.contains(Part(id: key.uniqueID, node: key.node)) || known.stored.contains(key)
        }
        for part in parts {
            let told = events[part] ?? []
            if known.eventCounts[part.id] ?? 0 < told.count { erased.insert(part) }
            if told.last?.kind != .didFinishCapture || erased.contains(part) { forgotten.insert(part) }
        }
    }

    /// The promised photos of a node that the catalogue has, and how many of its events it has in each capture.
    func known(
        of node: NodeName, _ catalogue: Catalogue
    ) async throws -> (stored: Set<PhotoID>, eventCounts: [UniqueID: Int]) {
        var stored: Set<PhotoID> = []
        var eventCounts: [UniqueID: Int] = [:]
        for part in firings where part.node == node {
            eventCounts[part.id] = try await catalogue.capture(part.id)?.events.count { $0.node == node }
        }
        for key in promised.keys where key.node == node {
            let isKnown = try await path(of: key, catalogue) != nil
            if isKnown { stored.insert(key) } else if try await isGiven(key, catalogue) { stored.insert(key) }
        }
        return (stored, eventCounts)
    }
}
