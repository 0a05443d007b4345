import CaptureModel
package import Logging

extension Logger {
    /// A daemon's logger: writes to standard error, where journald or a terminal reads.
    package static func daemon(_ label: String, level: Logger.Level) -> Logger {
        var logger = Logger(label: label) { label in
            if Journal.isStandardError { return JournalLogHandler(label: label) }
            return PrintableLogHandler(inner: StreamLogHandler.standardError(label: label))
        }
        logger.logLevel = level
        return logger
    }
}
