import CaptureModel
import Catalogue
import Foundation
import RigProtocol
import RigSimulation
import Testing

@testable import RigRules

@Suite("A simulated rig")
struct SimulationTests {
    /// Runs seeds, some at a time.
    private func run(
        _ seeds: Range<UInt64>, _ sabotage: RigSimulation.Sabotage = RigSimulation.Sabotage()
    ) async throws -> [RigSimulation.Report] {
        try await withThrowingTaskGroup(of: RigSimulation.Report.self) { group in
            var next = seeds.lowerBound
            var reports: [RigSimulation.Report] = []
            for _ in 0..<min(seeds.count, 2 * ProcessInfo.processInfo.activeProcessorCount) {
                let seed = next
                next += 1
                group.addTask {
                    try await RigSimulation(Scenario(seed: seed), sabotage: sabotage, isTraced: seeds.count == 1).run()
                }
            }
            while let report = try await group.next() {
                reports.append(report)
                guard next < seeds.upperBound else { continue }
                let seed = next
                next += 1
                group.addTask {
                    try await RigSimulation(Scenario(seed: seed), sabotage: sabotage, isTraced: seeds.count == 1).run()
                }
            }
            return reports
        }
    }

    /// As many as a build has the patience for. VOLLEY_SEED=N runs one of them and tells its steps; VOLLEY_SEEDS=N runs N,
    /// from VOLLEY_FIRST_SEED on.
    @Test("keeps its promises, whatever happens to it")
    func seeds() async throws {
        let environment = ProcessInfo.processInfo.environment
        let single = environment["VOLLEY_SEED"].flatMap(UInt64.init)
        let count = environment["VOLLEY_SEEDS"].flatMap(UInt64.init) ?? 600
        let first = environment["VOLLEY_FIRST_SEED"].flatMap(UInt64.init) ?? 1
        let reports = try await run(single.map { $0..<$0 + 1 } ?? first..<first + count)
        for report in reports.sorted(by: { $0.seed < $1.seed }) {
            guard let violation = report.violation else { continue }
            let trace = single == nil ? "" : "\n" + report.trace.joined(separator: "\n")
            Issue.record("VOLLEY_SEED=\(report.seed): \(violation)\(trace)")
        }
        let photos = reports.reduce(0) { $0 + $1.storedPhotoCount }
        let captures = reports.reduce(0) { $0 + $1.captureCount }
        print("\(reports.count) rigs, \(captures) captures, \(photos) photos")
        #expect(single != nil || photos > reports.count, "it did something")
    }

    /// Each broke a promise once; a new one is added with what mends it. A seed means the same for as long as the same
    /// dice are thrown: what it once found has a test of its own as well.
    @Test(
        "keeps its promises where it once did not",
        arguments: [
            5, 34, 81, 98, 266, 392, 523, 584, 645, 789, 1054, 1224, 1300, 1567, 1796, 1980, 2384, 2402, 3320, 3627,
            3877,
            4695, 4885, 5722, 8983,
        ] as [UInt64])
    func corpus(seed: UInt64) async throws {
        let report = try #require(try await run(seed..<seed + 1).first)
        #expect(report.violation == nil)
    }

    // MARK: That it finds what is wrong

    /// The first seed that finds a bug that was put in on purpose.
    ///
    /// - Parameter step: the number of seeds at a time.
    private func find(_ sabotage: RigSimulation.Sabotage, step: UInt64 = 20) async throws -> RigSimulation.Report? {
        var first: UInt64 = 1
        while first <= 500 {
            let reports = try await run(first..<first + step, sabotage)
            if let found = reports.first(where: { $0.violation != nil }) { return found }
            first += step
        }
        return nil
    }

    /// Some effects do not wait for the commit that they are to stand behind.
    private func hasty(_ isHasty: @escaping @Sendable (RigEffect) -> Bool) -> RigSimulation.Sabotage {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.effects = { effects in
            effects.flatMap { effect -> [RigEffect] in
                guard case .commit(let changes, let then) = effect else { return [effect] }
                return then.filter(isHasty) + [.commit(changes, then: then.filter { !isHasty($0) })]
            }
        }
        return sabotage
    }

