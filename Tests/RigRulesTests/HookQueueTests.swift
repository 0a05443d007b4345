import CaptureModel
import RigProtocol
import Testing

@testable import RigRules

struct HookQueueTests {
    private func notice(_ id: Int64, _ state: CaptureState, _ stored: Int = 0) -> Notice {
        .capture(
            CaptureNotice(
                number: 1, previous: 0, uniqueID: UniqueID(rawValue: id), state: state, reason: nil,
                storedPhotoCount: stored, expectedPhotoCount: 3))
    }

    @Test("Each end is told once, in its order, and again only where a capture ended otherwise")
    func ends() {
        var queue = HookQueue()
        let news = [
            notice(1, .firing), notice(2, .complete), notice(1, .partial), notice(1, .partial, 2),
            notice(2, .complete, 3),
            notice(1, .complete),
        ]
        for one in news { #expect(queue.take(one) == nil) }
        var told: [String] = []
        while let next = queue.next() { told.append("\(next.uniqueID) \(next.state)") }
        #expect(told == ["2 complete", "1 partial", "1 complete"])
    }

    @Test("Where nothing is told, the oldest are left out, and that is said")
    func bound() {
        var queue = HookQueue()
        let left = (1...Int64(20_000)).compactMap { queue.take(notice($0, .complete)) }
        #expect(left.count == 19_000 && left.first?.rawValue == 1)
        #expect(queue.next()?.uniqueID.rawValue == 19_001)
    }
}
