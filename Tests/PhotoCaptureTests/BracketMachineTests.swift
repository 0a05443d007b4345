import CaptureModel
import PhotoCapture
import Testing

private let frameDuration: Int64 = 10_000_000

private func exposure(_ milliseconds: Int64) -> Exposure {
    Exposure(duration: ExposureDuration(nanoseconds: milliseconds * 1_000_000), iso: 100)
}

/// A camera in virtual time: controls land `delay` frames after the frame that was last seen.
private struct Rehearsal {
    var machine: BracketMachine
    let delay: UInt32
    var lost: Set<UInt32> = []
    var broken: Set<UInt32> = []
    /// Frames on which a control does not do what it was told.
    var deaf: Set<UInt32> = []
    var landing: [UInt32: Exposure] = [:]
    var inForce = exposure(1)
    /// Step by step: the frame it came from and that frame's exposure.
    var taken: [(step: Int, frame: UInt32, exposure: Exposure)] = []
    var failed: [Int: CaptureError] = [:]
    var announced: [Int] = []
    var finishedAt: UInt32?

    init(_ steps: [Exposure?], delay: Int, fireTime: MonotonicTime? = nil, retakeLimit: Int = 8) {
        machine = BracketMachine(
            steps: steps.map { BracketMachine.Step(exposure: $0) }, controlDelay: delay, frameDuration: frameDuration,
            fireTime: fireTime, retakeLimit: retakeLimit)
        self.delay = UInt32(delay)
    }

    mutating func run(from first: UInt32 = 0, frames: UInt32) {
        for offset in 0..<frames {
            let number = first &+ offset
            if let landed = landing[number] { inForce = landed }
            guard !lost.contains(number) else { continue }
            var info = FrameInfo(
                sequence: number, timestamp: MonotonicTime(nanoseconds: Int64(offset) * frameDuration),
                timestampSource: .startOfExposure)
            info.isError = broken.contains(number)
            info.exposure = deaf.contains(number) ? exposure(99) : inForce
            for action in machine.frame(info) {
                switch action {
                case .write(_, let exposure): landing[number &+ delay] = exposure
                case .willCapture(let step): announced.append(step)
                case .take(let step): taken.append((step, number, inForce))
                case .fail(let step, let error): failed[step] = error
                case .finish: finishedAt = number
                }
            }
        }
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
