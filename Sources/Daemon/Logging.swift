package import Logging

extension Logger {
    /// The logger of a daemon: to stderr, where journald or a terminal reads.
    package static func daemon(_ label: String, level: Logger.Level) -> Logger {
        var logger = Logger(label: label) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }
}
