import CaptureModel
import Logging

/// Logs exactly one printable line per message, whatever peers and cameras put in it. What a message is about it says
/// itself; fields are for the journal.
struct PrintableLogHandler: LogHandler {
    var inner: any LogHandler

    var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\(event.message.description.printableLine)"
        event.metadata = event.metadata?.details.mapValues { "\("\($0)".printableLine)" }
        inner.log(event: event)
    }
}
