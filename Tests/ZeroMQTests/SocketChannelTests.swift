import CPosix
import Foundation
import Posix
import Synchronization
import TestSupport
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

    @Test("has threads, and a context has, that come to their turns as soon as they wake")
    func shortTurns() async throws {
        let channel = try SocketChannel(
            context: Context(), name: "prompt", type: .dealer, options: SocketOptions(),
            attachment: .bind("tcp://127.0.0.1:*"))
        defer { channel.close() }
        func slices() throws -> [Int64] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap(CInt.init).compactMap {
                let name = try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
                return name?.hasPrefix("ZMQbg/IO/") ?? false || name == "zmq-prompt\n" ? cposix_slice($0) : nil
            }
        }
        // What the kernel makes of the same question here; 0 before Linux 6.12.
        let trial = Mutex<Int64>(0)
        OSThread(name: "trial") {
            cposix_set_slice(100_000, 0)
            trial.withLock { $0 = cposix_slice(0) }
        }.join()
        let granted = trial.withLock { $0 }
        // Each says who it is, and asks for them, once it runs; of one that ends just now the kernel says nothing.
        let end = Date(timeIntervalSinceNow: 20)
        var found: [Int64] = []
        repeat {
            try await Task.sleep(for: .milliseconds(5))
            found = try slices()
        } while (found.count < 3 || Set(found) != [granted]) && Date() < end
        #expect(Set(found) == [granted])
    }

    /// A ping that libzmq finds behind what it could not take ends the process, if the connection is gone by then.
    @Test("outlives a peer of whom more comes at once than is read, and who is cut off then")
    func floodedAndCut() async throws {
        let context = Context()
        let isReading = Mutex(false)
        var options = SocketOptions()
        options.receiveHighWaterMark = 1
        let server = try SocketChannel(
            context: context, name: "server", type: .router, options: options, attachment: .bind("tcp://127.0.0.1:*")
        ) { frames in
            while !isReading.withLock({ $0 }) { usleep(10_000) }
            return frames
        }
        let port = try #require(server.endpoint.split(separator: ":").last.flatMap { Int($0) })
        let proxy = try FaultyProxy(ports: [port])
        defer { proxy.close() }
        let peer = try SocketChannel(
            context: context, name: "peer", type: .dealer, options: SocketOptions(),
            attachment: .connect("tcp://\(FaultyProxy.host):\(port)"))
        func say(_ count: Int) async throws {
            for _ in 0..<count { peer.send([Frame([0])]) }
            try await Task.sleep(for: .milliseconds(200))
        }
        // The first is being answered; what follows comes all at once.
        try await say(1)
        proxy.stall(true)
        try await say(1)
        try await say(10)
        // Longer than the interval at which a peer would show that it is alive.
        try await Task.sleep(for: .milliseconds(1500))
        proxy.stall(false)
        try await Task.sleep(for: .milliseconds(200))
        proxy.reset()
        try await Task.sleep(for: .milliseconds(200))
        isReading.withLock { $0 = true }
        peer.send([Frame(Array("again".utf8))])
        while case let event? = await peer.receive() {
            if case .message(let frames) = event, frames.first?.bytes == Array("again".utf8) { break }
        }
        peer.close()
        server.close()
    }
}
