import CaptureModel
import RigProtocol

extension RigMachine {
    // MARK: Events

    mutating func received(
        _ event: CaptureEvent, from node: NodeName
    ) -> [RigEffect] {
        let id = event.uniqueID
        observe(id)
        guard let part = captures[id]?.parts[node] else {
            guard captures[id] == nil else {
                return [
                    .report(
                        Report(
                            "Node \(node) has events of capture \(id), in which no node of that name took part; it "
                                + "keeps them. If it was renamed, give it its former name until it has delivered.",
                            node: node, capture: id))
                ]
            }
            // A capture of a former run, or one that ended long ago; the node will send the event again.
            // After what is on its way to the catalogue, which may be about this capture.
            return loading.count < Self.mostLoading && loading.insert(id).inserted
                ? [.commit([], then: [.load(id)])] : []
        }
        if let problem = captures[id]?.objection(toEventOf: node) {
            return [.report(Report(problem, node: node, capture: id))]
        }
        captures[id]?.touched = now
        guard event.isSound(in: part) else {
            let problem = "Node \(node) sent an impossible event of capture \(id): number \(event.sequence)."
            return [.report(Report(problem, node: node, capture: id))]
        }
        if event.sequence <= part.receivedThrough { return repeated(event, from: node, part) }
        // A gap means that one before it is still on its way; the node sends it again.
        guard event.sequence == part.receivedThrough + 1 else { return [] }
        if let photo = event.photo, let file = photo.file {
            let former = nodes[node]?.seen[photo.format] ?? 0
            nodes[node]?.seen[photo.format] = max(Int64(file.byteCount), former - former / 16)
        }
        let news = news(.event(node: node, event))
        var after = publish(news)
        let before = captures[id]?.state
        var changes: [CatalogueChange] = [.event(node: node, event), .news(news)]
        changes += revise(node, of: id) { [now] in $0.receive(event, now) }
        if before == .firing, captures[id]?.state == .collecting {
            changes.append(.captureState(id, .collecting, reason: nil, fireRigTime: nil, at: utc))
        }
        if let pull = pull(event, from: node) {
            after.append(.pull(pull))
        } else {
            changes += forgo(event, from: node)
            after += acknowledge(event.sequence, of: id, to: node)
        }
        return [.commit(changes, then: after)] + conclude(id)
    }

    /// An event that came before: acknowledged again, or its photo asked for again.
    ///
    /// What is acknowledged again is also written again, as the catalogue may be about to refuse what is on its way to
    /// it; and a node whose spool was restored may have reported an error before.
    private mutating func repeated(
        _ event: CaptureEvent, from node: NodeName, _ part: CapturePart
    ) -> [RigEffect] {
        guard !part.refused.contains(event.sequence), captures[event.uniqueID] != nil else { return [] }
        var changes = [CatalogueChange.event(node: node, event)]
        let acknowledgement = acknowledge(event.sequence, of: event.uniqueID, to: node)
        guard let photo = event.photo, let pull = pull(event, from: node) else {
            let isStored = event.photo.map { part.stored[$0.photoCount] != nil } ?? false
            if !isStored { changes += forgo(event, from: node) }
            return [.commit(changes, then: acknowledgement)]
        }
        let count = photo.photoCount
        guard part.stored[count] == nil else {
            changes.append(.photoStored(pull.key, path: pull.path, at: utc))
            return [.commit(changes, then: acknowledgement)]
        }
        captures[event.uniqueID]?.parts[node]?.pending[count] = event.sequence
        // One that failed is asked for again, and keeps its reason until it is stored.
        if let error = part.failed[count] ?? part.givenUp {
            changes.append(.photoFailed(pull.key, photo.slot, error))
        }
        return [.commit(changes, then: [.pull(pull)])]
    }

    /// Does without a photo of a capture that was deleted meanwhile.
    private mutating func forgo(_ event: CaptureEvent, from node: NodeName) -> [CatalogueChange] {
        guard let photo = event.photo, photo.file != nil else { return [] }
        let error = CaptureError(.captureDeleted, "The capture was deleted before this photo came.")
        let key = PhotoID(uniqueID: event.uniqueID, node: node, photoCount: photo.photoCount)
        return [.photoFailed(key, photo.slot, error)]
            + revise(node, of: event.uniqueID) {
                $0.pending[photo.photoCount] = nil
                $0.failed[photo.photoCount] = error
            }
    }

    /// The catalogue will never take it: it is not acknowledged, and its node keeps it.
    mutating func refused(_ change: CatalogueChange) -> [RigEffect] {
        if case .event(let node, let event) = change {
            captures[event.uniqueID]?.parts[node]?.refused.insert(event.sequence)
        }
        if case .annotated(let id, _, _) = change {
            return [
                .report(Report("What was said of capture \(id) is not kept: the catalogue refuses it.", capture: id))
            ]
        }
        guard case .photoStored(let key, _, _) = change, let part = captures[key.uniqueID]?.parts[key.node],
            let sequence = part.stored[key.photoCount]
        else { return [] }
        let error = CaptureError(
            .transferFailed, "The catalogue does not accept photo \(key.photoCount); its node keeps it.")
        let changes = revise(key.node, of: key.uniqueID) {
            $0.stored[key.photoCount] = nil
            $0.refused.insert(sequence)
            $0.failed[key.photoCount] = error
        }
        guard let slot = part.slots[key.photoCount] else { return [] }
        return [.commit([.photoFailed(key, slot, error)] + changes, then: [])] + conclude(key.uniqueID)
    }

