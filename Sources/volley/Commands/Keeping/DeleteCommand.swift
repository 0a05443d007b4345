import ArgumentParser
import CaptureModel
import Documents
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// `volley delete`.
struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes captures or photos: they go into the library's trash.",
        discussion: """
            With --node, --step or --format photos are deleted, rather than captures. What is old: volley delete all \
            --until -90d. What somebody else put beside the photos stays where it is. `volley trash` puts back and empties.
            """)

    @Argument(help: Chosen.help) var capture: Chosen
    @Flag(help: "Only list what would be deleted.") var dryRun = false
    @OptionGroup var target: KeepingTarget

    func validate() throws { try target.validate(capture) }

    func run() async throws {
        try await Output.reporting {
            let client = try target.rig.connect()
            defer { client.close() }
            var request = TrashRequest(.delete, try await target.filter(capture, .coordinator(client)))
            (request.isOfPhotos, request.isDryRun) = (target.isOfPhotos, dryRun)
            let reply = try await client.ask(request, seconds: 60)
            if target.json { return try Output.json(TrashDocument(reply)) }
            if dryRun { Output.report(reply.table.text) }
            if dryRun { return Output.words("\(reply.sentence) would be deleted.") }
            let what = reply.captures.count == 1 ? "\(reply.captures[0].uniqueID)" : "last"
            let back = reply.captures.isEmpty ? "" : " `volley trash recover \(what)` puts back."
            Output.words("\(reply.sentence): in the trash.\(back)")
        }
    }
}

/// `volley trash`.
struct TrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash", abstract: "Lists what was deleted, puts it back, or removes it for good.",
        subcommands: [ListTrashCommand.self, RecoverCommand.self, EmptyTrashCommand.self, TrustClockCommand.self],
        defaultSubcommand: ListTrashCommand.self)
}

/// `volley trash list`.
struct ListTrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists what is in the trash (the default).")

    @OptionGroup var rig: RigOptions
    @OptionGroup var choice: CaptureChoice
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws { _ = try choice.filter() }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            var filter = PhotoFilter()
            filter.captures = try choice.filter()
            let reply = try await client.ask(TrashRequest(.list, filter), seconds: 60)
            if json { return try Output.json(TrashDocument(reply)) }
            guard !reply.captures.isEmpty else { return Output.words("Nothing of that is in the trash.") }
            Output.report(reply.table.text)
            Output.words("In the trash: \(reply.sentence).")
        }
    }
}

/// `volley trash recover`.
struct RecoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Puts back what is in the trash of captures.")

    @OptionGroup var rig: RigOptions
    @Argument(help: Chosen.help) var capture: Chosen
    @OptionGroup var choice: CaptureChoice
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws { try choice.validate(capture) }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            var request = TrashRequest(.recover, PhotoFilter())
            if case .one(.last) = capture {
                request.deletedSince = try await lastDeletion(client)
            } else {
                request.filter.captures = try await choice.filter(capture, .coordinator(client))
            }
            let reply = try await client.ask(request, seconds: 60)
            if json { return try Output.json(TrashDocument(reply)) }
            Output.words("Put back: \(reply.sentence).")
        }
    }

    /// Here the last one is what was deleted last: all that one command deleted.
    private func lastDeletion(_ client: OperatorClient) async throws -> UTCTime {
        let trash = try await client.ask(TrashRequest(.list, PhotoFilter()), seconds: 60).captures
        guard let last = trash.compactMap(\.deletedAt).max() else {
            throw OperatorClient.ClientError.refused(Refusal(.notFound, "Nothing is in the trash."))
        }
        return last
    }
}

