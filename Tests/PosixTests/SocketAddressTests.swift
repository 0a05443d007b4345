import Glibc
import Testing

@testable import Posix

@Suite("An address of a socket")
struct SocketAddressTests {
    @Test(
        "is written as people write it, whichever family the socket has that heard of it",
        arguments: [
            ("192.168.1.33", "192.168.1.33"), ("fd00:31:0:0::1", "fd00:31::1"), ("[::1]", "::1"),
            ("::ffff:10.0.0.7", "10.0.0.7"),
        ])
    func host(given: String, written: String) throws {
        let address = try #require(SocketAddress(numeric: given))
        #expect(address.host == written)
        #expect(address.mapped.host == written && address.mapped.isIPv6)
    }

    @Test("stands for a crowd: an IPv4 address, of either socket, or all addresses of a /64")
    func network() throws {
        func network(_ text: String) throws -> UInt64 { try #require(SocketAddress(numeric: text)).network }
        #expect(try network("10.0.0.7") == network("::ffff:10.0.0.7"))
        #expect(try network("10.0.0.7") != network("10.0.0.8"))
        #expect(try network("fd00:31::1") == network("fd00:31:0:0:ffff::2"))
        #expect(try network("fd00:31::1") != network("fd00:31:0:1::1"))
        func neighbourhood(_ text: String) throws -> UInt64 { try #require(SocketAddress(numeric: text)).neighbourhood }
        #expect(try neighbourhood("10.0.0.7") == neighbourhood("10.0.0.8"))
        #expect(try neighbourhood("10.0.0.7") != neighbourhood("10.0.1.7"))
        #expect(SocketAddress(numeric: "rig.local") == nil)
    }

    @Test("of a name is one of IPv4 where it has both", arguments: ["localhost", "127.0.0.1"])
    func names(name: String) throws {
        #expect(try SocketAddress.resolve(name, port: 80).host == "127.0.0.1")
        #expect(!SocketAddress.isIPv6(name))
    }

    @Test("takes datagrams to either family where it listens to all")
    func datagrams() throws {
        // Somebody else may have one of them.
        let (ear, port) = try #require(
            (0..<50).lazy.map { 20_000 + (Int(getpid()) * 50 + $0) % 10_000 }.compactMap { port in
                (try? DatagramSocket(host: "*", port: port)).map { ($0, port) }
            }.first)
        for host in SocketAddress.isIPv6("::1") ? ["127.0.0.1", "::1"] : ["127.0.0.1"] {
            let mouth = try DatagramSocket()
            mouth.send([7], to: try SocketAddress.resolve(host, port: port))
            let (bytes, peer) = try #require(ear.receive(upTo: 10, within: 5000))
            #expect(bytes == [7] && peer.host == host)
            ear.send([8], to: peer)
            #expect(mouth.receive(upTo: 10, within: 5000)?.bytes == [8])
        }
    }

    @Test(
        "to listen at is one where a name was given, and is left alone otherwise",
        arguments: [
            ("localhost", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"), ("*", "*"), ("lo", "lo"),
            ("no.such.name.invalid", "no.such.name.invalid"),
        ])
    func bindable(given: String, bound: String) {
        #expect(SocketAddress.bindable(given) == bound)
    }
}
