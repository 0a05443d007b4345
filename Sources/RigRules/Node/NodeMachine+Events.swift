import CaptureModel
import RigClock
import RigProtocol

/// The events of captures, until the coordinator has stored them.
extension NodeMachine {
    // MARK: Events

    mutating func captured(_ captured: CapturedEvent) -> [Effect] {
        let id = captured.uniqueID
        let clock = clock(for: captured)
        let sequence = sequences[id, default: 0] + 1
        sequences[id] = sequence
        var photo = captured.photo
        if let start = photo?.exposureStart {
            let now = clock.map { (time: $0.rigTime(at: start.time), bound: $0.bound(at: start.time)) }
            // The file says what was known when it was made, which stands unless a clock has stepped since.
            if let now, !(photo?.isStartTold(near: now.time, within: now.bound) ?? false) {
                photo?.tellStart(start, now.time, within: now.bound)
            } else if now == nil {
                photo?.withdrawStart()
            }
        }
        if captured.kind == .didFinishCapture {
            firingClocks[id] = nil
            if capture.uniqueID == id { capture = .idle }
        }
        return [
            .journal(
                CaptureEvent(
                    uniqueID: id, sequence: sequence, kind: captured.kind, time: captured.time,
                    rigTime: clock?.rigTime(at: captured.time), sequenceCount: captured.sequenceCount,
                    resolvedSettings: captured.resolvedSettings, photo: photo, error: captured.error))
        ]
    }

    /// What is known of the rig time in which the capture was fired; nil where nothing is, or where another coordinator's
    /// was learned since: one capture is not told in two.
    private func clock(for captured: CapturedEvent) -> ClockEstimate? {
        let estimate = captured.clock ?? clock.estimate
        guard estimate.isKnown else { return nil }
        guard let before = firingClocks[captured.uniqueID] else { return estimate }
        return abs(before.rigTime(at: now) - estimate.rigTime(at: now)) < Self.sameRigTime ? estimate : nil
    }

    mutating func journalled(_ event: CaptureEvent) -> [Effect] {
        // Journals that were read again meanwhile may have it.
        let waiting = outbox[event.uniqueID]?.waiting ?? []
        guard !waiting.contains(where: { $0.event.sequence == event.sequence }) else { return [] }
        guard case .member = connection else {
            outbox[event.uniqueID, default: Outbox()].waiting.append(Waiting(event: event, lastSent: nil))
            return []
        }
        outbox[event.uniqueID, default: Outbox()].waiting.append(Waiting(event: event, lastSent: now))
        return [.send(.event(EventReport(event: event)))]
    }

    mutating func recover(_ events: [CaptureEvent]) -> [Effect] {
        guard let last = events.last else { return [] }
        lastUniqueID = max(lastUniqueID, last.uniqueID)
        usedIDs.insert(last.uniqueID)
        outbox[last.uniqueID] = Outbox(waiting: events.map { Waiting(event: $0, lastSent: nil) })
        let error = CaptureError(.operationCancelled, "Node \(name) was stopped in the middle of the capture.")
        let owed = Debt.settle(events, error: error, at: now)
        sequences[last.uniqueID] = (owed.last ?? last).sequence
        return owed.map { .journal($0) }
    }

    /// Sends all events of a capture again, those that were acknowledged included.
    mutating func recalled(_ events: [CaptureEvent]) -> [Effect] {
        guard let id = events.last?.uniqueID else { return [] }
        let waiting = outbox[id]?.waiting ?? []
        let known = Set(waiting.map(\.event.sequence))
        let forgotten = events.filter { !known.contains($0.sequence) }.map { Waiting(event: $0, lastSent: nil) }
        outbox[id] = Outbox(waiting: (forgotten + waiting).sorted { $0.event.sequence < $1.event.sequence })
        return resend()
    }

    /// Sends what is not stored yet, less often each time; all of it on a connection that is new.
    mutating func resend(isNew: Bool = false) -> [Effect] {
        var effects: [Effect] = []
        for id in outbox.keys.sorted() {
            guard var box = outbox[id] else { continue }
            for index in box.waiting.indices {
                let waiting = box.waiting[index]
                if !isNew, let last = waiting.lastSent, now - last < waiting.pause { continue }
                let isAgain = !isNew && waiting.lastSent != nil
                box.waiting[index].pause = isAgain ? min(2 * waiting.pause, Self.longestPause) : Self.liveness
                box.waiting[index].lastSent = now
                effects.append(.send(.event(EventReport(event: box.waiting[index].event))))
            }
            outbox[id] = box
        }
        return effects
    }

    mutating func stored(_ stored: Stored) -> [Effect] {
        let id = stored.uniqueID
        guard var box = outbox[id] else { return [] }
        let done = Set(stored.sequences)
        var effects: [Effect] = []
        for entry in box.waiting where done.contains(entry.event.sequence) {
            if let photo = entry.event.photo, photo.file != nil {
                effects.append(.reclaimPhoto(id, photoCount: photo.photoCount))
            }
            if entry.event.kind == .didFinishCapture { box.isEndStored = true }
        }
        box.waiting.removeAll { done.contains($0.event.sequence) }
        outbox[id] = box
        guard box.waiting.isEmpty, box.isEndStored else { return effects }
        outbox[id] = nil
        sequences[id] = nil
        return effects + [.reclaimCapture(id)]
    }
}