/// `volley trash empty`.
struct EmptyTrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "empty", abstract: "Removes what is in the trash for good, which takes an administrator.",
        discussion: "The catalogue keeps what it knows of the photos.")

    @OptionGroup var rig: RigOptions
    @Argument(help: Chosen.help) var capture: Chosen = .all
    @OptionGroup var choice: CaptureChoice
    @Option(
        parsing: .unconditional,
        help: "Only what was deleted before this time: -30d, for example, for what has been in the trash for 30 days.")
    var deletedBefore: String?
    @Flag(help: "Only list what would be removed.") var dryRun = false
    @Flag(help: "Ask nothing.") var yes = false
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws {
        try choice.validate(capture, isAny: true)
        guard try deletedBefore.map(Instant.passed)?.span(from: .now) ?? 0 <= .seconds(60) else {
            throw ValidationError("--deleted-before names a time that has passed, not one to come.")
        }
    }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            var filter = PhotoFilter()
            filter.captures = try await choice.filter(capture, .coordinator(client))
            var request = TrashRequest(.empty, filter)
            request.deletedUntil = try deletedBefore.map(Instant.passed)
            request.isDryRun = true
            var reply = try await client.ask(request, seconds: 60)
            if dryRun || reply.matchCount == 0 { return try tell(reply, "would be removed") }
            try confirm(reply)
            // What is deleted from now on stays.
            (request.isDryRun, request.deletedUntil) = (false, reply.deletedUntil.map(Instant.at) ?? .fromNow(0))
            var removed: [DeletablePhotos] = []
            repeat {
                reply = try await client.ask(request, seconds: 60)
                removed += reply.captures
            } while reply.matchCount > reply.captures.count && !reply.captures.isEmpty
            let left = reply.matchCount - reply.captures.count
            try tell(TrashReply(removed, matchCount: removed.count + left), "removed for good")
            guard left == 0 else {
                Output.words(
                    "\(Sentences.count(left, "capture")) left: their files are on their way into the trash, or cannot be "
                        + "read; try again.")
                throw ExitCode(ExitStatus.failed)
            }
        }
    }

    private func tell(_ reply: TrashReply, _ what: String) throws {
        if json { return try Output.json(TrashDocument(reply)) }
        if dryRun, !reply.captures.isEmpty { Output.report(reply.table.text) }
        Output.words(reply.matchCount == 0 ? "Nothing of that is in the trash." : "\(reply.sentence): \(what).")
    }

    private func confirm(_ reply: TrashReply) throws {
        guard !yes else { return }
        let what =
            reply.matchCount > reply.captures.count
            ? "what is in the trash of \(reply.matchCount) captures" : reply.sentence
        guard Keyboard.isTerminal else {
            let words = "This would remove \(what) for good; say --yes where nobody can be asked."
            FailureDocument(words, exitStatus: ExitCode.validationFailure.rawValue).write()
            Output.words("volley: \(words)")
            throw ExitCode.validationFailure
        }
        Output.words("This removes \(what) for good. Type yes to go on:")
        guard ["yes", "y"].contains(readLine()?.lowercased()) else { throw CleanExit.message("Nothing was removed.") }
    }
}

/// `volley trash trust-clock`.
struct TrustClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust-clock",
        abstract: "Says that the coordinator's clock is right, where `volley status` says that it has jumped.",
        discussion: """
            A coordinator whose clock has jumped throws nothing away by itself until the new time has stood for three days, \
            or an administrator says so. What is in the trash by then ages anew.
            """)

    @OptionGroup var rig: RigOptions

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            _ = try await client.ask(TrashRequest(.trustClock, PhotoFilter()))
            Output.words("Retention goes on by the coordinator's clock.")
        }
    }
}

extension TrashReply {
    /// `24 photos of 3 captures, 1.2 GB`; of the first 1000 where there are more.
    fileprivate var sentence: String {
        let all = matchCount > captures.count ? " (\(captures.count) of \(matchCount) captures)" : ""
        return "\(Sentences.count(photoCount, "photo")) of \(Sentences.count(captures.count, "capture")), "
            + Sentences.size(byteCount) + all
    }

    fileprivate var table: Table {
        var table = Table([
            "CAPTURE", Sentences.zoned("CREATED"), "SESSION", Sentences.zoned("DELETED"), "BY", "PHOTOS", "SIZE",
        ])
        for capture in captures {
            table.add([
                "\(capture.uniqueID)", Sentences.time(capture.createdAt), capture.session ?? "",
                capture.deletedAt.map(Sentences.time) ?? "", capture.deletedBy?.rawValue ?? "",
                "\(capture.photoCount)", Sentences.size(capture.byteCount),
            ])
        }
        return table
    }
}
