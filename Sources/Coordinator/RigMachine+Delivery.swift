import CaptureModel
import Catalogue
import PhotoStore
import RigProtocol

extension RigMachine {
    // MARK: Events

    mutating func received(
        _ event: CaptureEvent, from node: String, _ now: RigTime, _ wallClock: Int64
    ) -> [RigEffect] {
        let id = event.uniqueID
        observe(id, wallClock)
        guard var part = captures[id]?.parts[node] else {
            guard captures[id] == nil else {
                return [
                    .report(
                        "Node \(node) has events of capture \(id), in which no node of that name took part; it keeps "
                            + "them. If it was renamed, give it its former name until it has delivered.")
                ]
            }
            // A capture of a former run, or one long ended; the node says it again meanwhile.
            return loading.insert(id).inserted ? [.load(id)] : []
        }
        if let problem = captures[id]?.objection(toEventOf: node) { return [.report(problem)] }
        captures[id]?.touched = now
        guard event.isSound(in: part) else {
            return [.report("Node \(node) sent an event of capture \(id) that cannot be: number \(event.sequence).")]
        }
        if event.sequence <= part.receivedThrough { return repeated(event, from: node, part, wallClock) }
        // A gap means that one before it is still on its way; the node sends it again.
        guard event.sequence == part.receivedThrough + 1 else { return [] }
        part.lastProgress = now
        part.receivedThrough = event.sequence
        // Whatever it was taken for, it lives and pays.
        part.phase = .owing
        if event.kind == .didCapturePhoto { part.exposedCount += 1 }
        if event.kind == .didFinishCapture { part.hasEnded = true }
        var after: [RigEffect] = [.publish(.event(EventNotice(node: node, event: event)))]
        if let photo = event.photo {
            part.places[photo.photoCount] = Place(sequenceCount: photo.sequenceCount, format: photo.format)
            part.failed[photo.photoCount] = photo.error
            part.starts[photo.sequenceCount] = StepStart(photo) ?? part.starts[photo.sequenceCount]
            if photo.file != nil { part.pending[photo.photoCount] = event.sequence }
        }
        let before = captures[id]?.state
        captures[id]?.parts[node] = part
        var changes = [CatalogueChange.event(node: node, event)]
        if before == .firing, captures[id]?.state == .collecting {
            changes.append(.captureState(id, .collecting, reason: nil, fireRigTime: nil, at: wallClock))
        }
        if let pull = pull(event, from: node) {
            after.append(.pull(pull))
        } else {
            after += acknowledge(event.sequence, of: id, to: node)
        }
        return [.commit(changes, then: after)] + conclude(id, now, wallClock)
    }

    /// An event that came before: acknowledged again, or its photo asked for again.
    ///
    /// What is acknowledged again is written again, as the catalogue may be about to refuse what is on its way to it;
    /// and a node whose spool was put back may have told of an error before.
    private mutating func repeated(
        _ event: CaptureEvent, from node: String, _ part: CapturePart, _ wallClock: Int64
    ) -> [RigEffect] {
        guard !part.refused.contains(event.sequence), let record = captures[event.uniqueID] else { return [] }
        var changes = [CatalogueChange.event(node: node, event)]
        let acknowledgement = acknowledge(event.sequence, of: event.uniqueID, to: node)
        guard let photo = event.photo, let pull = pull(event, from: node) else {
            return [.commit(changes, then: acknowledgement)]
        }
        let count = photo.photoCount
        guard part.stored[count] == nil else {
            let key = pull.key
            changes.append(
                .photoStored(key.uniqueID, node: node, photoCount: count, path: pull.path, at: wallClock))
            return [.commit(changes, then: acknowledgement)]
        }
        captures[event.uniqueID]?.parts[node]?.pending[count] = event.sequence
        // One that failed is asked for again, and keeps its reason until it is stored.
        if let error = part.failed[count] ?? part.givenUp {
            let place = Place(sequenceCount: photo.sequenceCount, format: photo.format)
            changes.append(failure(record, node, count, place, error))
        }
        return [.commit(changes, then: [.pull(pull)])]
    }

