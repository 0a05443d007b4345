import CaptureModel
import FoundationEssentials
import Posix
import Synchronization

/// Tells systemd how a daemon fares: the protocol of `sd_notify(3)`, one datagram each.
package final class ServiceManager: Sendable {
    private struct Sent: Sendable {
        var status: String?
        var watchdogAt: Int64?
        var isStopping = false
    }

    /// systemd drops datagrams of more than 4 KiB.
    private static let longestStatus = 500

    private let path: String?
    /// The silence after which the daemon is ended, in nanoseconds; nil where nobody watches. C: `WATCHDOG_USEC`.
    package let watchdogInterval: Int64?
    private let sent = Mutex(Sent())

    /// Takes the socket from `NOTIFY_SOCKET`; without one every call does nothing.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        path = environment["NOTIFY_SOCKET"]
        watchdogInterval = environment["WATCHDOG_USEC"].flatMap(Int64.init).map { min($0, 1 << 40) * 1000 }
    }

    /// Reports that the daemon serves.
    ///
    /// - Parameter fields: further fields to send, each `NAME=value`; our own names begin with `X_`.
    package func ready(_ fields: [String] = []) {
        notify((["READY=1"] + fields).joined(separator: "\n"))
    }

    /// Reports that the daemon's loop has made a turn, unless it did so within a quarter of ``watchdogInterval``.
    package func watchdog() {
        guard let watchdogInterval else { return }
        let now = Clocks.monotonicNanoseconds()
        let isDue = sent.withLock { sent in
            if let last = sent.watchdogAt, now - last < watchdogInterval / 4 { return false }
            sent.watchdogAt = now
            return true
        }
        if isDue { notify("WATCHDOG=1") }
    }

    /// Reports how the daemon is doing, in one line, unless that is what it said last.
    package func status(_ text: String) {
        // Another line would be another field, whatever a camera or a peer has put into it.
        let line = String(text.printableLine.prefix(Self.longestStatus))
        let isNew = sent.withLock { sent in
            guard !sent.isStopping, sent.status != line else { return false }
            sent.status = line
            return true
        }
        if isNew { notify("STATUS=\(line)") }
    }

    /// Reports that the daemon is shutting down.
    package func stopping() {
        sent.withLock { $0.isStopping = true }
        notify("STOPPING=1\nSTATUS=shutting down")
    }

    private func notify(_ text: String) {
        if let path { LocalDatagram.send(Array(text.utf8), to: path) }
    }
}
