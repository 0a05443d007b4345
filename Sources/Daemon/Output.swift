import CaptureModel
import FoundationEssentials
import Glibc
import Synchronization

/// Where a program's words and data go; what a terminal would obey in them is made visible.
package enum Output {
    /// Data, for whoever reads on: standard output.
    package static func data(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Words, for a person: standard error.
    package static func words(_ text: String) { write(text, to: STDERR_FILENO) }

    /// One JSON document.
    ///
    /// - Parameter isLine: on one line, for streams of them.
    package static func json(_ value: some Encodable, isLine: Bool = false) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            isLine ? [.sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        data(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Whether data were lost on their way out; a command that lost some is not done.
    package static var hasFailed: Bool { failure.load(ordering: .relaxed) }

    private static let failure = Atomic(false)

    /// A reader that went away knows it; any other loss is told once.
    private static func fail(_ descriptor: CInt, _ code: CInt) {
        guard descriptor == STDOUT_FILENO, !failure.exchange(true, ordering: .relaxed), code != EPIPE else { return }
        words("The output cannot be written: \(String(cString: strerror(code))).")
    }

    private static func write(_ text: String, to descriptor: CInt) {
        var bytes = Array((text.printable + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { return fail(descriptor, errno) }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}
