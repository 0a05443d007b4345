import Testing
import ZeroMQ

@Suite("A channel", .timeLimit(.minutes(1)))
struct SocketChannelTests {
    @Test("can be closed by whoever wants its end, more than once and at the same time")
    func closedTwice() async throws {
        for _ in 0..<50 {
            let channel = try SocketChannel(
                context: Context(), name: "pull", type: .dealer, options: SocketOptions(),
                attachment: .bind("tcp://127.0.0.1:*"))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { channel.close() } }
            }
            #expect(await channel.receive() == nil)
        }
    }
}
