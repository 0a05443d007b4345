import FoundationEssentials
import Glibc

/// Where a program's words and data go.
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

    private static func write(_ text: String, to descriptor: CInt) {
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // Nobody listens any more, and there is nobody to tell.
            guard count >= 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}
