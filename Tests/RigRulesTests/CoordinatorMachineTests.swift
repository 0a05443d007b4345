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

    @Test("takes a node whose photos arrive for one that is there")
    func fullWire() throws {
        var machine = CoordinatorMachine(
            RigMachine(lastUniqueID: UniqueID(rawValue: 0), lastNews: 0, welcome: Welcome(clockPort: 1, bulkPort: 2)),
            TransferMachine())
        var second: Int64 = 100
        func take(_ input: CoordinatorMachine.Input) {
            _ = machine.handle(
                input,
                at: Moment(rigTime: RigTime(nanoseconds: .seconds(second)), utc: UTCTime(rawValue: second * 1_000_000)))
        }
        func isUp() -> Bool {
            machine.metrics.first { $0.name == "volley_node_up" }?.samples.map(\.value) == [1]
        }
        take(.rig(.members(Members(active: ["north"]))))
        let hello = Hello(
            node: "north", instance: "i", capabilities: camera, cameraError: nil, lastUniqueID: UniqueID(rawValue: 0))
        take(.rig(.fromNode(Peer(routingID: [1]), user: "north", .hello(hello))))
        let chunk = Chunk(uniqueID: UniqueID(rawValue: 1), photoCount: 1, offset: 0)
        // Its heartbeats wait behind them.
        for _ in 1...10 {
            second += 2
            take(.chunk(chunk, [0], node: "north"))
            take(.tick)
            #expect(isUp(), "after \(second) s")
        }
        second += 4
        take(.tick)
        #expect(!isUp())
        take(.chunk(chunk, [0], node: "north"))
        take(.tick)
        #expect(!isUp(), "whoever has not said hello again is not")
    }
}
