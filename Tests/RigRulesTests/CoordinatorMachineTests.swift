import CaptureModel
import RigProtocol
import Synchronization
import Testing

@testable import RigRules

@Suite("What a coordinator decides")
struct CoordinatorMachineTests {
    @Test("knows a catalogue that takes nothing, until it does again")
    func busyCatalogue() throws {
        let busy = Mutex<[Int64]>([])
        var machine = CoordinatorMachine(
            RigMachine(lastUniqueID: UniqueID(rawValue: 0), lastNews: 0, welcome: Welcome(clockPort: 1, bulkPort: 2)),
            TransferMachine())
        var second: Int64 = 0
        func take(_ input: CoordinatorMachine.Input) {
            let now = second
            machine.tampering = CoordinatorMachine.Tampering()
            machine.tampering?.before = { _, input in
                if case .catalogueIsBusy = input { busy.withLock { $0.append(now) } }
            }
            _ = machine.handle(
                input, at: Moment(rigTime: RigTime(nanoseconds: .seconds(now)), utc: UTCTime(rawValue: now * 1_000_000))
            )
        }
        second = 100
        take(.rig(.members(Members(active: ["north"]))))
        for _ in 1...10 {
            second += 1
            // It is refused meanwhile, and tried again.
            if second == 105 || second == 106 { take(.committed(StoreFailure("database is locked"))) }
            if second == 109 { take(.committed(nil)) }
            take(.tick)
        }
        #expect(busy.withLock { $0 } == [102, 103, 104, 105, 106, 107, 108])
    }
}
