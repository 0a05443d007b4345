import CaptureModel
import FoundationEssentials
import Glibc
import Logging
import Synchronization

/// Where a program's words and data go; control characters in them are made visible, so that no terminal obeys them.
package enum Output {
    /// Writes a line of data, for other programs, to standard output.
    package static func data(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Writes what a person reads, in colour where that helps, to standard output.
    package static func report(_ text: String) {
        // What comes from others is printable before any colour is added.
        let text = text.printable
        writeAsIs(Colour.isWanted ? Colour.painted(text) : text, to: STDOUT_FILENO)
    }

    /// Writes a line of words, for a person, to standard error.
    package static func words(_ text: String) { write(text, to: STDERR_FILENO) }

    /// Writes to standard error why a program ends: after its name for a person, as an error for the journal.
    package static func failure(_ program: String, _ error: some CustomStringConvertible) {
        words(
            Journal.isStandardError
                ? Journal.prefix(.error) + error.description.printableLine : "\(program): \(error)")
    }

    /// Writes one JSON document to standard output.
    ///
    /// - Parameter isLine: whether to keep it on one line, for streams of documents.
    package static func json(_ value: some Encodable, isLine: Bool = false) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            isLine ? [.sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        data(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Whether data could not be written; a command that lost some has not succeeded.
    package static var hasFailed: Bool { hasLostData.load(ordering: .relaxed) }

    private static let hasLostData = Atomic(false)

    /// Reports a loss of data once, unless the reader went away: it knows.
    private static func fail(_ descriptor: CInt, _ code: CInt) {
        guard descriptor == STDOUT_FILENO, !hasLostData.exchange(true, ordering: .relaxed), code != EPIPE else {
            return
        }
        words("The output cannot be written: \(String(cString: strerror(code))).")
    }

    private static func write(_ text: String, to descriptor: CInt) { writeAsIs(text.printable, to: descriptor) }

    private static func writeAsIs(_ text: String, to descriptor: CInt) {
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { return fail(descriptor, errno) }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}