    @Test("finds an acknowledgement that does not wait for the commit")
    func earlyAcknowledgement() async throws {
        let found = try #require(try await find(hasty { if case .send = $0 { true } else { false } }))
        #expect(found.violation?.contains("was acknowledged, but is not in the catalogue") == true, "\(found)")
    }

    @Test("finds news that do not wait for the commit, and an event that is none")
    func earlyNews() async throws {
        let early = hasty { if case .publish = $0 { true } else { false } }
        #expect(try await find(early)?.violation?.contains("is published but not catalogued") == true)
        var silent = RigSimulation.Sabotage()
        silent.coordinator.effects = { effects in
            effects.map { effect in
                guard case .commit(let changes, let then) = effect else { return effect }
                return .commit(
                    changes.filter { if case .news = $0 { false } else { true } },
                    then: then.filter { if case .publish = $0 { false } else { true } })
            }
        }
        #expect(try await find(silent)?.violation?.contains("is not news") == true)
    }

    /// Changes of a kind never come to the catalogue.
    private func forgetful(_ isForgotten: @escaping @Sendable (CatalogueChange) -> Bool) -> RigSimulation.Sabotage {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.effects = { effects in
            effects.map { effect in
                guard case .commit(let changes, let then) = effect else { return effect }
                return .commit(changes.filter { !isForgotten($0) }, then: then)
            }
        }
        return sabotage
    }

    @Test("finds times that the sleep of a coordinator moves")
    func sleepMovesTimes() async throws {
        let found = try #require(try await find(forgetful { if case .slept = $0 { true } else { false } }))
        #expect(found.violation?.contains("and the catalogue says") == true, "\(found)")
    }

    @Test("finds times that go by a clock as it was before it was set")
    func clockIsNotReadAgain() async throws {
        let found = try #require(try await find(forgetful { if case .anchored = $0 { true } else { false } }))
        #expect(found.violation?.contains("and the catalogue says") == true, "\(found)")
    }

