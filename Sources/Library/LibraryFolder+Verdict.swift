package import CaptureModel
import DurableFiles
import FoundationEssentials
package import Posix

/// What the last check found lies in the library as well, so that whoever asks its coordinator is told.
extension LibraryFolder {
    private var verdictPath: String { root + "/verified.json" }

    /// What the last check found; nil if there was none, or if what is there cannot be read.
    package func verdict() throws(SystemError) -> LibraryVerdict? {
        let bytes = try files.unlessLost { () throws(SystemError) in try files.read(verdictPath) }
        return bytes.flatMap { try? JSONDecoder().decode(LibraryVerdict.self, from: Data($0)) }
    }

    /// Keeps what a check found, in place of what the one before did.
    package func keep(_ verdict: LibraryVerdict) throws(SystemError) {
        guard let bytes = try? JSONEncoder().encode(verdict) else { preconditionFailure("a verdict is JSON") }
        try files.writeDurably(bytes, to: verdictPath)
    }

    /// Takes away what the last check found.
    package func forgetVerdict() throws(SystemError) { try files.remove(verdictPath) }
}
