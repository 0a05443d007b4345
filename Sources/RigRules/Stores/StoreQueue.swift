package import CaptureModel
import DequeModule
import RigProtocol

/// What the catalogue and the library do next, and what follows when they have done it; pure.
///
/// The catalogue commits in groups: what waits when a commit begins shares its fsync, so that the slower the disk, the
/// larger the groups, up to thousands.
///
/// ```
/// waiting --all that wait--> together --committed--> said, one after the other; a new capture is made known
///                               | refused            beside its photos first, see Work.accept
///                               v
///                            alone --committed--> said
///                               |  --never to be taken--> the machines hear that, and go on without it
///                               v  a full disk, for example
///                            tried again after a second, what empties the trash before it
/// ```
///
/// Archives are written one at a time, each as the capture is by then, and one that fails holds up no other. The
/// library takes one piece of work at a time, in order; photos become durable beside that, several at a time. What its disk
/// does not take is not fetched again at once, as it would cross the wire for nothing: the library rests, for longer each time.
package struct StoreQueue: Sendable {
    /// What is to be done outside; each ends in the input that it names.
    package enum Work: Sendable {
        /// ``CoordinatorMachine/Input/committed(_:)``
        case commit([CatalogueChange])
        /// Record beside its photos that a capture began, in case the catalogue is lost:
        /// ``CoordinatorMachine/Input/accepted(_:)``
        case accept(UniqueID)
        /// Keep everything about a capture beside its photos: ``CoordinatorMachine/Input/archived(_:)``
        case archive(UniqueID)
        /// ``CoordinatorMachine/Input/wrote(_:)``, like the next ones.
        case append([UInt8], PhotoID, offset: Int)
        /// Find out whether the library has a photo already, for example after its catalogue was restored from a
        /// backup.
        case locate(PhotoPull)
        /// Compare the whole of a photo with what its node hashed.
        case complete(PhotoPull)
        case discard(PhotoID)
        /// Give a photo its name, durably: ``CoordinatorMachine/Input/published(_:path:_:)``
        case publish(PhotoID, path: String)
    }

    /// What became of the library's work.
    package enum Written: Sendable {
        case appended
        case located(Bool)
        case completed
        case discarded
        case failed(StoreFailure)
    }

    /// What follows from it.
    enum Output {
        case work(Work)
        case effects([RigEffect])
        /// Something is wrong with a disk, which a person has to know.
        case alarm(String)
        case input(RigInput)
        case enqueue(PhotoPull)
        case written(PhotoID, byteCount: Int)
        case finished(PhotoID, TransferMachine.Ending)
    }

    struct Commit {
        var changes: [CatalogueChange]
        var then: [RigEffect] = []
        /// The capture that these changes create.
        var accepting: UniqueID?
        /// What somebody wants done: it is withdrawn where it cannot be written.
        var act: Act?

        /// Whether it is given up where it cannot be written, rather than tried again.
        var isWish: Bool { accepting != nil || act != nil }

        /// Whether it empties the trash, after which a full disk takes the others.
        var makesRoom: Bool {
            !changes.isEmpty && changes.allSatisfy { if case .trashEmptied = $0 { true } else { false } }
        }

        /// Whether it is given up with others that the disk does not take.
        var isGivenUpWithOthers: Bool { isWish && !makesRoom }

        /// What is said of it then.
        func failed(_ reason: String) -> Output? {
            if let accepting { return .input(.acceptFailed(accepting, reason: reason)) }
            return act.map { .input(.actFailed(changes, caller: $0.caller, reason: reason)) }
        }
    }

    struct Act {
        /// Who wants it; nil where the coordinator does by itself.
        let caller: Caller?
        let since: RigTime
    }

    private enum Committing {
        case idle
        case together(Deque<Commit>)
        /// The first by itself; the others were refused together with it, and come after it.
        case alone(Deque<Commit>)
        /// A capture that was committed; then what was committed with it, and what is still to be tried alone.
        case accepting(UniqueID, Deque<Commit>, alone: Deque<Commit>)
        case resting(until: RigTime, Deque<Commit>)
    }

    private struct Archive {
        private(set) var then: [RigEffect] = []
        private var known: Set<RigEffect> = []
        var notBefore: RigTime
        /// Whether its disk did not take it last time.
        var wasRefused = false

        /// Its place among others: nodes wait for some, and none waits for ever.
        var rank: RigTime { then.isEmpty ? notBefore + .seconds(2) : notBefore }

        init(notBefore: RigTime) { self.notBefore = notBefore }

        mutating func add(_ effects: [RigEffect]) {
            for effect in effects where known.insert(effect).inserted { then.append(effect) }
        }
    }

    /// The most that is committed together: what waits behind it is said in one turn, which takes a thousand nodes some
    /// 20 ms. A disk that takes a tenth of a second for each group keeps up with what such a rig says again.
    static let mostTogether = 4000
    /// How long until what a full disk refused is tried again, in nanoseconds.
    private static let pause = Int64.seconds(1)
    /// How long what somebody wants done waits behind a disk that does not answer: he is to hear of it within ten seconds.
    private static let longestWish = Int64.seconds(8)
    /// A capture is archived again after this many times what it took last, but no later than after ``pause``: its nodes
    /// wait for that.
    private static let archivePauses: Int64 = 4

    private var commits: Deque<Commit> = []
    private var committing = Committing.idle
    private var archives: [UniqueID: Archive] = [:]
    /// How long the library rests after its disk did not take a photo, the first time and at most, in nanoseconds: nodes say
    /// again every few seconds what they have.
    private static let libraryRests = Int64.seconds(1)...Int64.seconds(10)

    /// Until when captures that were archived lately wait for their next turn.
    private var rests: [UniqueID: RigTime] = [:]
    private var archiving: (UniqueID, then: [RigEffect], since: RigTime)?
    private var jobs: Deque<Work> = []
    private var writing: Work?
    /// Until when no other photo is begun, and how long that rest is; nil since the library took one.
    private var libraryRest: (until: RigTime, length: Int64)?
    /// Photos that are to be fetched after it.
    private var held: [PhotoPull] = []
    /// Photos that are being made durable.
    private var publishing: Set<PhotoID> = []
    /// What a disk does not take now is given up: it was not acknowledged.
    private var isEnding = false

    /// Whether nothing is under way, and nothing waits that will be done.
    var isIdle: Bool {
        !isCommitting && archives.isEmpty && archiving == nil && writing == nil && publishing.isEmpty
    }

    /// What waits for its turn, by where to.
    var waitingCounts: [String: Int] {
        ["catalogue": commits.count, "archives": archives.count, "library": jobs.count]
    }

    /// Why the catalogue did not take what is tried again; nil while it takes what it is given.
    private(set) var failure: StoreFailure?

    /// Whether changes wait for the catalogue.
    var isCommitting: Bool { if case .idle = committing { false } else { true } }

    /// The service ends: what can be written still is.
    mutating func end(_ now: RigTime) -> [Output] {
        isEnding = true
        if case .resting = committing { giveUp() }
        archives = archives.filter { !$0.value.wasRefused }
        return nextArchive(now)
    }

    mutating func tick(_ now: RigTime) -> [Output] {
        let released = endRest(now)
        if !released.isEmpty { return released + tick(now) }
        rests = rests.filter { $0.value > now }
        let overdue = withdrawOverdue(now)
        if !overdue.isEmpty { return overdue + tick(now) }
        if case .resting(let time, let jobs) = committing, now >= time { return tryAlone(jobs) + nextArchive(now) }
        return nextArchive(now)
    }

    // MARK: The catalogue, in groups

    mutating func commit(_ job: Commit) -> [Output] {
        commits.append(job)
        return beginCommit()
    }

    /// What people want and that waits behind what the catalogue does not take is given up, so that whoever asked hears
    /// of it in time.
    private mutating func refuseWaiting(
        _ jobs: Deque<Commit>, _ failure: StoreFailure
    ) -> (left: Deque<Commit>, [Output]) {
        let refused = (jobs + commits).filter(\.isGivenUpWithOthers).compactMap { $0.failed(failure.words) }
        commits.removeAll(where: \.isGivenUpWithOthers)
        return (jobs.filter { !$0.isGivenUpWithOthers }, refused)
    }

    /// What empties the trash of all that waits: it concerns nothing that is still to be written, and may come before it.
    private mutating func takeWhatMakesRoom(_ jobs: inout Deque<Commit>) -> Deque<Commit> {
        let taken = (jobs + commits).filter(\.makesRoom)
        jobs.removeAll(where: \.makesRoom)
        commits.removeAll(where: \.makesRoom)
        return taken
    }

    /// Acts that the catalogue has not been given yet, as it is busy with something that takes too long.
    private mutating func withdrawOverdue(_ now: RigTime) -> [Output] {
        func isOverdue(_ job: Commit) -> Bool { job.act.map { now - $0.since > Self.longestWish } ?? false }
        guard commits.contains(where: isOverdue) else { return [] }
        let overdue = commits.filter(isOverdue)
        commits.removeAll(where: isOverdue)
        return overdue.compactMap { $0.failed(failure?.words ?? "the catalogue's disk does not answer") }
    }

    private mutating func beginCommit() -> [Output] {
        guard case .idle = committing, !commits.isEmpty else { return [] }
        let jobs = Deque(commits.prefix(Self.mostTogether))
        commits.removeFirst(jobs.count)
        committing = .together(jobs)
        return [.work(.commit(jobs.flatMap(\.changes)))]
    }

    private mutating func tryAlone(_ jobs: Deque<Commit>) -> [Output] {
        guard let job = jobs.first else {
            committing = .idle
            return beginCommit()
        }
        committing = .alone(jobs)
        return [.work(.commit(job.changes))]
    }

    /// The commit is done, or was refused.
    mutating func committed(_ failure: StoreFailure?, _ now: RigTime) -> [Output] {
        if failure == nil || failure?.cause == .schema { self.failure = nil }
        switch committing {
        case .idle, .accepting, .resting: preconditionFailure("nothing is being committed")
        case .together(let jobs): return failure == nil ? said(jobs, alone: []) : tryAlone(jobs)
        case .alone(var jobs):
            let job = jobs.removeFirst()
            guard let failure else { return said([job], alone: jobs) }
            return [.alarm("the catalogue cannot be written: \(failure.words)")]
                + refused(job, failure, jobs, now)
        }
    }

    /// A capture that cannot be accepted is refused; anything else is true already, and is tried until it is written.
    private mutating func refused(
        _ job: Commit, _ failure: StoreFailure, _ rest: Deque<Commit>, _ now: RigTime
    ) -> [Output] {
        if let told = job.failed(failure.words) {
            guard failure.cause != .schema else { return [told] + tryAlone(rest) }
            // Each would be tried for as long, and whoever asked for the last one would hear nothing in time.
            let (left, outputs) = refuseWaiting(rest, failure)
            return [told] + outputs + tryAlone(left)
        }
        if failure.cause == .schema { return [.input(.commitRefused(job.changes))] + tryAlone(rest) }
        if isEnding {
            giveUp()
        } else {
            var failure = failure
            failure.times = (self.failure?.times ?? 0) + 1
            self.failure = failure
            var (left, outputs) = refuseWaiting(rest, failure)
            let relief = takeWhatMakesRoom(&left)
            guard relief.isEmpty else { return outputs + tryAlone(relief + [job] + left) }
            committing = .resting(until: now + Self.pause, [job] + left)
            return outputs
        }
        return []
    }

    /// Gives up all commits: what comes after this one would lie beyond a gap.
    private mutating func giveUp() { (committing, commits) = (.idle, []) }

    /// Says what was committed, in order.
    private mutating func said(_ jobs: Deque<Commit>, alone: Deque<Commit>) -> [Output] {
        var (outputs, jobs): ([Output], Deque<Commit>) = ([], jobs)
        while let job = jobs.popFirst() {
            outputs.append(.effects(job.then))
            // No node does anything for a capture that a lost catalogue would not know again.
            if let id = job.accepting {
                committing = .accepting(id, jobs, alone: alone)
                return outputs + [.work(.accept(id))]
            }
        }
        return outputs + tryAlone(alone)
    }

    /// A new capture is known beside its photos, or cannot be made so.
    mutating func accepted(_ failure: StoreFailure?) -> [Output] {
        guard case .accepting(let id, let jobs, let alone) = committing else {
            preconditionFailure("no capture is being accepted")
        }
        let input = failure.map { RigInput.acceptFailed(id, reason: $0.words) } ?? .accepted(id)
        return [.input(input)] + said(jobs, alone: alone)
    }

    // MARK: Archives beside the photos

    mutating func archive(_ id: UniqueID, then effects: [RigEffect], _ now: RigTime) -> [Output] {
        archives[id, default: Archive(notBefore: rests[id] ?? now)].add(effects)
        return nextArchive(now)
    }

    private mutating func nextArchive(_ now: RigTime) -> [Output] {
        guard archiving == nil,
            let (id, archive) = archives.filter({ isEnding || $0.value.notBefore <= now }).min(by: {
                ($0.value.rank, $0.key) < ($1.value.rank, $1.key)
            })
        else { return [] }
        archives[id] = nil
        archiving = (id, archive.then, now)
        return [.work(.archive(id))]
    }

    mutating func archived(_ failure: StoreFailure?, _ now: RigTime) -> [Output] {
        guard let (id, effects, since) = archiving else { preconditionFailure("nothing is being archived") }
        archiving = nil
        guard let failure else {
            // Nodes finish one after another, and each archive writes the whole capture: wait, and write it for several.
            let rest = now + min(Self.archivePauses * (now - since), Self.pause)
            rests[id] = rest
            archives[id]?.notBefore = rest
            return [.effects(effects)] + nextArchive(now)
        }
        // The catalogue has it, and the nodes keep theirs: it is tried until there is room again.
        if !isEnding {
            var again = Archive(notBefore: now + Self.pause)
            again.wasRefused = true
            again.add(effects + (archives[id]?.then ?? []))
            archives[id] = again
        }
        return [.alarm("capture \(id) cannot be archived beside its photos: \(failure.words)")] + nextArchive(now)
    }

    // MARK: The library, in order

    mutating func write(_ job: Work) -> [Output] {
        jobs.append(job)
        return writing == nil ? nextJob() : []
    }

    private mutating func nextJob() -> [Output] {
        writing = nil
        while let job = jobs.popFirst() {
            // It arrives by itself, or the node sends its event again.
            if case .locate(let pull) = job, publishing.contains(pull.key) { continue }
            writing = job
            return [.work(job)]
        }
        return []
    }

    /// The library has done what it was given last.
    mutating func wrote(_ written: Written, _ now: RigTime) -> [Output] {
        guard let job = writing else { preconditionFailure("nothing is being written") }
        return became(of: job, written, now) + nextJob()
    }

    private mutating func became(of job: Work, _ written: Written, _ now: RigTime) -> [Output] {
        switch (job, written) {
        case (.append(let bytes, let key, _), .appended): return [.written(key, byteCount: bytes.count)]
        case (.locate(let pull), .located(true)): return [.input(.photoArrived(pull.key, path: pull.path))]
        case (.locate(let pull), .located(false)):
            guard let rest = libraryRest, now < rest.until else { return [.enqueue(pull)] }
            if !held.contains(where: { $0.key == pull.key }) { held.append(pull) }
            return []
        case (.complete(let pull), .completed):
            publishing.insert(pull.key)
            return [.work(.publish(pull.key, path: pull.path))]
        case (.discard, .discarded): return []
        case (.append(_, let key, _), .failed(let failure)): return failed(key, failure, now)
        case (.complete(let pull), .failed(let failure)): return failed(pull.key, failure, now)
        default: preconditionFailure("\(written) is no end of \(job)")
        }
    }

    /// A photo is durable, or cannot be made so.
    mutating func published(_ key: PhotoID, path: String, _ failure: StoreFailure?, _ now: RigTime) -> [Output] {
        publishing.remove(key)
        if let failure { return failed(key, failure, now) }
        libraryRest = nil
        return [.input(.photoArrived(key, path: path)), .finished(key, .stored)]
    }

    private mutating func failed(_ key: PhotoID, _ failure: StoreFailure, _ now: RigTime) -> [Output] {
        // The other pieces that have come with this try would fail after it.
        jobs.removeAll { $0.isPiece(of: key) }
        let error = CaptureError(
            .transferFailed, "The photo could not be stored yet; its node keeps it: \(failure.words)")
        guard failure.cause == .closedDisk else { return [.alarm(failure.words), .finished(key, .unfit(error))] }
        // Those that were under way fail together, and are one trial.
        if libraryRest.map({ now >= $0.until }) ?? true {
            let rests = Self.libraryRests
            let length = max(rests.lowerBound, min(2 * (libraryRest?.length ?? 0), rests.upperBound))
            libraryRest = (now + length, length)
        }
        return [.alarm(failure.words), .finished(key, .notTaken(error))]
    }

    /// Lets go what was held while the library rested.
    private mutating func endRest(_ now: RigTime) -> [Output] {
        guard !held.isEmpty, libraryRest.map({ now >= $0.until }) ?? true else { return [] }
        defer { held = [] }
        return held.map(Output.enqueue)
    }
}

extension StoreQueue.Work {
    fileprivate func isPiece(of key: PhotoID) -> Bool {
        switch self {
        case .append(_, let other, _): other == key
        case .complete(let pull): pull.key == key
        case .locate, .discard, .publish, .commit, .accept, .archive: false
        }
    }
}
