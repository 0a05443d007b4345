package import CaptureModel
import DurableFiles
import Glibc
import Posix
import RigProtocol
package import RigTransport
import Synchronization

/// Brings photos from the coordinator's library into a folder.
///
/// ```
/// FOLDER/<date>/<uniqueID>/<node>_<uniqueID>_<step>.jpg.part   on its way; resumed by the next command
/// FOLDER/<date>/<uniqueID>/<node>_<uniqueID>_<step>.jpg        complete, with the hash that its node took of it
/// ```
package struct PhotoFetch: Sendable {
    /// What became of a photo.
    package enum Outcome: Sendable {
        case fetched(byteCount: Int)
        /// It was there already.
        case present
        /// It cannot be had, for this reason.
        case failed(String)
    }

    /// Photos at a time: one waits for the disk while another is on the wire.
    private static let mostAtOnce = 8

    private let client: OperatorClient
    private let folder: String
    private let files = PosixFileSystem()
    private let pieces = PieceLength()

    /// - Parameter folder: the folder to bring them into; nobody else may fetch into it meanwhile.
    package init(client: OperatorClient, folder: String) { (self.client, self.folder) = (client, folder) }

    /// Brings photos, some at a time.
    ///
    /// - Parameter tell: what became of each, in the order in which that is known.
    /// - Throws: what would befall the others as well: a full disk, a coordinator that is away.
    package func fetch(_ photos: [FoundPhoto], tell: (FoundPhoto, Outcome) -> Void) async throws {
        try await withThrowingTaskGroup(of: (FoundPhoto, Outcome).self) { group in
            var waiting = photos.makeIterator()
            func begin() {
                guard let photo = waiting.next() else { return }
                group.addTask { (photo, try await fetch(photo)) }
            }
            for _ in 0..<Self.mostAtOnce { begin() }
            while let (photo, outcome) = try await group.next() {
                begin()
                tell(photo, outcome)
            }
        }
    }

    /// Where a photo is brought to. Not by what the coordinator calls it: whatever that says, nothing is written outside
    /// the folder.
    package static func path(of found: FoundPhoto, in folder: String) -> String {
        let home = LibraryPath.photo(found.id, found.photo.record.slot, createdAt: found.createdAt)
        return folder + "/" + home.dropFirst("photos/".count)
    }

    /// Brings one photo, or the rest of it.
    private func fetch(_ found: FoundPhoto) async throws -> Outcome {
        guard let file = found.photo.record.file else { return .failed("its size is not known") }
        let path = Self.path(of: found, in: folder)
        if let byteCount = try files.byteCount(of: path) {
            guard byteCount == file.byteCount, try await hash(of: path) == file.sha256 else {
                return .failed("\(path) is there, and is another file; move it away")
            }
            return .present
        }
        if let link = Self.link(on: path, below: folder) {
            return .failed("\(link) is a link, which would lead it elsewhere; move it away")
        }
        try files.makeFolders(files.parent(of: path))
        let part = path + ".part"
        var isResumed = try files.byteCount(of: part) != nil
        while true {
            if !isResumed { _ = try files.open(part, .create) }
            do throws(Problem) {
                let byteCount = try await receive(found.id, file, into: part)
                guard try await publish(part, as: path) else {
                    return .failed("\(path) has come meanwhile, and is another file; move it away")
                }
                return .fetched(byteCount: byteCount)
            } catch {
                switch error {
                // It may be the rest of something else; once more from the start.
                case .differs where isResumed: isResumed = false
                case .differs:
                    try files.remove(part)
                    return .failed(
                        "its SHA-256 is not the one that its node took; `volley verify` on the library says more")
                case .refused(let refusal):
                    try files.remove(part)
                    return .failed(refusal.message)
                case .general(let error): throw error
                }
            }
        }
    }

    /// A folder on the way to a photo that is a link, and not a folder.
    private static func link(on path: String, below folder: String) -> String? {
        var place = folder
        for name in path.dropFirst(folder.count).split(separator: "/").dropLast() {
            place += "/\(name)"
            var status = stat()
            if lstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { return place }
        }
        return nil
    }

    private enum Problem: Error {
        case differs
        case refused(Refusal)
        case general(any Error)

        init(_ error: any Error) {
            guard let error = error as? OperatorClient.ClientError, case .refused(let refusal) = error,
                [.notFound, .unreadable].contains(refusal.code)
            else {
                self = .general(error)
                return
            }
            self = .refused(refusal)
        }
    }

    /// Makes a complete photo durable, and gives it its name, unless somebody else's file has it by now.
    ///
    /// - Returns: whether it did.
    private func publish(_ part: String, as path: String) async throws(Problem) -> Bool {
        do {
            // The others' pieces do not wait for the disk.
            return try await OSThread.run(name: "publish") { try place(part, as: path) }
        } catch {
            throw Problem(error)
        }
    }

    private func place(_ part: String, as path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try files.open(part, .append).sync()
        } catch {
            // What was not written may still be read back, and a second sync would say nothing of it.
            try? files.remove(part)
            throw error
        }
        guard try files.renameUnlessTaken(part, to: path) else { return false }
        try files.syncFolder(files.parent(of: path))
        return true
    }

    /// Appends what is missing to a part.
    ///
    /// - Returns: how many bytes came.
    private func receive(_ id: PhotoID, _ file: PhotoFile, into part: String) async throws(Problem) -> Int {
        do {
            var digest = try digest(of: part)
            let output = try files.open(part, .append)
            let first = try output.byteCount()
            guard first <= file.byteCount else { throw Problem.differs }
            var offset = first
            func ask(at offset: Int) -> Task<[UInt8], any Error> {
                Task { try await piece(id, at: offset, of: file.byteCount) }
            }
            // The next piece is on its way while this one is written.
            var next = offset < file.byteCount ? ask(at: offset) : nil
            defer { next?.cancel() }
            while let bytes = try await next?.value {
                guard !bytes.isEmpty, offset + bytes.count <= file.byteCount else { throw Problem.differs }
                offset += bytes.count
                next = offset < file.byteCount ? ask(at: offset) : nil
                bytes.withUnsafeBytes { digest.update($0) }
                try output.append(bytes)
            }
            // What came, and what is there.
            let isWhole = try output.byteCount() == file.byteCount
            guard digest.finish() == file.sha256, isWhole else { throw Problem.differs }
            return file.byteCount - first
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(error)
        }
    }

    private func piece(_ id: PhotoID, at offset: Int, of byteCount: Int) async throws -> [UInt8] {
        let request = PieceRequest(id, offset: offset, length: min(pieces.length, byteCount - offset))
        var triesLeft = 20
        while true {
            do {
                let asked = ContinuousClock.now
                let bytes = try await client.askForBytes(request, seconds: 60).bytes
                pieces.took(asked.duration(to: .now), bytes.count)
                return bytes
            } catch OperatorClient.ClientError.refused(let refusal) where refusal.code == .tryAgain && triesLeft > 0 {
                // Others ask as well.
                triesLeft -= 1
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// Of a whole file; the others' pieces do not wait for it.
    private func hash(of path: String) async throws -> String {
        try await OSThread.run(name: "digest") { try digest(of: path).finish() }
    }

    private func digest(of path: String) throws(SystemError) -> Digest {
        var digest = Digest()
        _ = try digest.update(try files.open(path, .read))
        return digest
    }
}

/// How long pieces are: about as much as comes in a second, so that on a slow wire, too, something comes all the time.
private final class PieceLength: Sendable {
    private static let bounds = 16 << 10...PieceRequest.mostLength / 2
    private let state = Mutex(64 << 10)

    var length: Int { state.withLock(\.self) }

    /// A piece came; the next ones are twice as long at most.
    func took(_ time: Duration, _ byteCount: Int) {
        let wanted = Double(byteCount) / max(time / .seconds(1), 1e-3)
        state.withLock { length in
            // The last piece of a file says nothing of longer ones.
            guard byteCount >= length || wanted < Double(length) else { return }
            length = min(max(Int(min(wanted, 1e9)), Self.bounds.lowerBound), 2 * length, Self.bounds.upperBound)
        }
    }
}
