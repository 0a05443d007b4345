package import CaptureModel

/// Decides which frame is which step of a bracket, and what is written when; pure.
///
/// Each control is written ahead by its own delay, so that all controls of a step land on the same frame, and N steps
/// come from N consecutive frames. With a delay of 3 for the duration (T) and 2 for the gain (G):
///
/// ```
/// frame arrives     s        s+1      s+2      s+3      s+4      s+5
/// writes           T1       T2 G1    T3 G2      G3
/// takes                                        step 1   step 2   step 3
/// ```
///
/// A taken frame is judged by its owner, in its own time. Its step, and only that, is taken again when the frame was
/// lost, broken, refused by the driver, not written in time, or rejected:
///
/// ```
/// waiting --a frame is free--> assigned --its frame--> judging --accepted--> done
///    ^                            |                        |
///    +--- lost, broken, refused --+------- rejected -------+--too often--> failed
/// ```
package struct BracketMachine: Sendable {
    /// What the owner does, in order. Steps are indices from 0.
    package enum Action: Hashable, Sendable {
        /// Write these controls of the step now.
        case write(step: Int, ControlValues)
        /// This frame shows the scene as it is before the first step; there are several of them.
        case reference
        /// The step's frame is being exposed.
        case willCapture(step: Int)
        /// This frame is the step; report with ``judged(_:_:)`` whether its exposure is right.
        case take(step: Int)
        /// The step is given up.
        case fail(step: Int, CaptureError)
        /// Every step is taken and accepted, or failed.
        case finish
    }

    /// What the owner thinks of a taken frame.
    package enum Verdict: Hashable, Sendable {
        case accepted
        case rejected(CaptureError)
    }

    private struct Assignment {
        var frame: UInt32
        let step: Int
        var unwritten: [CameraControl]
    }

    /// No more than this: if the delay were shorter than assumed, later frames would already show the first steps.
    private static let referenceCount = 2

    private let steps: [ControlValues]
    private let frameDuration: Int64
    private let readout: Int64?
    private let fireTime: MonotonicTime?
    /// When each step's exposure is to begin, in nanoseconds after the fire time; empty for consecutive frames.
    private let stepOffsets: [Int64]
    private let retakeLimit: Int
    /// Whether steps may be written while others are still to be exposed.
    private var isPipelined: Bool
    private var hasWrittenLate = false
    /// The controls that have the same value in every step: written once.
    private let constant: [CameraControl]
    /// The controls that any step has a value for.
    private let written: [CameraControl]
    private var delays: ControlDelays
    private var hasStarted = false
    private var isSteadyStart = false
    private var references = 0
    /// The frame of the first step; nothing written for the bracket is in force on any frame before it.
    private var firstFrame: UInt32?
    private var hasWrittenConstants = false
    private var waiting: [Int]
    private var assigned: [Assignment] = []
    private var judging: Set<Int> = []
    private var accepted: Set<Int> = []
    /// Accepted steps that are being taken once more as a check; a frame lost here is not made up for.
    private var rechecking: Set<Int> = []
    private var announced: Set<Int> = []
    /// The number of frames that had to be taken again.
    private(set) var retakes = 0
    private var isFinished = false

    /// - Parameters:
    ///   - steps: the values of each step; empty values leave the camera as it is.
    ///   - isPipelined: false where the transition between values shows in the picture, as with a moving lens.
    ///   - readout: from the first line to the last, in nanoseconds; nil where unknown.
    ///   - fireTime: the first exposure begins nearest to this instant; nil for as soon as possible.
    ///   - stepOffsets: with a fire time, each step's exposure begins as near as possible to this many nanoseconds
    ///     after it, so that cameras of unequal pace meet at every step. Empty for consecutive frames.
    ///   - retakeLimit: how many frames may be taken again in all.
    package init(
        steps: [ControlValues], delays: ControlDelays, isPipelined: Bool = true, frameDuration: Int64,
        readout: Int64? = nil, fireTime: MonotonicTime?, stepOffsets: [Int64] = [], retakeLimit: Int = 8
    ) {
        let written = CameraControl.allCases.filter { control in
            steps.contains { $0.only(control) != ControlValues() }
        }
        self.steps = steps
        self.written = written
        self.isPipelined = isPipelined
        self.delays = delays
        self.frameDuration = frameDuration
        self.readout = readout
        self.fireTime = fireTime
        self.stepOffsets = stepOffsets
        self.retakeLimit = retakeLimit
        constant = written.filter { control in
            // Some cameras latch a gain until an exposure is written: where the gain varies, both are written.
            let mates: [CameraControl] = control == .exposureDuration ? [control, .gain] : [control]
            return steps.allSatisfy { step in mates.allSatisfy { step.only($0) == steps[0].only($0) } }
        }
        waiting = Array(steps.indices)
    }

    /// Frames from the first write of a step to its exposure; with nothing to write there is nothing to wait for.
    private var lead: Int { written.map { delays[$0] }.max() ?? 1 }

    /// A frame has arrived.
    ///
    /// - Parameters:
    ///   - isSteady: whether what was written before is certain to be in force on it, so that it can be a reference.
    ///   - inForce: what it was exposed with, as far as is known.
    package mutating func frame(
        _ info: FrameInfo, isSteady: Bool = true, inForce: Exposure = Exposure()
    ) -> [Action] {
        guard !isFinished else { return [] }
        var actions = settle(info)
        // Nothing can be timed while behind the camera: an order would be late, or begin after a later frame.
        if !hasStarted, !info.isBehind {
            actions += start(info, isSteady, inForce)
        }
        if hasStarted, isSteadyStart, !info.isError, isBeforeFirst(info), references < Self.referenceCount {
            references += 1
            actions.append(.reference)
        }
        // With nothing to write, nothing can be late.
        if hasStarted, !isFinished, !info.isBehind || written.isEmpty {
            assignNext(after: info, inForce)
            actions += writeAhead(info)
        }
        actions += giveBackUnwritten(at: info)
        if let next = assigned.first, next.frame == info.sequence &+ 1, announced.insert(next.step).inserted {
            actions.append(.willCapture(step: next.step))
        }
        return actions + finishIfDone()
    }

    /// The owner has judged a taken frame.
    package mutating func judged(_ step: Int, _ verdict: Verdict) -> [Action] {
        guard judging.remove(step) != nil else { return [] }
        guard rechecking.remove(step) == nil else { return finishIfDone() }
        switch verdict {
        case .accepted:
            accepted.insert(step)
            return finishIfDone()
        case .rejected(let error):
            return retake(step, error) + finishIfDone()
        }
    }

    /// Whether a taken frame is of a step that was accepted before, and is only being checked.
    package func isRechecking(_ step: Int) -> Bool { rechecking.contains(step) }

    /// Takes one more frame of an accepted step, for an owner that must know whether it still looks as it did.
    ///
    /// - Parameter isWanted: which steps will do.
    package mutating func recheck(_ isWanted: (ControlValues) -> Bool) {
        guard !isFinished, rechecking.isEmpty, let step = accepted.sorted().last(where: { isWanted(steps[$0]) }) else {
            return
        }
        rechecking.insert(step)
        waiting.append(step)
    }

    /// The last write of a step took so long that frames later than the one it was to follow arrived before it.
    ///
    /// The frame it was meant for no longer gets that exposure. A camera that does this twice is slower than its
    /// frames: from then on, each step is written only once the one before it has been taken.
    package mutating func wroteLate(_ step: Int, by frames: UInt32) {
        guard let place = assigned.firstIndex(where: { $0.step == step }) else { return }
        guard isPipelined else {
            assigned[place].frame = assigned[place].frame &+ frames
            return
        }
        isPipelined = !hasWrittenLate
        hasWrittenLate = true
        // Earlier steps that are fully written stay: they are exposed before this write lands.
        let kept = assigned[..<place].prefix { $0.unwritten.isEmpty }
        waiting = assigned[kept.count...].map(\.step) + waiting
        assigned = Array(kept)
        hasWrittenConstants = false
    }

    /// The driver refused a write for a step: the step is taken again, like one whose frame was lost.
    ///
    /// Those after it are written anew: they may have relied on a value that was to be written once for all of them.
    package mutating func refused(_ step: Int, _ error: CaptureError) -> [Action] {
        guard let place = assigned.firstIndex(where: { $0.step == step }) else { return [] }
        waiting = assigned[(place + 1)...].map(\.step) + waiting
        assigned.removeSubrange(place...)
        hasWrittenConstants = false
        return retake(step, error) + finishIfDone()
    }

    /// The camera's delays turned out to be different: what was written ahead lands on the wrong frames.
    package mutating func correct(_ newDelays: ControlDelays) {
        guard newDelays != delays else { return }
        delays = newDelays
        waiting = assigned.map(\.step) + waiting
        assigned = []
    }

    /// Nothing more will come: every step not yet accepted fails.
    package mutating func abort(_ error: CaptureError) -> [Action] {
        guard !isFinished else { return [] }
        let open = (assigned.map(\.step) + waiting + judging).filter { !rechecking.contains($0) }
        rechecking = []
        assigned = []
        waiting = []
        judging = []
        return open.sorted().map { .fail(step: $0, error) } + finishIfDone()
    }

    /// Decides on the assignments up to this frame.
    private mutating func settle(_ info: FrameInfo) -> [Action] {
        var actions: [Action] = []
        while let next = assigned.first, !next.frame.isAfter(info.sequence) {
            assigned.removeFirst()
            if next.frame != info.sequence {
                actions += retake(next.step, CaptureError(.frameDropped, "its frame was dropped by the driver"))
            } else if info.isError {
                actions += retake(next.step, CaptureError(.frameDropped, "its frame arrived broken"))
            } else if !next.unwritten.isEmpty {
                // The frames after which it was to be written were lost.
                hasWrittenConstants = false
                actions += retake(next.step, CaptureError(.frameDropped, "its controls could not be written in time"))
            } else if let told = info.exposure, !told.matches(steps[next.step].exposure) {
                // Known at once, so the step goes back a frame sooner than if the owner had to judge it.
                let wanted = steps[next.step].exposure
                actions += retake(
                    next.step, CaptureError(.exposureMismatch, "its frame was exposed with \(told), not \(wanted)"))
            } else {
                judging.insert(next.step)
                actions.append(.take(step: next.step))
            }
        }
        return actions
    }

    private mutating func retake(_ step: Int, _ error: CaptureError) -> [Action] {
        if rechecking.remove(step) != nil { return [] }
        retakes += 1
        guard retakes > retakeLimit else {
            waiting.append(step)
            return []
        }
        let message = "Exposure \(step + 1): \(error.message), and \(retakeLimit) frames have already been taken again."
        return [.fail(step: step, CaptureError(error.code, message))]
    }

    /// Begins with the frame that starts nearest to the fire time, or reports by how much that was missed.
    private mutating func start(_ info: FrameInfo, _ isSteady: Bool, _ inForce: Exposure) -> [Action] {
        isSteadyStart = isSteady
        guard let fireTime else {
            // Without a fire time there is time for a reference frame.
            hasStarted = isSteady && !info.isError
            return []
        }
        let lateness = nextStart(after: info, inForce) - fireTime
        if lateness > frameDuration {
            return abort(
                CaptureError(
                    .firedTooLate, "The order to fire came \(lateness / 1_000_000) ms too late for the first exposure."
                ))
        }
        hasStarted = lateness >= -frameDuration / 2
        return []
    }

    /// When the exposure begins of the first frame that can still be written for.
    private func nextStart(after info: FrameInfo, _ inForce: Exposure) -> MonotonicTime {
        let exposure = info.exposure ?? inForce
        let current = info.pace(
            duration: exposure.duration, frameDurationNanoseconds: frameDuration, readoutNanoseconds: readout)
        let between = (1..<UInt32(max(1, lead))).reduce(Int64(0)) { sum, ahead in
            let step = assigned.first { $0.frame == info.sequence &+ ahead }?.step
            return sum + length(of: step.flatMap { steps[$0].exposureDuration })
        }
        return current + length(of: exposure.duration) + between
    }

    /// A frame takes at least as long as its exposure.
    private func length(of exposure: ExposureDuration?) -> Int64 {
        max(frameDuration, exposure?.nanoseconds ?? 0)
    }

    /// Whether the first frame that can still be written for is the one nearest to a step's time, or after it.
    private func isDue(_ step: Int, after info: FrameInfo, _ inForce: Exposure) -> Bool {
        guard let fireTime, stepOffsets.indices.contains(step) else { return true }
        return nextStart(after: info, inForce) - fireTime >= stepOffsets[step] - frameDuration / 2
    }

    /// Whether nothing that the bracket writes can be in force yet.
    private func isBeforeFirst(_ info: FrameInfo) -> Bool {
        guard let firstFrame else { return true }
        return firstFrame.isAfter(info.sequence)
    }

    private mutating func assignNext(after info: FrameInfo, _ inForce: Exposure) {
        guard let step = waiting.first, isPipelined || assigned.isEmpty, isDue(step, after: info, inForce) else {
            return
        }
        waiting.removeFirst()
        firstFrame = firstFrame ?? info.sequence &+ UInt32(lead)
        var controls = steps[step].controls
        if hasWrittenConstants { controls.removeAll { constant.contains($0) } }
        hasWrittenConstants = true
        assigned.append(
            Assignment(frame: info.sequence &+ UInt32(lead), step: step, unwritten: controls))
    }

    /// Writes what has to be written right after this frame to land on the frame it is meant for.
    private mutating func writeAhead(_ info: FrameInfo) -> [Action] {
        assigned.indices.compactMap { index in
            let assignment = assigned[index]
            let due = assignment.unwritten.filter { isDue($0, assignment, at: info.sequence) }
            guard !due.isEmpty else { return nil }
            assigned[index].unwritten.removeAll { due.contains($0) }
            let values = due.reduce(ControlValues()) { steps[assignment.step].only($1).over($0) }
            return .write(step: assignment.step, values)
        }
    }

    private func isDue(_ control: CameraControl, _ assignment: Assignment, at frame: UInt32) -> Bool {
        !isPipelined || assignment.frame &- UInt32(delays[control]) == frame
    }

    /// Takes again the steps whose writes are overdue, because a frame was lost or arrived behind a slow one.
    private mutating func giveBackUnwritten(at info: FrameInfo) -> [Action] {
        let late = assigned.filter { assignment in
            assignment.unwritten.contains { control in
                !(assignment.frame &- UInt32(delays[control])).isAfter(info.sequence)
            }
        }.map(\.step)
        guard !late.isEmpty else { return [] }
        assigned.removeAll { late.contains($0.step) }
        // They may have been the ones that carried the constants.
        hasWrittenConstants = false
        let error = CaptureError(.frameDropped, "its controls could not be written in time")
        return late.flatMap { retake($0, error) }
    }

    private mutating func finishIfDone() -> [Action] {
        guard waiting.isEmpty, assigned.isEmpty, judging.isEmpty, !isFinished else { return [] }
        isFinished = true
        return [.finish]
    }
}