    /// What was refused along with something else is said once more by itself, as it stands by now.
    func repeated(_ changes: [CatalogueChange]) -> [RigEffect] {
        guard changes.count > 1 else { return [] }
        return changes.flatMap { change -> [RigEffect] in
            switch change {
            case .captureNodeState(let id, let node, _, _, _): keep(node, of: id)
            case .captureState(let id, let state, _, _, _) where captures[id]?.state == state:
                [.commit([change], then: [])]
            default: []
            }
        }
    }

    /// Tells a node that an event is stored.
    ///
    /// A node that has delivered everything then forgets it, and what comes after a capture's end leaves its state as
    /// it is: the archive must have both first, in case the catalogue is lost or restored from an old copy.
    private func acknowledge(_ sequence: Int, of id: UniqueID, to node: NodeName) -> [RigEffect] {
        let stored = tell(node, .stored(Stored(uniqueID: id, sequences: [sequence])))
        guard let record = captures[id], record.state.isFinal || record.parts[node]?.isPaid ?? false else {
            return stored
        }
        return [.archive(id, then: stored)]
    }

    private func pull(_ event: CaptureEvent, from node: NodeName) -> PhotoPull? {
        guard let photo = event.photo, let file = photo.file, let record = captures[event.uniqueID],
            !record.isDeleted
        else { return nil }
        let key = PhotoID(uniqueID: event.uniqueID, node: node, photoCount: photo.photoCount)
        return PhotoPull(
            key: key, file: file, path: LibraryPath.photo(key, photo.slot, createdAt: record.createdAt))
    }

    // MARK: Photos

    mutating func photoArrived(
        _ key: PhotoID, _ path: String
    ) -> [RigEffect] {
        guard let sequence = captures[key.uniqueID]?.parts[key.node]?.pending[key.photoCount] else {
            // It came all the same, after its capture was deleted: the catalogue says that it belongs in the trash.
            guard captures[key.uniqueID]?.isDeleted ?? false else { return [] }
            return [.commit([.photoStored(key, path: path, at: utc)], then: [.archive(key.uniqueID, then: [])])]
        }
        tally.storedPhotoCount += 1
        var changes = [CatalogueChange.photoStored(key, path: path, at: utc)]
        changes += revise(key.node, of: key.uniqueID) { [now] in
            $0.pending[key.photoCount] = nil
            $0.stored[key.photoCount] = sequence
            $0.failed[key.photoCount] = nil
            $0.lastProgress = now
        }
        var after = acknowledge(sequence, of: key.uniqueID, to: key.node)
        if let record = captures[key.uniqueID] {
            let news = progress(of: record)
            changes.append(.news(news))
            after += publish(news)
        }
        return [.commit(changes, then: after)] + conclude(key.uniqueID)
    }

    mutating func photoFailed(
        _ key: PhotoID, _ error: CaptureError
    ) -> [RigEffect] {
        guard let part = captures[key.uniqueID]?.parts[key.node], let sequence = part.pending[key.photoCount] else {
            return []
        }
        let changes = revise(key.node, of: key.uniqueID) {
            $0.pending[key.photoCount] = nil
            $0.failed[key.photoCount] = error
        }
        let slot = part.slots[key.photoCount] ?? PhotoSlot(sequenceCount: 0, format: part.debt.formats[0])
        // What the node itself has lost will not come, however often it is asked for.
        let isFinal = error.code == .storageFailed
        let after = isFinal ? acknowledge(sequence, of: key.uniqueID, to: key.node) : []
        return [.commit([.photoFailed(key, slot, error)] + changes, then: after)] + conclude(key.uniqueID)
    }

    /// Changes a node's part, and says what of that the catalogue has to keep: nothing where it stands as before.
    private mutating func revise(
        _ node: NodeName, of id: UniqueID, _ change: (inout CapturePart) -> Void
    ) -> [CatalogueChange] {
        // Nothing may hold the record meanwhile: all its parts would be copied.
        let before = captures[id]?.change(of: node)
        guard var part = captures[id]?.parts[node] else { return [] }
        change(&part)
        captures[id]?.parts[node] = part
        guard let after = captures[id]?.change(of: node), after != before else { return [] }
        return [after]
    }

    /// A row for each photo that a part owes and has not paid.
    private func failures(
        _ id: UniqueID, _ node: NodeName, _ part: CapturePart, _ error: CaptureError
    ) -> [CatalogueChange] {
        let owed = part.slots.map { ($0, $1) } + part.debt.missing(besides: part.slots)
        return owed.sorted { $0.0 < $1.0 }.compactMap { photoCount, slot in
            guard part.stored[photoCount] == nil, part.failed[photoCount] == nil else { return nil }
            return .photoFailed(PhotoID(uniqueID: id, node: node, photoCount: photoCount), slot, error)
        }
    }

