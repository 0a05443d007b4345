import Testing

@testable import ZeroMQ

@Suite("Connections that have not shown a key")
struct NewcomersTests {
    private final class Channel {}
    private let channel = Channel()
    private let crowd: UInt64 = 1
    private let board: UInt64 = 2

    private func arrival(_ network: UInt64, at time: Int64) -> Newcomers.Arrival {
        Newcomers.Arrival(time: time, network: network, channel: ObjectIdentifier(channel))
    }

    /// Ten of one address, descriptors 10...19, and two of another, 20 and 21.
    private func full() -> Newcomers {
        var newcomers = Newcomers()
        for descriptor in CInt(20)...21 { newcomers.add(descriptor, arrival(board, at: 0)) }
        for descriptor in CInt(10)...19 { newcomers.add(descriptor, arrival(crowd, at: Int64(descriptor))) }
        return newcomers
    }

    @Test("make room from the largest crowd, the oldest first, until it is none")
    func crowds() {
        var newcomers = full()
        #expect(newcomers.turnAway(1, at: 100) == [10] && newcomers.turnAway(5, at: 100) == [11])
        #expect(newcomers.turnAway(5, at: 100).isEmpty && newcomers.leavingCount == 2)
    }

    @Test("are spared once they have shown a key, or stayed for so long that they must have")
    func known() {
        var newcomers = full()
        newcomers.admit(11, ObjectIdentifier(channel))
        #expect(newcomers.turnAway(5, at: 100) == [10])
        newcomers = full()
        // Some of them are no newcomers any more; what is left is no crowd.
        #expect(newcomers.turnAway(5, at: 3_500_000_011) == [] && newcomers.leavingCount == 0)
    }

    @Test("are told apart from whoever had their descriptor before, or has it on another channel")
    func descriptors() {
        var newcomers = full()
        // The oldest is gone, and a board has its number now.
        newcomers.close(10, ObjectIdentifier(channel))
        newcomers.add(10, arrival(board, at: 50))
        #expect(newcomers.turnAway(1, at: 100) == [11])
        let other = Channel()
        newcomers.close(11, ObjectIdentifier(other))
        newcomers.admit(12, ObjectIdentifier(other))
        #expect(newcomers.leavingCount == 1)
        newcomers.add(22, arrival(crowd, at: 60))
        #expect(newcomers.turnAway(1, at: 100) == [12] && newcomers.leavingCount == 2)
        newcomers.close(11, ObjectIdentifier(channel))
        #expect(newcomers.leavingCount == 1)
    }
}
