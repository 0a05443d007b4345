import CaptureModel
import PhotoCapture
import Testing

private let frameDuration: Int64 = 10_000_000

private func exposure(_ milliseconds: Int64) -> Exposure {
    Exposure(duration: ExposureDuration(nanoseconds: milliseconds * 1_000_000), iso: 100)
}

/// A camera in virtual time: each control lands its own delay after the frame that was last seen.
private struct Rehearsal {
    var machine: BracketMachine
    let delays: ControlDelays
    let steps: [ControlValues]
    var lost: Set<UInt32> = []
    var broken: Set<UInt32> = []
    /// Frames on which a control does not do what it was told.
    var deaf: Set<UInt32> = []
    /// Frames after which another one waits already.
    var behind: Set<UInt32> = []
    /// Frames after which a write lasts until the next one has come as well.
    var slow: Set<UInt32> = []
    /// Frames after which the driver refuses what is written.
    var refusing: Set<UInt32> = []
    /// Frames between a frame's arrival and its judgement.
    var judgementDelay = 0
    var landing: [UInt32: ControlValues] = [:]
    var inForce = ControlValues(exposure(1))
    /// Step by step: the frame it came from and that frame's exposure.
    var taken: [(step: Int, frame: UInt32, exposure: Exposure)] = []
    var failed: [Int: CaptureError] = [:]
    var announced: [Int] = []
    var references: [UInt32] = []
    var finishedAt: UInt32?
    private var unjudged: [(due: UInt32, step: Int, frame: UInt32, exposure: Exposure)] = []

    init(
        _ steps: [Exposure?], delays: ControlDelays, trueDelays: ControlDelays? = nil, isPipelined: Bool = true,
        fireTime: MonotonicTime? = nil, stepOffsets: [Int64] = [], retakeLimit: Int = 8
    ) {
        self.steps = steps.map { $0.map { ControlValues($0) } ?? ControlValues() }
        machine = BracketMachine(
            steps: self.steps, delays: delays, isPipelined: isPipelined, frameDuration: frameDuration,
            fireTime: fireTime, stepOffsets: stepOffsets, retakeLimit: retakeLimit)
        self.delays = trueDelays ?? delays
    }

    init(_ steps: [Exposure?], delay: Int, fireTime: MonotonicTime? = nil, retakeLimit: Int = 8) {
        self.init(steps, delays: ControlDelays(delay), fireTime: fireTime, retakeLimit: retakeLimit)
    }

    mutating func run(from first: UInt32 = 0, frames: UInt32) {
        for offset in 0..<frames {
            let number = first &+ offset
            if let landed = landing[number] { inForce = landed.over(inForce) }
            judge(before: number)
            guard !lost.contains(number) else { continue }
            var info = FrameInfo(
                sequence: number, timestamp: MonotonicTime(nanoseconds: Int64(offset) * frameDuration),
                stamp: .startOfExposure)
            info.isError = broken.contains(number)
            info.isBehind = behind.contains(number)
            perform(machine.frame(info), at: number)
            judge(before: number &+ 1)
        }
    }

    private mutating func judge(before number: UInt32) {
        while let next = unjudged.first, number.isAfter(next.due) {
            unjudged.removeFirst()
            let isRight = !deaf.contains(next.frame) && next.exposure == steps[next.step].over(inForce).exposure
            if isRight { taken.append((next.step, next.frame, next.exposure)) }
            let error = CaptureError(.exposureMismatch, "its frame has another exposure")
            perform(machine.judged(next.step, isRight ? .accepted : .rejected(error)), at: number &- 1)
        }
    }