    /// The catalogue will not have it, ever: it is not acknowledged, and its node keeps it.
    mutating func refused(_ change: CatalogueChange, _ now: RigTime, _ wallClock: Int64) -> [RigEffect] {
        if case .event(let node, let event) = change {
            captures[event.uniqueID]?.parts[node]?.refused.insert(event.sequence)
        }
        guard case .photoStored(let id, let node, let photoCount, _, _) = change,
            let sequence = captures[id]?.parts[node]?.stored.removeValue(forKey: photoCount)
        else { return [] }
        captures[id]?.parts[node]?.refused.insert(sequence)
        let error = CaptureError(
            .transferFailed, "The catalogue does not take what there is of photo \(photoCount); its node keeps it.")
        captures[id]?.parts[node]?.failed[photoCount] = error
        guard let record = captures[id], let place = record.parts[node]?.places[photoCount] else { return [] }
        return [.commit([failure(record, node, photoCount, place, error)], then: [])] + conclude(id, now, wallClock)
    }

    /// Tells a node that an event is stored.
    ///
    /// One that has delivered all forgets it then, and what comes after a capture's end changes nothing of its state: the
    /// archive has to know both before, for a catalogue that is lost or restored from an old copy.
    private func acknowledge(_ sequence: Int, of id: UniqueID, to node: String) -> [RigEffect] {
        let stored = tell(node, .stored(Stored(uniqueID: id, sequences: [sequence])))
        guard let record = captures[id], record.state.isFinal || record.parts[node]?.isPaid ?? false else {
            return stored
        }
        return [.archive(id, then: stored)]
    }

    private func pull(_ event: CaptureEvent, from node: String) -> PhotoPull? {
        guard let photo = event.photo, let file = photo.file, let record = captures[event.uniqueID] else { return nil }
        let key = Library.Key(uniqueID: event.uniqueID, node: node, photoCount: photo.photoCount)
        let path = Library.path(
            key, sequenceCount: photo.sequenceCount, format: photo.format, createdAt: record.createdAt)
        return PhotoPull(key: key, file: file, path: path)
    }

    // MARK: Photos

    mutating func photoArrived(
        _ key: Library.Key, _ path: String, _ now: RigTime, _ wallClock: Int64
    ) -> [RigEffect] {
        guard let sequence = captures[key.uniqueID]?.parts[key.node]?.pending.removeValue(forKey: key.photoCount) else {
            return []
        }
        captures[key.uniqueID]?.parts[key.node]?.stored[key.photoCount] = sequence
        captures[key.uniqueID]?.parts[key.node]?.failed[key.photoCount] = nil
        captures[key.uniqueID]?.parts[key.node]?.lastProgress = now
        var after = acknowledge(sequence, of: key.uniqueID, to: key.node)
        if let record = captures[key.uniqueID] { after.append(publish(record)) }
        let stored = CatalogueChange.photoStored(
            key.uniqueID, node: key.node, photoCount: key.photoCount, path: path, at: wallClock)
        return [.commit([stored], then: after)] + conclude(key.uniqueID, now, wallClock)
    }

    mutating func photoFailed(
        _ key: Library.Key, _ error: CaptureError, _ now: RigTime, _ wallClock: Int64
    ) -> [RigEffect] {
        guard let record = captures[key.uniqueID], let part = record.parts[key.node],
            let sequence = part.pending[key.photoCount]
        else { return [] }
        captures[key.uniqueID]?.parts[key.node]?.pending[key.photoCount] = nil
        captures[key.uniqueID]?.parts[key.node]?.failed[key.photoCount] = error
        let place = part.places[key.photoCount] ?? Place(sequenceCount: 0, format: record.plan.formats[0])
        // What the node itself has lost will not come, however often it is asked for.
        let isFinal = error.code == .storageFailed
        let after = isFinal ? acknowledge(sequence, of: key.uniqueID, to: key.node) : []
        return [.commit([failure(record, key.node, key.photoCount, place, error)], then: after)]
            + conclude(key.uniqueID, now, wallClock)
    }

    /// A photo's row with an error.
    private func failure(
        _ record: CaptureRecord, _ node: String, _ photoCount: Int, _ place: Place, _ error: CaptureError
    ) -> CatalogueChange {
        .photoFailed(
            record.uniqueID, node: node, photoCount: photoCount, sequenceCount: place.sequenceCount, place.format,
            error)
    }

    /// A row for each photo that a part owes and has not paid: those that were heard of, and for the others the
    /// exposures and formats that are left.
    private func failures(_ record: CaptureRecord, _ node: String, _ part: CapturePart, _ error: CaptureError)
        -> [CatalogueChange]
    {
        let known = Set(part.places.values)
        var left = (1...part.stepCount).flatMap { step in
            record.plan.formats.map { Place(sequenceCount: step, format: $0) }
        }.filter { !known.contains($0) }[...]
        return (1...part.expectedPhotoCount).compactMap { photoCount in
            let place = part.places[photoCount] ?? left.popFirst()
            guard let place, part.stored[photoCount] == nil, part.failed[photoCount] == nil else { return nil }
            return failure(record, node, photoCount, place, error)
        }
    }

