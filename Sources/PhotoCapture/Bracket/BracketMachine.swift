package import CaptureModel

/// Which frame is which step of a bracket, and what is written when; pure.
///
/// A control written right after frame s has arrived is in force from frame s + delay on. So the machine writes the
/// controls of one step after each frame, and N steps come from N consecutive frames:
///
/// ```
/// frame arrives     s        s+1      s+2      s+3      s+4
/// writes         step 1   step 2   step 3
/// takes (d=2)                      step 1   step 2   step 3
/// ```
///
/// A frame that is lost, broken or wrongly exposed puts its own step, and only that, back into the queue.
package struct BracketMachine: Sendable {
    /// One exposure to take.
    package struct Step: Hashable, Sendable {
        /// What to write; nil leaves the exposure as it is.
        package let exposure: Exposure?

        package init(exposure: Exposure?) {
            self.exposure = exposure
        }
    }

    /// What the owner does, in order. Steps are indices from 0.
    package enum Action: Hashable, Sendable {
        /// Write these controls now.
        case write(step: Int, Exposure)
        /// The step's frame is being exposed.
        case willCapture(step: Int)
        /// This frame is the step.
        case take(step: Int)
        /// The step will not be had.
        case fail(step: Int, CaptureError)
        /// Every step is taken or failed.
        case finish
    }

    private struct Assignment {
        let frame: UInt32
        let step: Int
    }

    private let steps: [Step]
    private let controlDelay: UInt32
    private let frameDuration: Int64
    private let fireTime: MonotonicTime?
    private let retakeLimit: Int
    private var hasStarted = false
    private var waiting: [Int]
    private var assigned: [Assignment] = []
    private var announced: Set<Int> = []
    private var retakes = 0
    private var isFinished = false

    /// - Parameters:
    ///   - fireTime: the first exposure begins nearest to this instant; nil for as soon as can be.
    ///   - retakeLimit: how many frames may be taken again in all.
    package init(
        steps: [Step], controlDelay: Int, frameDuration: Int64, fireTime: MonotonicTime?, retakeLimit: Int = 8
    ) {
        self.steps = steps
        // With nothing to write there is nothing to wait for.
        self.controlDelay = steps.contains { $0.exposure != nil } ? UInt32(max(1, controlDelay)) : 1
        self.frameDuration = frameDuration
        self.fireTime = fireTime
        self.retakeLimit = retakeLimit
        waiting = Array(steps.indices)
    }

    /// A frame has arrived.
    package mutating func frame(_ info: FrameInfo) -> [Action] {
        guard !isFinished else { return [] }
        var actions = settle(info)
        if !hasStarted {
            actions += start(info)
        }
        if hasStarted, !isFinished, !waiting.isEmpty {
            actions += assignNext(after: info)
        }
        if let next = assigned.first, next.frame == info.sequence &+ 1, announced.insert(next.step).inserted {
            actions.append(.willCapture(step: next.step))
        }
        return actions + finishIfDone()
    }

    /// Nothing more will come: every step not yet taken fails.
    package mutating func abort(_ error: CaptureError) -> [Action] {
        guard !isFinished else { return [] }
        let open = assigned.map(\.step) + waiting
        assigned = []
        waiting = []
        return open.sorted().map { .fail(step: $0, error) } + finishIfDone()
    }

    /// Decides on the assignments up to this frame.
    private mutating func settle(_ info: FrameInfo) -> [Action] {
        var actions: [Action] = []
        while let next = assigned.first, !next.frame.isAfter(info.sequence) {
            assigned.removeFirst()
            if next.frame != info.sequence {
                actions += retake(next.step, .frameDropped, "its frame was dropped by the driver")
            } else if info.isError {
                actions += retake(next.step, .frameDropped, "its frame arrived broken")
            } else if let wanted = steps[next.step].exposure, let got = info.exposure, !got.matches(wanted) {
                actions += retake(next.step, .exposureMismatch, "its frame has \(got), not \(wanted)")
            } else {
                actions.append(.take(step: next.step))
            }
        }
        return actions
    }

    private mutating func retake(_ step: Int, _ code: CaptureError.Code, _ what: String) -> [Action] {
        retakes += 1
        guard retakes > retakeLimit else {
            waiting.append(step)
            return []
        }
        let message = "Exposure \(step + 1): \(what), and \(retakeLimit) were taken again already."
        return [.fail(step: step, CaptureError(code, message))]
    }

    /// Begins with the frame that starts nearest to the fire time, or says by how much it is missed.
    private mutating func start(_ info: FrameInfo) -> [Action] {
        guard let fireTime else {
            hasStarted = true
            return []
        }
        let current = info.exposureStart(
            duration: info.exposure?.duration, frameDurationNanoseconds: frameDuration
        ).time
        let lateness = current + Int64(controlDelay) * frameDuration - fireTime
        if lateness > frameDuration {
            return abort(
                CaptureError(
                    .firedTooLate, "The order to fire came \(lateness / 1_000_000) ms too late for the first exposure."
                ))
        }
        hasStarted = lateness >= -frameDuration / 2
        return []
    }

    private mutating func assignNext(after info: FrameInfo) -> [Action] {
        let step = waiting.removeFirst()
        assigned.append(Assignment(frame: info.sequence &+ controlDelay, step: step))
        return steps[step].exposure.map { [.write(step: step, $0)] } ?? []
    }

    private mutating func finishIfDone() -> [Action] {
        guard waiting.isEmpty, assigned.isEmpty, !isFinished else { return [] }
        isFinished = true
        return [.finish]
    }
}

extension UInt32 {
    /// Whether a frame number comes after another one; numbers wrap.
    fileprivate func isAfter(_ other: UInt32) -> Bool {
        Int32(bitPattern: self &- other) > 0
    }
}

extension Exposure {
    /// Whether a frame's exposure is the one asked for, within what drivers round: 2 % or 50 µs of time.
    package func matches(_ wanted: Exposure) -> Bool {
        if let time = duration, let wantedTime = wanted.duration {
            let apart = abs(time.nanoseconds - wantedTime.nanoseconds)
            if apart > max(50_000, wantedTime.nanoseconds / 50) { return false }
        }
        if let iso, let wantedISO = wanted.iso, abs(iso - wantedISO) > wantedISO / 50 { return false }
        if let gain, let wantedGain = wanted.gain, abs(gain - wantedGain) > abs(wantedGain) / 50 { return false }
        return true
    }
}

extension Exposure: CustomStringConvertible {
    package var description: String {
        let parts = [
            duration.map(\.description), iso.map { "ISO \(Int($0.rounded()))" }, gain.map { "gain \($0)" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}