    private mutating func perform(_ actions: [BracketMachine.Action], at number: UInt32) {
        var refused: Int?
        for action in actions {
            switch action {
            case .write(let step, _) where refusing.contains(number): refused = refused ?? step
            case .write(let step, let values):
                let late: UInt32 = slow.contains(number) ? 1 : 0
                for control in values.controls {
                    let frame = number &+ late &+ UInt32(delays[control])
                    landing[frame] = values.only(control).over(landing[frame] ?? ControlValues())
                }
                if late > 0 { machine.wroteLate(step, by: late) }
            case .reference: references.append(number)
            case .willCapture(let step): announced.append(step)
            case .take(let step):
                unjudged.append((number &+ UInt32(judgementDelay), step, number, inForce.exposure))
            case .fail(let step, let error): failed[step] = error
            case .finish: finishedAt = number
            }
        }
        guard let refused else { return }
        perform(machine.refused(refused, CaptureError(.deviceFailed, "the driver refused")), at: number)
    }
}

@Suite("The bracket machine")
struct BracketMachineTests {
    @Test(
        "takes N steps from N consecutive frames, each with its own exposure",
        arguments: [1, 2, 3, 4], [2, 3, 9, 64])
    func consecutive(delay: Int, count: Int) {
        let steps = (1...count).map { exposure(Int64($0)) }
        var rehearsal = Rehearsal(steps, delay: delay)
        rehearsal.run(frames: 100)
        #expect(rehearsal.taken.map(\.step) == Array(0..<count))
        #expect(rehearsal.taken.map(\.exposure) == steps)
        #expect(rehearsal.taken.map(\.frame) == (0..<count).map { UInt32($0 + delay) })
        #expect(rehearsal.announced == Array(0..<count))
        #expect(rehearsal.finishedAt == UInt32(count + delay - 1))
        #expect(rehearsal.references == (0..<min(2, delay)).map { UInt32($0) })
    }

    @Test(
        "lands every control on its step's frame, whatever their delays",
        arguments: [(3, 2), (2, 1), (2, 3), (2, 2), (1, 4)], [2, 9, 64])
    func separateDelays(delay: (Int, Int), count: Int) {
        let delays = ControlDelays(exposureDuration: delay.0, gain: delay.1)
        let steps = (1...count).map { Exposure(duration: exposure(Int64($0)).duration, iso: Double(100 + 100 * $0)) }
        var rehearsal = Rehearsal(steps, delays: delays)
        rehearsal.run(frames: 100)
        #expect(rehearsal.taken.map(\.exposure) == steps)
        #expect(rehearsal.taken.map(\.frame) == (0..<count).map { UInt32($0 + max(delay.0, delay.1)) })
    }

    @Test("writes once what all steps have in common")
    func constant() {
        var machine = BracketMachine(
            steps: (1...4).map { ControlValues(exposure(Int64($0))) }, delays: ControlDelays(2),
            frameDuration: frameDuration, fireTime: nil)
        var isos = 0
        for number in 0..<10 {
            let info = FrameInfo(
                sequence: UInt32(number), timestamp: MonotonicTime(nanoseconds: Int64(number) * frameDuration),
                stamp: .startOfExposure)
            for case .write(_, let values) in machine.frame(info) where values.iso != nil { isos += 1 }
        }
        #expect(isos == 1)
    }

    @Test("goes on while a frame is being judged, and takes only the rejected one again")
    func slowJudgement() {
        let steps = (1...6).map { exposure(Int64($0)) }
        var rehearsal = Rehearsal(steps, delay: 2)
        rehearsal.judgementDelay = 5
        rehearsal.deaf = [4]
        rehearsal.run(frames: 40)
        #expect(rehearsal.taken.map(\.step) == [0, 1, 3, 4, 5, 2])
        #expect(rehearsal.taken.dropLast().map(\.frame) == [2, 3, 5, 6, 7])
    }

