import CaptureModel
import Testing

@testable import OperatorConsole

/// Expectations take no value that changes.
private final class Kept {
    private var door = Door()

    func invite(_ token: String, now: Int64) { door.invite(token, now: now) }
    func enter(_ token: String, as session: String, now: Int64) -> Bool { door.enter(token, as: session, now: now) }
    func admits(_ session: String, now: Int64) -> Bool { door.admits(session, now: now) }
    func leave(_ session: String) { door.leave(session) }
}

@Suite("The console's door")
struct DoorTests {
    @Test("opens once for a link, and not after its hour")
    func links() {
        let door = Kept()
        door.invite("a", now: 0)
        #expect(!door.enter("b", as: "1", now: 1))
        #expect(door.enter("a", as: "1", now: 1))
        #expect(!door.enter("a", as: "2", now: 2))
        door.invite("c", now: 0)
        #expect(!door.enter("c", as: "3", now: Door.linkLife))
        #expect(door.admits("1", now: 3) && !door.admits("2", now: 3) && !door.admits("3", now: 3))
    }

    @Test("keeps a session that is used, and ends one that is not, or that leaves")
    func sessions() {
        let door = Kept()
        door.invite("a", now: 0)
        #expect(door.enter("a", as: "1", now: 0))
        #expect(door.admits("1", now: Door.sessionLife - 1))
        #expect(door.admits("1", now: 2 * Door.sessionLife - 2))
        #expect(!door.admits("1", now: 3 * Door.sessionLife))
        #expect(!door.admits("1", now: 2 * Door.sessionLife - 1), "what has ended does not come back")
        door.invite("b", now: 0)
        #expect(door.enter("b", as: "2", now: 1))
        door.leave("2")
        #expect(!door.admits("2", now: 2))
    }

    @Test("has a bound")
    func bounds() {
        let door = Kept()
        for number in 0...Door.mostSessions {
            door.invite("\(number)", now: Int64(number))
            #expect(door.enter("\(number)", as: "s\(number)", now: Int64(number)))
        }
        #expect(!door.admits("s0", now: 1000) && door.admits("s1", now: 1000))
        for number in 0...Door.mostLinks { door.invite("l\(number)", now: Int64(number)) }
        #expect(!door.enter("l0", as: "x", now: 1000) && door.enter("l1", as: "y", now: 1000))
    }
}
