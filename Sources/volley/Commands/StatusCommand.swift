import ArgumentParser
import CaptureModel
import Documents
import OperatorAccess
import Programs
import RigAttention
import RigProtocol
import RigTransport

/// `volley status`.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Says in a screenful how the rig is, and what needs attention.",
        discussion: """
            The exit status is 0 if all is well, 1 if something needs attention, and 69 if no coordinator answers: a monitor \
            can call it.
            """)

    @OptionGroup var rig: RigOptions
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let status = try await RigStatus(of: client)
            if json { try Output.json(status) } else { Output.report(status.text) }
            if !status.attention.isEmpty { throw ExitCode(ExitStatus.failed) }
        }
    }
}

/// How a rig is.
struct RigStatus: Encodable {
    /// A capture that is not over.
    struct UnderWay: Encodable {
        let uniqueID: UniqueID
        let state: CaptureState
        let reason: String?
        let storedPhotoCount, expectedPhotoCount: Int
    }

    /// What `volley copy` has brought to a place.
    struct Copies: Encodable {
        /// How rclone names it, and the beginning of its mark's hash.
        let place: String
        let photoCount: Int
        /// When the one that was read back longest ago was read.
        let oldestReadAt: WallTime
    }

    let coordinator, library: String
    let coordinatorSoftware: String?
    let readyNodeCount, nodeCount: Int
    let libraryFreeBytes, leastSpoolFreeBytes: Int64?
    /// What the last check of the library found; nil where there was none.
    let verification: VerdictDocument?
    let capturesUnderWay: [UnderWay]
    /// What other places have of the library's photos.
    let copies: [Copies]
    /// Photos that nodes still have to deliver.
    let photosToComeCount: Int
    /// Those that are on their way or wait for it, and how fast that goes; nil where the coordinator is too old to say so.
    let toCome: StatusReply.ToCome?
    /// What cameras are set to by hand, in lines.
    let setByHand: [String]
    /// What a person should look at, one sentence each.
    let attention: [String]

    init(of client: OperatorClient) async throws {
        let (status, clocks) = try await ClockComparison.ask(client)
        let nodes = try await client.ask(NodesRequest()).nodes.filter { $0.state != .retired }
        let families = try await client.ask(MetricsRequest()).families
        let answers = Answers.coordinator(client)
        var (filter, pending) = (CaptureFilter(), PhotoFilter())
        filter.states = [.preparing, .firing, .collecting]
        (pending.states, pending.limit) = ([.pending], 1)
        // A catalogue that cannot be read is what this is to say.
        func known<Answer>(_ answer: () async throws -> Answer) async throws -> Answer? {
            do { return try await answer() } catch  where status.trouble != nil { return nil }
        }
        capturesUnderWay =
            try await known { try await answers.captures(filter).items }?.map {
                UnderWay(
                    uniqueID: $0.uniqueID, state: $0.state, reason: $0.reason, storedPhotoCount: $0.storedPhotoCount,
                    expectedPhotoCount: $0.expectedPhotoCount)
            } ?? []
        let owed = try await known { try await answers.photos(pending).0.matchCount } ?? 0
        // What is no longer waited for comes all the same.
        photosToComeCount = max(owed, status.toCome?.photoCount ?? 0)
        toCome = status.toCome
        (coordinator, library, coordinatorSoftware) = (client.place, status.library, status.software)
        nodeCount = nodes.count
        readyNodeCount = nodes.count { [.ready, .busy].contains($0.state) }
        func samples(_ name: String) -> [Double] {
            families.first { $0.name == name }?.samples.map(\.value) ?? []
        }
        libraryFreeBytes = samples("volley_library_free_bytes").first.map { Int64(clamped: $0) }
        leastSpoolFreeBytes = samples("volley_node_spool_free_bytes").min().map { Int64(clamped: $0) }
        copies = (status.copies ?? []).map {
            Copies(place: $0.place, photoCount: $0.photoCount, oldestReadAt: WallTime($0.oldestReadAt))
        }
        verification = status.verdict.map { VerdictDocument($0) }
        let said = nodes.compactMap { node in node.setByHand.map { (node.name, $0) } }
        setByHand = FoldedReasons.lines(Dictionary(said) { first, _ in first })
        attention =
            Concern.sentences(Outlook(status, nodes, families).concerns) + [clocks?.remark].compactMap(\.self)
    }

    var text: String {
        var lines = [
            "Coordinator  \(coordinator), Volley \(coordinatorSoftware ?? "of an older release")",
            "Nodes        \(readyNodeCount) of \(nodeCount) ready",
            "Library      \(library), \(Self.room(libraryFreeBytes))",
            "Boards       \(Self.room(leastSpoolFreeBytes)) on the fullest",
            "Verified     \(verification.map(Self.words) ?? "never (`volley verify`)")",
        ]
        for place in copies {
            lines.append(
                "Copies       \(Sentences.count(place.photoCount, "photo")) at \(place.place.printableLine), each read back "
                    + "since \(Sentences.zonedTime(place.oldestReadAt.time))")
        }
        lines += [
            "To come      \(Sentences.count(photosToComeCount, "photo"))\(toCome.map(Self.words) ?? "")"
        ]
        for capture in capturesUnderWay {
            lines.append(
                "Under way    capture \(capture.uniqueID), \(capture.state.rawValue), "
                    + "\(capture.storedPhotoCount) of \(Sentences.count(capture.expectedPhotoCount, "photo"))")
            lines += capture.reason.map { ["             " + $0.printableLine] } ?? []
        }
        lines += setByHand.map { "By hand      \($0.printableLine)" }
        lines += attention.isEmpty ? ["All is well."] : ["Needs attention:"] + attention.map { "  " + $0.printableLine }
        return lines.joined(separator: "\n")
    }

    /// `, 6.1 MB at 62 kB a second: some 2 min`.
    private static func words(_ toCome: StatusReply.ToCome) -> String {
        guard toCome.byteCount > 0 else { return "" }
        let size = Sentences.size(toCome.byteCount)
        guard toCome.bytesPerSecond >= 1, let seconds = toCome.seconds, seconds < 1e9 else { return ", \(size)" }
        let until = UTCTime.now + .seconds(Int64(clamped: seconds))
        return ", \(size) at \(Sentences.size(Int(clamped: toCome.bytesPerSecond))) a second: until about "
            + Sentences.zonedTime(until)
    }

    private static func words(_ verdict: VerdictDocument) -> String {
        let time = Sentences.zonedTime(verdict.at.time)
        let photos = "\(verdict.storedPhotoCount) of \(Sentences.count(verdict.expectedPhotoCount, "photo"))"
        let problems = verdict.problemCount == 0 ? "all is well" : Sentences.count(verdict.problemCount, "problem")
        let lost = verdict.lostPhotoCount > 0 ? ", \(verdict.lostPhotoCount) lost" : ""
        return "\(time), \(photos)\(lost), \(problems)"
    }

    private static func room(_ bytes: Int64?) -> String {
        guard let bytes else { return "unknown room" }
        let gib = Double(bytes) / Double(1 << 30)
        return gib < 1 ? "\(bytes >> 20) MiB free" : "\(Int(gib)) GiB free"
    }
}
