import CaptureModel
import FoundationEssentials
import Glibc
import Logging

/// The journal of systemd, where a daemon's standard error leads to it: the journal keeps the time and the program's
/// name itself, and reads a line's priority from its prefix (`sd-daemon(3)`).
package enum Journal {
    /// Whether standard error leads to the journal: it is the stream that `JOURNAL_STREAM` names (`systemd.exec(5)`).
    package static let isStandardError = isStream(
        STDERR_FILENO, ProcessInfo.processInfo.environment["JOURNAL_STREAM"])

    package static func isStream(_ descriptor: CInt, _ name: String?) -> Bool {
        var status = stat()
        guard let name, fstat(descriptor, &status) == 0 else { return false }
        return name == "\(status.st_dev):\(status.st_ino)"
    }

    static func prefix(_ level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }
}

/// Logs a line per message in the way that the journal reads.
struct JournalLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let words =
            ["\(event.message)"] + all.map { "\($0.key)=\($0.value)" }
            + [event.error.map { "\($0)" }].compactMap(\.self)
        Output.words(Journal.prefix(event.level) + words.joined(separator: " ").printableLine)
    }
}