    // MARK: Debts and ends

    /// Settles what a node owes in a capture with an error for each photo that is missing.
    mutating func settle(
        _ id: UniqueID, _ node: String, _ error: CaptureError, _ now: RigTime, _ wallClock: Int64
    ) -> [RigEffect] {
        guard let record = captures[id], let part = record.parts[node] else { return [] }
        // Of an appointment that is not near nothing is owed yet.
        if case .waiting = record.phase { return [] }
        switch part.phase {
        case .out, .settled:
            return []
        case .preparing, .prepared:
            return putOut(node, of: id, error, now, wallClock)
        case .owing:
            guard !part.isPaid else { return [] }
            captures[id]?.parts[node]?.phase = .settled(error)
            return [.commit(failures(record, node, part, error), then: [])] + conclude(id, now, wallClock)
        }
    }

    func deadlinePassed(_ part: CapturePart, _ now: RigTime) -> Bool {
        part.phase == .owing && !part.isPaid && now - part.lastProgress > Self.progressLimit
    }

    mutating func checkDeadlines(of id: UniqueID, _ now: RigTime, _ wallClock: Int64) -> [RigEffect] {
        guard let record = captures[id] else { return [] }
        switch record.phase {
        case .waiting(let until):
            return now >= until ? begin(id, now, wallClock) : []
        case .preparing(let deadline):
            guard now > deadline else { return [] }
            let error = CaptureError(.stalled, "It did not answer within \(Self.prepareLimit / 1_000_000_000) s.")
            return record.nodeNames.filter { record.parts[$0]?.phase == .preparing }
                .flatMap { putOut($0, of: id, error, now, wallClock) }
        case .fired, .ended:
            return record.nodeNames.filter { record.parts[$0].map { deadlinePassed($0, now) } ?? false }
                .flatMap { settle(id, $0, silence(of: $0, in: record), now, wallClock) }
        }
    }

    /// Why a node that has said nothing for too long is waited for no more.
    private func silence(of node: String, in record: CaptureRecord) -> CaptureError {
        record.restart(before: node)
            ?? CaptureError(.stalled, "It made no progress for \(Self.progressLimit / 1_000_000_000) s.")
    }

    /// Ends the capture when every part is settled, or revises its end.
    mutating func conclude(_ id: UniqueID, _ now: RigTime, _ wallClock: Int64) -> [RigEffect] {
        guard let record = captures[id], let verdict = record.verdict() else { return [] }
        let end = CaptureRecord.Phase.ended(verdict.state, reason: verdict.reason)
        guard record.phase != end else { return [] }
        captures[id]?.phase = end
        var changes = record.nodeNames.compactMap { name -> CatalogueChange? in
            guard let part = record.parts[name] else { return nil }
            let state: CaptureState = record.isCancelled && part.state != .complete ? .cancelled : part.state
            return .captureNodeState(id, node: name, state, part.error)
        }
        changes.append(.captureState(id, verdict.state, reason: verdict.reason, fireRigTime: nil, at: wallClock))
        let words = "Capture \(id) is \(verdict.state.rawValue)\(verdict.reason.map { ": \($0)" } ?? ".")"
        let news = captures[id].map { [publish($0)] } ?? []
        return [.commit(changes, then: news + [.report(words), .archive(id, then: [])])]
    }

    // MARK: Captures of a former run

    mutating func loaded(
        _ id: UniqueID, _ loaded: LoadedCapture?, _ now: RigTime, _ wallClock: Int64
    ) -> [RigEffect] {
        loading.remove(id)
        guard captures[id] == nil else { return [] }
        guard let loaded else {
            return [
                .report(
                    "A node has events of capture \(id), which this catalogue does not know, or not whole; it keeps them."
                )
            ]
        }
        var record = CaptureRecord(loaded, returningBy: now + Self.returnLimit - Self.progressLimit)
        record.touched = now
        captures[id] = record
        // The former run may have died between the last part's end and the capture's; or the library has changed.
        return record.verdict().map { $0.state != record.state } ?? false ? conclude(id, now, wallClock) : []
    }
}

extension CaptureRecord {
    /// What a node of which nothing came was given up for where the capture is of a former run; nil for others.
    func restart(before node: String) -> CaptureError? {
        guard case .fired(nil) = phase, parts[node]?.receivedThrough == 0 else { return nil }
        return CaptureError(
            .stalled, "The coordinator was started anew before the capture was fired, or before the node told of it.")
    }