    @Test("writes nothing behind a frame that waits already, and takes what that cost again")
    func behind() {
        let steps = (1...6).map { Exposure(duration: exposure(Int64($0)).duration, iso: Double($0 * 100)) }
        var rehearsal = Rehearsal(steps, delays: ControlDelays(exposureDuration: 3, gain: 1))
        rehearsal.behind = [3]
        rehearsal.run(frames: 40)
        #expect(rehearsal.failed.isEmpty)
        #expect(Set(rehearsal.taken.map(\.step)) == Set(0..<6))
        for (step, _, got) in rehearsal.taken { #expect(got == steps[step]) }
    }

    @Test("takes no frame whose controls were never written, however like the step before it is")
    func unwritten() {
        let steps = (1...6).map { Exposure(duration: exposure(Int64($0)).duration, iso: 1000 + Double($0)) }
        var rehearsal = Rehearsal(steps, delays: ControlDelays(exposureDuration: 3, gain: 2))
        // The gains of frames 6 and 7 were to be written after these.
        rehearsal.lost = [4, 5]
        rehearsal.run(frames: 40)
        #expect(rehearsal.failed.isEmpty && rehearsal.taken.count == 6)
        for (step, _, got) in rehearsal.taken { #expect(got == steps[step]) }
    }

    @Test("goes on with other delays when those it was told are wrong", arguments: [1, 2, 4, 5])
    func corrected(trueDelay: Int) {
        let steps = (1...9).map { exposure(Int64($0)) }
        var rehearsal = Rehearsal(
            steps, delays: ControlDelays(3), trueDelays: ControlDelays(trueDelay), retakeLimit: 12)
        rehearsal.run(frames: 6)
        rehearsal.machine.correct(ControlDelays(trueDelay))
        rehearsal.run(from: 6, frames: 40)
        #expect(rehearsal.failed.isEmpty)
        #expect(Set(rehearsal.taken.map(\.step)) == Set(0..<9))
    }

    @Test(
        "takes steps again whose write came a frame late, and goes on frame by frame", arguments: 0..<8 as Range<UInt32>
    )
    func oneLateWrite(slow: UInt32) {
        let steps = (1...6).map { Exposure(duration: exposure(Int64($0)).duration, iso: Double($0 * 100)) }
        var rehearsal = Rehearsal(steps, delays: ControlDelays(exposureDuration: 3, gain: 2))
        rehearsal.slow = [slow]
        rehearsal.run(frames: 40)
        #expect(rehearsal.failed.isEmpty && rehearsal.taken.count == 6)
        for (step, _, got) in rehearsal.taken { #expect(got == steps[step]) }
        #expect(rehearsal.finishedAt.map { $0 <= 8 + 4 } == true)
    }

    @Test("writes one step at a time where a write lasts longer than a frame", arguments: [(3, 2), (1, 4), (2, 2)])
    func lateWrites(delay: (Int, Int)) {
        let steps = (1...6).map { Exposure(duration: exposure(Int64($0)).duration, iso: Double($0 * 100)) }
        var rehearsal = Rehearsal(steps, delays: ControlDelays(exposureDuration: delay.0, gain: delay.1))
        rehearsal.slow = Set(0..<100)
        rehearsal.run(frames: 100)
        #expect(rehearsal.failed.isEmpty && rehearsal.taken.count == 6)
        for (step, _, got) in rehearsal.taken { #expect(got == steps[step]) }
    }

    @Test("moves a lens only when the step before is taken")
    func unpipelined() {
        let steps = (1...3).map { exposure(Int64($0)) }
        var rehearsal = Rehearsal(steps, delays: ControlDelays(2), isPipelined: false)
        rehearsal.run(frames: 20)
        #expect(rehearsal.taken.map(\.frame) == [2, 4, 6])
    }

    @Test("recovers from a lost frame within delay + 1 frames", arguments: [1, 2, 3, 4], Array(0..<12))
    func recovery(delay: Int, lost: Int) {
        let steps = (1...9).map { exposure(Int64($0)) }
        var rehearsal = Rehearsal(steps, delay: delay)
        rehearsal.lost = [UInt32(1 + lost)]
        rehearsal.run(frames: 40)
        let unhindered = UInt32(9 + delay - 1)
        #expect((rehearsal.finishedAt ?? .max) <= unhindered + UInt32(delay) + 1)
        #expect(rehearsal.taken.count == 9)
    }

    @Test("takes again only the step whose frame was lost, broken or wrongly exposed")
    func retakes() {
        let steps = (1...5).map { exposure(Int64($0)) }
        var rehearsal = Rehearsal(steps, delay: 2)
        rehearsal.lost = [3]
        rehearsal.broken = [4]
        rehearsal.deaf = [6]
        rehearsal.run(frames: 40)
        #expect(rehearsal.failed.isEmpty)
        #expect(Set(rehearsal.taken.map(\.step)) == Set(0..<5))
        #expect(rehearsal.taken.count == 5)
        for (step, _, got) in rehearsal.taken { #expect(got == steps[step]) }
        #expect(rehearsal.announced.sorted() == Array(0..<5), "each exposure is announced once")
        #expect(rehearsal.finishedAt.map { $0 <= 11 } == true)
    }

    @Test("takes again what the driver refused, whenever it does", arguments: 0..<12, [1, 2])
    func refused(frame: UInt32, count: UInt32) {
        let steps = (1...5).map { exposure(Int64($0)) }
        var rehearsal = Rehearsal(steps, delays: ControlDelays(exposureDuration: 3, gain: 2))
        rehearsal.refusing = Set(frame..<frame + count)
        rehearsal.run(frames: 40)
        #expect(rehearsal.failed.isEmpty)
        #expect(rehearsal.taken.map(\.step).sorted() == Array(0..<5))
        for (step, _, got) in rehearsal.taken { #expect(got == steps[step]) }
    }

    @Test("looks once more at an accepted step where it is asked to, and owes nothing", arguments: [true, false])
    func recheck(isRight: Bool) {
        var machine = BracketMachine(
            steps: [1, 4].map { ControlValues(exposure($0)) }, delays: ControlDelays(1), frameDuration: frameDuration,
            fireTime: nil)
        let error = CaptureError(.exposureMismatch, "it is brighter")
        var taken: [Int] = []
        var owed: [BracketMachine.Action] = []
        for number in UInt32(0)..<30 {
            let info = FrameInfo(
                sequence: number, timestamp: MonotonicTime(nanoseconds: Int64(number) * frameDuration),
                stamp: .startOfExposure)
            for action in machine.frame(info) {
                switch action {
                case .take(let step):
                    taken.append(step)
                    let isRecheck = machine.isRechecking(step)
                    let isAccepted = isRecheck ? isRight : step == 0 || taken.contains(0) && taken.count > 4
                    owed += machine.judged(step, isAccepted ? .accepted : .rejected(error))
                    if step == 1, !isAccepted { machine.recheck { $0.exposure == exposure(1) } }
                case .write, .reference, .willCapture: break
                case .fail, .finish: owed.append(action)
                }
            }
        }
        #expect(taken.count { $0 == 0 } > 1 && taken.last == 1, "\(taken)")
        #expect(owed == [.finish])
    }

    @Test("fails every step with the driver's reason when it refuses for good")
    func refusedForGood() {
        var rehearsal = Rehearsal([exposure(1), exposure(2), exposure(3)], delay: 2)
        rehearsal.refusing = Set(0..<100)
        rehearsal.run(frames: 50)
        #expect(rehearsal.failed.count == 3 && rehearsal.finishedAt != nil)
        #expect(rehearsal.failed.values.allSatisfy { $0.code == .deviceFailed })
    }

    @Test("fails a step when frames go wrong too often, and says why")
    func budget() {
        var rehearsal = Rehearsal([exposure(1), exposure(2)], delay: 1, retakeLimit: 3)
        rehearsal.deaf = Set(0..<100)
        rehearsal.run(frames: 50)
        #expect(rehearsal.taken.isEmpty)
        #expect(rehearsal.failed.values.allSatisfy { $0.code == .exposureMismatch })
        #expect(rehearsal.failed.count == 2)
        #expect(rehearsal.finishedAt != nil)
    }

    @Test("keeps count when frame numbers wrap")
    func wrap() {
        var rehearsal = Rehearsal((1...6).map { exposure(Int64($0)) }, delay: 2)
        rehearsal.run(from: UInt32.max - 3, frames: 20)
        #expect(rehearsal.taken.map(\.step) == Array(0..<6))
    }

    @Test("starts with the frame nearest to the fire time", arguments: [4, 7, 12])
    func fireTime(frame: Int64) {
        let time = MonotonicTime(nanoseconds: frame * frameDuration + frameDuration / 3)
        var rehearsal = Rehearsal([exposure(1), exposure(2)], delay: 2, fireTime: time)
        rehearsal.run(frames: 40)
        #expect(rehearsal.taken.map { Int64($0.frame) } == [frame, frame + 1])
    }

    @Test("takes each step nearest to its time, whatever the camera's pace", arguments: [10, 13, 25, 31])
    func schedule(milliseconds: Int64) {
        let steps = (1...5).map { exposure($0) }
        let offsets = (0..<5).map { $0 * milliseconds * 1_000_000 }
        let fireTime = MonotonicTime(nanoseconds: 6 * frameDuration)
        var rehearsal = Rehearsal(steps, delays: ControlDelays(3), fireTime: fireTime, stepOffsets: offsets)
        rehearsal.run(frames: 60)
        #expect(rehearsal.taken.map(\.step) == Array(0..<5) && rehearsal.taken.map(\.exposure) == steps)
        for (taken, offset) in zip(rehearsal.taken, offsets) {
            let start = Int64(taken.frame) * frameDuration
            #expect(abs(start - (fireTime.nanoseconds + offset)) <= frameDuration / 2, "\(taken)")
        }
    }

    @Test("refuses to fire late, and says by how much")
    func late() {
        let past = MonotonicTime(nanoseconds: -5 * frameDuration)
        var rehearsal = Rehearsal([exposure(1), exposure(2)], delay: 2, fireTime: past)
        rehearsal.run(frames: 10)
        #expect(rehearsal.taken.isEmpty)
        #expect(rehearsal.failed.count == 2)
        #expect(rehearsal.failed[0]?.code == .firedTooLate)
        #expect(rehearsal.failed[0]?.message.contains("70 ms") == true)
    }

    @Test("never begins behind the camera: the order is refused as late instead")
    func lateBehind() {
        let time = MonotonicTime(nanoseconds: 6 * frameDuration)
        var rehearsal = Rehearsal([exposure(1), exposure(2)], delay: 2, fireTime: time)
        // The frames after which it was to be written.
        rehearsal.behind = [3, 4, 5]
        rehearsal.run(frames: 20)
        #expect(rehearsal.taken.isEmpty && rehearsal.failed[0]?.code == .firedTooLate)
    }

    @Test("pays every open step when it is aborted, once")
    func abort() {
        var rehearsal = Rehearsal((1...4).map { exposure(Int64($0)) }, delay: 2)
        rehearsal.run(frames: 4)
        let taken = rehearsal.taken.count
        let actions = rehearsal.machine.abort(CaptureError(.operationCancelled, "x"))
        #expect(actions.count == 4 - taken + 1)
        #expect(actions.last == .finish)
        #expect(rehearsal.machine.abort(CaptureError(.operationCancelled, "x")).isEmpty)
    }

    @Test("needs no control to take a burst from the next frames")
    func burst() {
        var rehearsal = Rehearsal([nil, nil, nil], delay: 3)
        rehearsal.run(frames: 10)
        #expect(rehearsal.taken.map(\.frame) == [1, 2, 3])
    }
}
