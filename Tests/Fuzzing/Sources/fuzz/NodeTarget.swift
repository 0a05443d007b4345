import CaptureModel
import RigClock
import RigProtocol
import RigRules

/// A node's rules, to which a coordinator says one message a line.
enum NodeTarget {
    static func coordinator(_ bytes: UnsafeRawBufferPointer) {
        var board = BoardMachine(NodeMachine(name: "a", instance: "i"))
        let clock = ClockReport(
            estimate: ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 1))
        var time = MonotonicTime(nanoseconds: .seconds(1000))
        for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(16) {
            guard let message = try? Codec.decode(CoordinatorMessage.self, from: UnsafeRawBufferPointer(rebasing: line))
            else { continue }
            time = time + .milliseconds(10)
            for effect in board.handle(.node(.received(message)), now: time, clock: clock) {
                switch effect {
                case .send(let message): _ = Codec.encode(message.body, sequence: 1)
                case .prepare(let prepare): answer(prepare, &board, time, clock)
                case .work(.keepEpoch): _ = board.handle(.epochKept(nil), now: time, clock: clock)
                case _: continue
                }
            }
            _ = board.handle(.tick, now: time, clock: clock)
        }
        _ = board.node.statusLine
    }

    /// The core has prepared what it was asked for.
    private static func answer(
        _ prepare: Prepare, _ board: inout BoardMachine, _ now: MonotonicTime, _ clock: ClockReport
    ) {
        let size = Dimensions(width: 64, height: 48)
        let settings = ResolvedPhotoSettings(
            uniqueID: prepare.uniqueID, photoDimensions: size, rawPhotoDimensions: .zero, expectedPhotoCount: 3,
            exposures: [])
        let timing = CaptureTiming(
            leadNanoseconds: 1_000_000, stepNanoseconds: [33_000_000, 33_000_000, 33_000_000],
            frameDurationNanoseconds: 33_000_000)
        let resolution = NodeMachine.Resolution(settings: settings, timing: timing)
        _ = board.handle(.node(.resolved(prepare.uniqueID, .success(resolution))), now: now, clock: clock)
    }
}
