import CaptureModel
import RigClock
import RigProtocol
import RigRules
import Testing

@Suite("The grid that a node's frames begin on")
struct GridKeeperTests {
    private let first = UniqueID(rawValue: 1)
    private let second = UniqueID(rawValue: 2)
    private let now = MonotonicTime(nanoseconds: .seconds(10))

    private func keeper(_ grid: FrameGrid = FrameGrid(period: 40_000_000)) -> GridKeeper {
        var keeper = GridKeeper()
        _ = keeper.follow(grid)
        return keeper
    }

    @Test("lies on the board's own clock, as fast as that runs")
    func local() throws {
        var fast = ClockEstimate(status: .active, offsetNanoseconds: 7_000_000, boundNanoseconds: 1000)
        fast.rate = 1e-5
        let local = try #require(keeper().local(fast, now: now))
        let rig = fast.rigTime(at: local.origin).nanoseconds
        #expect(abs(rig - (rig + 20_000_000) / 40_000_000 * 40_000_000) < 10)
        #expect(abs(local.period - 40_000_000 / 1.00001) < 1)
        #expect(keeper().local(.unavailable, now: now) == nil, "nobody knows where it lies")
        #expect(GridKeeper().local(fast, now: now) == nil)
    }

    @Test("is not one that no camera can keep")
    func refused() {
        var keeper = GridKeeper()
        for period in [0, -1, Int64.max] {
            let isTaken = keeper.follow(FrameGrid(period: period))
            #expect(!isTaken)
        }
    }

    @Test("moves for a capture in which the node fires later, and back when that is over")
    func shift() throws {
        let clock = ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 1000)
        var keeper = keeper()
        let usual = try #require(keeper.local(clock, now: now)).origin
        let isMoved = keeper.shift(by: 0, for: first)
        #expect(!isMoved && !keeper.isShifted)
        let isMovedNow = keeper.shift(by: 3_000_000, for: second)
        #expect(isMovedNow && keeper.isShifted)
        #expect(try #require(keeper.local(clock, now: now)).origin - usual == 3_000_000)
        let isBack = keeper.unshift(after: first)
        #expect(!isBack, "another one has taken its place")
        let isBackNow = keeper.unshift(after: second)
        #expect(isBackNow && !keeper.isShifted)
        #expect(try #require(keeper.local(clock, now: now)).origin == usual)
    }
}
