import Foundation
import Glibc
import Logging
import Posix
import Testing

@testable import Programs

/// What a daemon sends to NOTIFY_SOCKET.
private final class Notifications {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("notify-\(UUID())").path
    private let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)

    init() {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(bound == 0)
    }

    deinit {
        close(socket)
        unlink(path)
    }

    var all: [String] {
        var all: [String] = []
        var bytes = [UInt8](repeating: 0, count: 8192)
        while case let count = recv(socket, &bytes, bytes.count, 0), count >= 0 {
            all.append(String(decoding: bytes.prefix(count), as: UTF8.self))
        }
        return all
    }
}

@Suite("What systemd is told")
struct ServiceManagerTests {
    private let notifications = Notifications()

    private func manager(watchdog: String? = nil) -> ServiceManager {
        var environment = ["NOTIFY_SOCKET": notifications.path]
        environment["WATCHDOG_USEC"] = watchdog
        return ServiceManager(environment: environment)
    }

    @Test("has a status that is one line, not too long, and not repeated")
    func status() {
        let manager = manager()
        for text in ["1 of 2 nodes ready", "1 of 2 nodes ready", "a\nSTOPPING=1", String(repeating: "x", count: 9000)] {
            manager.status(text)
        }
        let sent = notifications.all
        #expect(sent.count == 3 && sent.first == "STATUS=1 of 2 nodes ready", "\(sent)")
        #expect(sent.allSatisfy { !$0.contains("\n") && $0.utf8.count < 4096 })
        manager.stopping()
        manager.status("all is well")
        #expect(notifications.all == ["STOPPING=1\nSTATUS=shutting down"])
    }

    @Test("hears of turns four times in an interval, where it asks for them")
    func watchdog() {
        let (often, seldom, never) = (manager(watchdog: "0"), manager(watchdog: "3600000000"), manager())
        for _ in 0..<10 { often.watchdog() }
        #expect(notifications.all.count == 10)
        for _ in 0..<10 { seldom.watchdog() }
        #expect(notifications.all == ["WATCHDOG=1"])
        never.watchdog()
        #expect(notifications.all.isEmpty)
    }

    @Test("gets each message with its priority and, to search by, what it is about, whatever is in it")
    func fields() throws {
        var logger = Logger(label: "volley-node") { [path = notifications.path] label in
            JournalLogHandler(label: label, socket: path, environment: [:])
        }
        logger[metadataKey: "node"] = "top"
        logger.warning("a\nPRIORITY=0 \u{1B}[2J", metadata: ["capture": "7\nMESSAGE=x", "sl-error": "why"])
        let entry = try #require(notifications.all.first)
        let fields = entry.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        #expect(fields.map(\.first) == ["MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "VOLLEY_CAPTURE", "VOLLEY_NODE"])
        #expect(fields[1][1] == "4" && fields[2][1] == "volley-node" && fields[4][1] == "top")
        #expect(fields[0][1].contains("PRIORITY=0") && !entry.contains("\u{1B}"))
        #expect(fields[0][1].hasSuffix("sl-error=why"), "what a library says besides is part of the words")
        let unit = Logger(label: "volley-node") { [path = notifications.path] label in
            JournalLogHandler(label: label, socket: path, environment: ["SYSLOG_IDENTIFIER": "volley-node-top"])
        }
        unit.info("x")
        #expect(notifications.all.first?.contains("SYSLOG_IDENTIFIER=volley-node-top\n") == true)
    }

    @Test("is not waited for: a journal that is behind, or away, takes nothing", .timeLimit(.minutes(1)))
    func behind() {
        #expect(!LocalDatagram.send([1], to: notifications.path + "-absent", waits: false))
        var taken = 0
        while LocalDatagram.send([1], to: notifications.path, waits: false) { taken += 1 }
        #expect(taken > 0 && notifications.all.count == taken)
        #expect(LocalDatagram.send([1], to: notifications.path, waits: false), "it has caught up")
    }

    @Test("goes to the journal only where standard error is the journal's stream")
    func journal() throws {
        let pipe = Pipe()
        var status = stat()
        #expect(fstat(pipe.fileHandleForWriting.fileDescriptor, &status) == 0)
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        #expect(Journal.isStream(descriptor, "\(status.st_dev):\(status.st_ino)"))
        #expect(!Journal.isStream(descriptor, "\(status.st_dev):1") && !Journal.isStream(descriptor, nil))
    }
}
