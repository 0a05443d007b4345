import ArgumentParser
import CaptureModel
import Dispatch
import OperatorAccess
import PhotoRetrieval
import Posix
import Programs
import RigProtocol
import RigTransport

/// `volley fetch`.
struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Brings photos from the coordinator's library into a folder of this machine.",
        discussion: """
            Each is checked against the hash that its node took. What is there already is not fetched again, and what was \
            interrupted goes on where it stopped: give the same command again. Exit status: 1 if some could not be had.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var choice: PhotoChoice
    @Argument(help: "The folder, which is made where it is missing.", completion: .directory) var folder: String
    @Flag(help: "Print one JSON document.") var json = false

    /// Of how many captures is looked up why there is nothing of them: the newest.
    private static let mostExplained = 100

    private struct Document: Encodable {
        let folder: String
        var fetchedPhotos = 0
        var fetchedBytes = 0
        /// Those that were there already.
        var presentPhotos = 0
        var failures: [PhotoFailure] = []

        /// How many photos are dealt with.
        var count: Int { fetchedPhotos + presentPhotos + failures.count }

        mutating func note(_ photo: FoundPhoto, _ outcome: PhotoFetch.Outcome) {
            switch outcome {
            case .fetched(let byteCount):
                fetchedPhotos += 1
                fetchedBytes += byteCount
            case .present: presentPhotos += 1
            case .failed(let message):
                failures.append(PhotoFailure(photo.id, message))
            }
        }
    }

    func validate() throws {
        let chosen = try choice.captures.filter()
        guard choice.capture != nil || chosen != CaptureFilter() else {
            throw ValidationError("Say which photos: --capture last, --session, --since...")
        }
    }

    func run() async throws {
        try await Output.reporting {
            try checkFolder()
            let client = try rig.connect()
            defer { client.close() }
            let answers = Answers.coordinator(client)
            var filter = try await choice.leaving(answers)
            try await choice.tellRejected(filter, answers)
            let captures = try await answers.allCaptures(filter.captures)
            (filter.states, filter.limit) = ([.stored], 0)
            let total = try await answers.photos(filter).0.matchCount
            guard total > 0 else { return try await tellAbsence(of: filter, in: captures, answers) }
            try PosixFileSystem().makeFolders(folder)
            // Two would write into one file.
            let lock = try lock()
            defer {
                try? PosixFileSystem().remove(folder + "/lock")
                withExtendedLifetime(lock) {}
            }
            let interrupt = CaptureWaiter.onInterrupt { "What is there stays; the same command goes on." }
            defer { interrupt.cancel() }
            let fetch = PhotoFetch(client: client, folder: folder)
            var document = Document(folder: folder)
            var bar = ProgressBar()
            defer { bar.finish() }
            do {
                for id in captures {
                    filter.captures.digits = id.description
                    try await fetch.fetch(answers.allPhotos(filter)) {
                        document.note($0, $1)
                        bar.show(document.count, of: total, "fetched")
                    }
                }
            } catch {
                bar.finish()
                let done = document.fetchedPhotos + document.presentPhotos
                Output.words(
                    "\(done) of \(Sentences.count(total, "photo")) are in \(folder); the same command goes on.")
                throw error
            }
            bar.finish()
            try tell(document, total)
        }
    }

    /// Says why there is nothing to fetch. In a time alone there may be nothing yet; what was named should have photos.
    private func tellAbsence(of filter: PhotoFilter, in captures: [UniqueID], _ answers: Answers) async throws {
        var named = try choice.captures.filter()
        (named.since, named.until) = (nil, nil)
        guard choice.capture != nil || named != CaptureFilter() else { return try tell(Document(folder: folder), 0) }
        var details: [CaptureDetail] = []
        for id in captures.suffix(Self.mostExplained) {
            guard let reference = CaptureReference(argument: id.description) else { continue }
            details.append(try await answers.capture(reference))
        }
        throw OperatorClient.ClientError.refused(
            Refusal(.notFound, try await answers.absence(of: filter, in: details)))
    }

    /// Refuses a place that is none for photos, before anything is made there.
    private func checkFolder() throws {
        let files = PosixFileSystem()
        let problem =
            if try files.byteCount(of: folder) != nil {
                "\(folder) is a file; name a folder."
            } else {
                libraryObjection(toFolder: folder)
            }
        if let problem { throw OperatorClient.ClientError.refused(Refusal(.invalid, problem)) }
    }

    private func lock() throws -> any FileLock {
        do throws(SystemError) {
            return try PosixFileSystem().lock(folder)
        } catch {
            guard error.call == "flock" else { throw error }
            throw OperatorClient.ClientError.refused(
                Refusal(.tryAgain, "Another command fetches into \(folder); wait for it, or name another folder."))
        }
    }

    private func tell(_ document: Document, _ total: Int) throws {
        if json { try Output.json(document) }
        for line in PhotoFailure.lines(document.failures) { Output.words(line) }
        if !json {
            let present = document.presentPhotos > 0 ? ", \(document.presentPhotos) were there already" : ""
            let size = Sentences.size(document.fetchedBytes)
            Output.words(
                total == 0
                    ? "No photo matches."
                    : "\(Sentences.count(document.fetchedPhotos, "photo")) fetched, \(size)\(present): \(folder)")
        }
        if document.count < total {
            Output.words(
                "\(total - document.count) were deleted meanwhile, or have come since; the same command looks again.")
        }
        if !document.failures.isEmpty || document.count < total { throw ExitCode(ExitStatus.failed) }
    }
}