    @Test("finds pieces that are asked for again while they are on their way")
    func impatience() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.transfers = { effects in
            effects.flatMap { if case .request = $0 { [$0, $0, $0, $0] } else { [$0] } }
        }
        #expect(try await find(sabotage)?.violation?.contains("on the wire") == true)
    }

    @Test("finds an act that waits for a disk which is away, and is not withdrawn")
    func waitingAct() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.effects = { effects in
            effects.map { effect in
                guard case .act(let changes, _, let then) = effect else { return effect }
                return .commit(changes, then: then)
            }
        }
        #expect(try await find(sabotage)?.violation?.contains("nobody was told that it cannot be") == true)
    }

    @Test("finds an act that is carried out after it was told as failed")
    func carriedOutLate() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.stores = { outputs in
            outputs.flatMap { output -> [StoreQueue.Output] in
                guard case .input(.actFailed(let changes, _, _)) = output else { return [output] }
                return [output, .effects([.commit(changes, then: [])])]
            }
        }
        #expect(try await find(sabotage)?.violation?.contains("was told as failed, and is carried out") == true)
    }

    @Test("finds an event that is taken twice")
    func noRedeliveryCheck() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.before = { machine, input in
            guard case .fromNode(_, let user, .event(let report)) = input,
                let part = machine.captures[report.event.uniqueID]?.parts[user],
                report.event.sequence <= part.receivedThrough
            else { return }
            machine.captures[report.event.uniqueID]?.parts[user]?.receivedThrough = report.event.sequence - 1
        }
        #expect(try await find(sabotage) != nil)
    }

    @Test("finds a number that is given to two events")
    func sequenceReused() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.node.before = { machine, input in
            guard case .captured(let event) = input, event.photo?.photoCount == 2 else { return }
            machine.sequences[event.uniqueID, default: 1] -= 1
        }
        #expect(try await find(sabotage) != nil)
    }

    @Test("finds a photo that is freed before it is stored")
    func earlyReclaim() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.node.effects = { effects in
            effects.flatMap { effect -> [NodeMachine.Effect] in
                guard case .journal(let event) = effect, let photo = event.photo, photo.file != nil else {
                    return [effect]
                }
                return [effect, .reclaimPhoto(event.uniqueID, photoCount: photo.photoCount)]
            }
        }
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("was removed, but never acknowledged") == true)
    }

    @Test("finds an event that is dropped on its node")
    func droppedEvent() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.node.effects = { effects in
            effects.filter { if case .journal(let event) = $0 { event.kind != .didCapturePhoto } else { true } }
        }
        #expect(try await find(sabotage) != nil)
    }

    @Test("finds an acknowledgement that does not wait for the archive")
    func earlyArchive() async throws {
        @Sendable func hastened(_ effects: [RigEffect]) -> [RigEffect] {
            effects.flatMap { effect -> [RigEffect] in
                switch effect {
                case .archive(let id, let then): then + [.archive(id, then: [])]
                case .commit(let changes, let then): [.commit(changes, then: hastened(then))]
                default: [effect]
                }
            }
        }
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.effects = hastened
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("its archive has") == true)
    }

    @Test("finds a change of the catalogue that is dropped")
    func droppedChange() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.effects = { effects in
            effects.map { effect -> RigEffect in
                guard case .commit(let changes, let then) = effect else { return effect }
                let kept = changes.filter { change in
                    guard case .event(_, let event) = change else { return true }
                    return event.sequence != 3
                }
                return .commit(kept, then: then)
            }
        }
        #expect(try await find(sabotage) != nil)
    }

    @Test("finds a deletion that is only in the catalogue")
    func deletionNotFollowed() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.effects = { effects in
            effects.map { effect in
                guard case .act(let changes, let caller, let then) = effect,
                    changes.contains(where: { if case .captureDeleted = $0 { true } else { false } })
                else { return effect }
                return .act(changes, of: caller, then: then.filter { if case .archive = $0 { false } else { true } })
            }
        }
        let found = try #require(try await find(sabotage))
        #expect(
            found.violation?.contains("is behind in the end") == true
                || found.violation?.contains("not where it belongs") == true, "\(found)")
    }

    @Test("finds a capture that a node fires twice")
    func firedTwice() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.node.effects = { effects in
            effects.flatMap { effect -> [NodeMachine.Effect] in
                if case .fire = effect { return [effect, effect] }
                return [effect]
            }
        }
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("twice") == true)
    }

    @Test("finds a camera that is given a second capture in the middle of one")
    func twoCaptures() async throws {
        var sabotage = RigSimulation.Sabotage()
        // Coordinator and node would each prevent it.
        sabotage.coordinator.before = { machine, input in
            guard case .fireRequested = input else { return }
            for (id, record) in machine.captures {
                for name in record.parts.keys { machine.captures[id]?.parts[name]?.hasEnded = true }
            }
        }
        sabotage.node.before = { machine, input in
            if case .received(.prepare) = input { machine.capture = .idle }
        }
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("in the middle of another capture") == true, "\(found)")
    }

    @Test("finds an operator who set cameras and is not answered")
    func unanswered() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.effects = { effects in
            effects.filter { if case .reply(.cameras, _) = $0 { false } else { true } }
        }
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("not everything finished") == true, "\(found)")
    }

    @Test("finds a camera that is set in the middle of a capture")
    func setInTheMiddle() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.node.before = { machine, input in
            if case .received(.camera) = input { machine.capture = .idle }
        }
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("is set in the middle of a capture") == true, "\(found)")
    }

    @Test("finds a start that is told better than it is known")
    func overconfidence() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.node.effects = { effects in
            effects.map { effect in
                guard case .journal(var event) = effect, let known = event.photo?.exposureStartUncertaintyNanoseconds
                else { return effect }
                event.photo?.exposureStartUncertaintyNanoseconds = known / 20
                return .journal(event)
            }
        }
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("is off by") == true, "\(found)")
    }

    @Test("finds a photo that is called stored before it is synced")
    func earlySync() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.stores = { outputs in
            outputs.flatMap { output -> [StoreQueue.Output] in
                guard case .work(.publish(let photo, let path)) = output else { return [output] }
                return [output, .input(.photoArrived(photo, path: path))]
            }
        }
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("is not on disk") == true)
    }

    @Test("finds a piece of a photo that is dropped, and one that is written twice")
    func pieces() async throws {
        for count in [0, 2] {
            var sabotage = RigSimulation.Sabotage()
            sabotage.coordinator.transfers = { effects in
                effects.flatMap { effect -> [TransferMachine.Effect] in
                    guard case .append(_, offset: 400) = effect else { return [effect] }
                    return Array(repeating: effect, count: count)
                }
            }
            // A rig that waits for its photos does so for long.
            #expect(try await find(sabotage, step: 2) != nil, "written \(count) times")
        }
    }

    @Test("finds that what the catalogue refuses for good is forgotten, and offered to it again")
    func forgottenRefusal() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.stores = { outputs in
            outputs.filter { if case .input(.commitRefused) = $0 { false } else { true } }
        }
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("offered again to the catalogue that refused it") == true, "\(found)")
    }

    /// What waits for an archive are acknowledgements, whose order means nothing to a node.
    @Test("finds that what waits for one commit is done in another order")
    func reordered() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.stores = { Array($0.reversed()) }
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("is published after") == true, "\(found)")
    }

    @Test("finds a node that is told to fire what it refused")
    func firedOut() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.before = { machine, _ in
            for (id, record) in machine.captures {
                guard case .preparing = record.phase else { continue }
                let prepared = record.parts.values.lazy.compactMap { part -> Prepared? in
                    if case .prepared(let prepared) = part.phase { prepared } else { nil }
                }.first
                for (name, part) in record.parts {
                    guard case .out = part.phase, let prepared else { continue }
                    machine.captures[id]?.parts[name]?.phase = .prepared(prepared)
                }
            }
        }
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("which it had refused") == true)
    }

    @Test("finds a capture that is fired before somebody pressed the shutter")
    func firedUnarmed() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.before = { machine, _ in
            for id in machine.captures.keys { machine.captures[id]?.isHeld = false }
        }
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("before somebody pressed the shutter") == true, "\(found)")
    }

    /// What the coordinator sends is not what it should be.
    private func altered(
        _ alter: @escaping @Sendable (inout CoordinatorMessage, Peer) -> Void
    ) -> RigSimulation.Sabotage {
        @Sendable func change(_ effect: RigEffect) -> RigEffect {
            switch effect {
            case .send(var message, let peer):
                alter(&message, peer)
                return .send(message, to: peer)
            case .commit(let changes, let then): return .commit(changes, then: then.map(change))
            default: return effect
            }
        }
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.effects = { $0.map(change) }
        return sabotage
    }

    @Test("finds a node that is set to what another one is to be set to")
    func setAsAnother() async throws {
        let found = try #require(
            try await find(
                altered { message, _ in
                    guard case .prepare(var prepare) = message, let iso = prepare.plan.settings?.first?.camera.iso
                    else { return }
                    prepare.plan.settings?[0].camera.iso = 600 - iso
                    message = .prepare(prepare)
                }))
        #expect(found.violation?.contains("was set to") == true, "\(found)")
    }

    @Test("finds a group that fires with another one")
    func outOfTurn() async throws {
        let found = try #require(
            try await find(
                altered { message, peer in
                    guard case .fire(var fire) = message, peer.routingID.dropFirst().first == 1 else { return }
                    fire.rigTime = fire.rigTime - 40_000_000
                    message = .fire(fire)
                }))
        #expect(found.violation?.contains("in its turn") == true, "\(found)")
    }

    @Test("finds a cancel that is lost")
    func lostCancel() async throws {
        var sabotage = RigSimulation.Sabotage()
        sabotage.coordinator.before = { machine, input in
            guard case .tick = input else { return }
            for id in machine.captures.keys { machine.captures[id]?.isCancelled = false }
        }
        let found = try #require(try await find(sabotage))
        #expect(found.violation?.contains("was cancelled, but is") == true)
    }
}