    // MARK: Debts and ends

    /// Settles what a node owes in a capture with an error for each photo that is missing.
    mutating func settle(
        _ id: UniqueID, _ node: NodeName, _ error: CaptureError
    ) -> [RigEffect] {
        guard let phase = captures[id]?.phase, let part = captures[id]?.parts[node] else { return [] }
        // Nothing is owed yet.
        if phase.isBeforehand { return [] }
        switch part.phase {
        case .out, .settled:
            return []
        case .preparing, .prepared:
            return putOut(node, of: id, error)
        case .owing:
            guard !part.isPaid else { return [] }
            captures[id]?.parts[node]?.phase = .settled(error)
            return keep(node, of: id, failures(id, node, part, error)) + conclude(id)
        }
    }

    func deadlinePassed(_ part: CapturePart) -> Bool {
        part.phase == .owing && !part.isPaid && now - part.lastProgress > Self.progressLimit
    }

    mutating func checkDeadlines(of id: UniqueID) -> [RigEffect] {
        guard let record = captures[id] else { return [] }
        switch record.phase {
        case .waiting(let until):
            return now >= until ? beginOrQueue(id) : []
        case .queued:
            return []
        case .armed(let until, let renewed):
            return renew(id, until, renewed)
        case .preparing(let deadline):
            // Nobody is asked anything before the capture is durable.
            guard now > deadline, accepting[id] == nil else { return [] }
            let error = CaptureError(.stalled, "It did not answer within \(Self.prepareLimit / 1_000_000_000) s.")
            return record.nodeNames.filter { record.parts[$0]?.phase == .preparing }
                .flatMap { putOut($0, of: id, error) }
        case .fired, .ended:
            return record.nodeNames.filter { record.parts[$0].map { deadlinePassed($0) } ?? false }
                .flatMap { settle(id, $0, silence(of: $0, in: record)) }
        }
    }

    /// Why a node that has been silent for too long is no longer waited for.
    private func silence(of node: NodeName, in record: CaptureRecord) -> CaptureError {
        record.restart(before: node)
            ?? CaptureError(.stalled, "It made no progress for \(Self.progressLimit / 1_000_000_000) s.")
    }

    /// Ends the capture when every part is settled, or revises its end.
    mutating func conclude(_ id: UniqueID) -> [RigEffect] {
        guard let record = captures[id], let verdict = record.verdict() else { return [] }
        let end = CaptureRecord.Phase.ended(verdict.state, reason: verdict.reason)
        guard record.phase != end else { return [] }
        captures[id]?.phase = end
        captures[id]?.armers = []
        if verdict.state != record.state { tally.ends[verdict.state, default: 0] += 1 }
        var changes = record.nodeNames.compactMap { record.change(of: $0) }
        changes.append(.captureState(id, verdict.state, reason: verdict.reason, fireRigTime: nil, at: utc))
        let words = "Capture \(id) is \(verdict.state.rawValue)\(verdict.reason.map { ": \($0)" } ?? ".")"
        guard let ended = captures[id] else { return [] }
        let news = progress(of: ended)
        changes.append(.news(news))
        let refusal = Refusal(.unavailable, "Nothing is armed. \(words)")
        return record.armers.map { .reply(.refused(refusal), to: $0) } + [
            .commit(changes, then: publish(news) + [.report(Report(words, capture: id)), .archive(id, then: [])])
        ]
    }

    // MARK: Captures of a former run

    mutating func loaded(
        _ id: UniqueID, _ loaded: LoadedCapture?
    ) -> [RigEffect] {
        loading.remove(id)
        guard captures[id] == nil else { return [] }
        guard let loaded else {
            return [
                .report(
                    Report(
                        "A node has events of capture \(id), which this catalogue lacks, wholly or in part; it keeps them.",
                        capture: id))
            ]
        }
        var record = CaptureRecord(loaded, groups, returningBy: now + Self.returnLimit - Self.progressLimit)
        record.touched = now
        captures[id] = record
        // It waits for nothing any more.
        let summary = loaded.detail.summary
        let cleared = summary.state == .preparing && summary.reason != nil ? note(nil, of: id) : []
        // The former run may have died between the last part's end and the capture's; or the library has changed.
        if record.verdict().map({ $0.state != record.state }) ?? false { return cleared + conclude(id) }
        // Or between the last photo, which lay in the library at the next start, and its part's end.
        let ended = loaded.detail.nodes.filter { !$0.state.isFinal }.compactMap { record.change(of: $0.node) }.filter {
            if case .captureNodeState(_, _, _, let state, _) = $0 { state.isFinal } else { false }
        }
        return ended.isEmpty ? cleared : cleared + [.commit(ended, then: [.archive(id, then: [])])]
    }
}