    /// The record of a capture as the catalogue remembers it.
    ///
    /// - Parameter progress: taken for the last sign of life of nodes that still owe something.
    init(_ loaded: LoadedCapture, returningBy progress: RigTime) {
        let detail = loaded.detail
        let summary = detail.summary
        var parts: [String: CapturePart] = [:]
        for node in detail.nodes {
            let events = detail.events.filter { $0.node == node.node }
            let error = CaptureError(
                .nodeUnreachable, node.reason ?? "It had not delivered before the coordinator ended.")
            // What failed without a single event never began.
            let phase: CapturePart.Phase =
                if events.isEmpty && node.state.isFinal {
                    .out(error)
                } else {
                    summary.state.isFinal && node.state != .complete ? .settled(error) : .owing
                }
            var part = CapturePart(
                expectedPhotoCount: node.expectedPhotoCount, stepCount: loaded.plan.bracket.count, phase: phase,
                lastProgress: progress)
            part.receivedThrough = events.map(\.sequence).max() ?? 0
            part.exposedCount = events.filter { $0.kind == .didCapturePhoto }.count
            part.hasEnded = events.contains { $0.kind == .didFinishCapture }
            let sequences = events.filter { $0.photoCount != nil }.map { ($0.photoCount ?? 0, $0.sequence) }
            let sequenceOfPhoto = Dictionary(sequences, uniquingKeysWith: { $1 })
            for photo in detail.photos where photo.node == node.node {
                let count = photo.record.photoCount
                let step = photo.record.sequenceCount
                part.starts[step] = StepStart(photo.record) ?? part.starts[step]
                if sequenceOfPhoto[count] != nil {
                    part.places[count] = Place(
                        sequenceCount: photo.record.sequenceCount, format: photo.record.format)
                }
                if photo.path != nil {
                    part.stored[count] = sequenceOfPhoto[count] ?? 0
                } else if let error = photo.record.error, photo.record.file == nil || error.code == .storageFailed {
                    part.failed[count] = sequenceOfPhoto[count] == nil ? nil : error
                } else if let sequence = sequenceOfPhoto[count] {
                    part.pending[count] = sequence
                }
            }
            // A photo that was on its way when the former run died is owed again, also after the end.
            if !part.pending.isEmpty { part.phase = .owing }
            parts[node.node] = part
        }
        uniqueID = summary.uniqueID
        plan = loaded.plan
        createdAt = summary.createdAt
        touched = progress
        phase = summary.state.isFinal ? .ended(summary.state, reason: summary.reason) : .fired(detail.fireRigTime)
        isCancelled = summary.state == .cancelled
        self.parts = parts
    }
}

extension CaptureRecord {
    /// Why an event of a node cannot be: nobody was told to fire. A capture of a former run was, for all that is known.
    fileprivate func objection(toEventOf node: String) -> String? {
        switch phase {
        case .waiting, .preparing: "Node \(node) sent an event of capture \(uniqueID), which was not fired yet."
        case .fired, .ended: nil
        }
    }
}

extension CaptureEvent {
    /// Whether its numbers can be true of a part; what comes from outside is not trusted.
    fileprivate func isSound(in part: CapturePart) -> Bool {
        // willBegin and didFinish once, two for each exposure, one for each photo.
        let mostEvents = 2 + 2 * part.stepCount + part.expectedPhotoCount
        guard (1...mostEvents).contains(sequence), isTime(rigTime?.nanoseconds), isTime(time.nanoseconds) else {
            return false
        }
        guard let photo else { return kind != .didFinishProcessingPhoto }
        guard (1...part.expectedPhotoCount).contains(photo.photoCount),
            (0...part.stepCount).contains(photo.sequenceCount), isTime(photo.exposureStartRigTime?.nanoseconds),
            photo.exposureStartKnown?.isPlausible ?? (photo.exposureStartRelative == nil),
            (photo.exposureStartRigTime == nil) == (photo.exposureStartUncertaintyNanoseconds == nil)
        else { return false }
        // One file for each exposure and format.
        let place = Place(sequenceCount: photo.sequenceCount, format: photo.format)
        guard part.places.allSatisfy({ ($0.key == photo.photoCount) == ($0.value == place) }) else { return false }
        guard let file = photo.file else { return photo.error != nil }
        return photo.error == nil && (1...part.largestFile).contains(Int64(file.byteCount))
            && file.sha256.utf8.count == 64
    }

    /// Whether a number of nanoseconds is within 36 years of a clock's zero; nil is.
    private func isTime(_ nanoseconds: Int64?) -> Bool {
        nanoseconds.map { (-1 << 60...1 << 60).contains($0) } ?? true
    }
}
