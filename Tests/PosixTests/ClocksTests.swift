import CPosix
import Glibc
import Posix
import Testing

@Suite("The error of a board's clock")
struct ClocksTests {
    @Test("is what the kernel says")
    func told() {
        let error = Clocks.realtimeError { state in
            state.pointee.maxerror = 12
            return TIME_OK
        }
        #expect(error == 12_000)
    }

    @Test("is unknown where nobody keeps the clock, or the kernel refuses to say", arguments: [-1, TIME_ERROR])
    func unknown(answer: CInt) {
        #expect(Clocks.realtimeError { _ in answer } == nil)
    }

    @Test("is unknown where the kernel says that the clock is not kept")
    func unsynchronised() {
        let error = Clocks.realtimeError { state in
            state.pointee.status = STA_UNSYNC
            return TIME_OK
        }
        #expect(error == nil)
    }
}
