import ArgumentParser
import CaptureModel
import Catalogue
import Foundation
import Programs
import RigClock
import RigConfiguration
import RigMembership
import RigProtocol
import RigTransport
import ZeroMQ

/// `volley nodes`.
struct NodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes", abstract: "Lists the nodes of the rig, with the reason if one cannot take part.")

    @OptionGroup var rig: RigOptions
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let reply = try await client.ask(NodesRequest())
            if json { return try Output.json(reply.nodes) }
            var table = Table(["NODE", "STATE", "CAMERA", "FORMAT", "CLOCK", "REMARK"])
            for node in reply.nodes {
                let camera = node.capabilities
                let clock = node.clock.map {
                    "\($0.estimate.status.rawValue) ±\(Sentences.milliseconds($0.estimate.boundNanoseconds))"
                }
                table.add([
                    node.name.rawValue, node.state.rawValue, camera.map { "\($0.cameraID) (\($0.modelID))" } ?? "-",
                    camera.map { "\($0.pixelFormat) \($0.dimensions)" } ?? "-", clock ?? "-",
                    node.problem ?? camera?.limitations.first ?? "",
                ])
            }
            Output.data(table.text)
        }
    }
}

/// `volley captures`.
struct CapturesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captures", abstract: "Lists captures, newest first.")

    @OptionGroup var rig: RigOptions
    @Option(help: "Read this library's catalogue directly, without a coordinator.") var library: String?
    @Option(help: "Only captures of this session.") var session: String?
    @Option(name: .customLong("label"), help: "Only captures with this KEY=VALUE; may be repeated.")
    var labels: [String] = []
    @Option(help: "Only captures in which this node took part.") var node: NodeName?
    @Option(help: "Only captures in this state.") var state: CaptureState?
    @Option(help: "Only captures from this time on, UTC: 2026-11-21 or 2026-11-21T18:00.") var since: String?
    @Option(help: "Only captures before this time, UTC.") var until: String?
    @Option(help: "At most this many.") var limit = 50
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            var filter = CaptureFilter()
            filter.session = session
            filter.labels = try parseLabels(labels)
            filter.node = node
            filter.state = state
            filter.since = try since.map(parseTime)
            filter.until = try until.map(parseTime)
            filter.limit = limit
            let captures = try await find(filter)
            if json { return try Output.json(captures) }
            var table = Table(["CAPTURE", "CREATED (UTC)", "STATE", "PLAN", "SESSION", "NODES", "PHOTOS", "REASON"])
            for capture in captures {
                table.add([
                    "\(capture.uniqueID)", Sentences.time(capture.createdAt), capture.state.rawValue,
                    capture.planName, capture.session ?? "", "\(capture.nodeCount)",
                    "\(capture.storedPhotoCount)/\(capture.expectedPhotoCount)", capture.reason ?? "",
                ])
            }
            Output.data(table.text)
        }
    }

    private func find(_ filter: CaptureFilter) async throws -> [CaptureSummary] {
        if let library { return try await openCatalogue(library: library).captures(filter) }
        let client = try rig.connect()
        defer { client.close() }
        return try await client.ask(CapturesRequest(filter: filter)).captures
    }

    private func parseTime(_ text: String) throws -> UTCTime {
        let formats = ["yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm", "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd HH:mm:ss"]
        if let time = UTCTime.parse(text, formats) { return time }
        throw ValidationError("A time must be written as 2026-11-21 or 2026-11-21T18:00, not '\(text)'.")
    }
}

extension CaptureState: ExpressibleByArgument {}

extension NodeName: ExpressibleByArgument {}

/// `volley show`.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows everything about one capture.")

    @OptionGroup var rig: RigOptions
    @Option(help: "Read this library's catalogue directly, without a coordinator.") var library: String?
    @Argument(help: "The capture's uniqueID.") var uniqueID: UniqueID
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let capture = try await find()
            if json { try Output.json(capture) } else { Output.data(CaptureReport(capture: capture).text) }
        }
    }

    private func find() async throws -> CaptureDetail {
        if let library {
            guard let capture = try await openCatalogue(library: library).capture(uniqueID) else {
                throw OperatorClient.ClientError.refused(
                    Refusal(.notFound, "There is no capture \(uniqueID) in \(library)."))
            }
            return capture
        }
        let client = try rig.connect()
        defer { client.close() }
        return try await client.ask(ShowRequest(uniqueID: uniqueID)).capture
    }
}

/// `volley cancel`.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancels a capture that is under way.")

    @OptionGroup var rig: RigOptions
    @Argument(help: "The capture's uniqueID.") var uniqueID: UniqueID
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let reply = try await client.ask(CancelRequest(uniqueID: uniqueID))
            if json { try Output.json(reply) } else { Output.words("Capture \(uniqueID) is being cancelled.") }
        }
    }
}

/// `volley keygen`.
struct KeygenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen", abstract: "Makes a CURVE key pair: PATH.key, the secret, and PATH.pub.",
        discussion: "Put NAME.pub into the coordinator's nodes or operators folder; NAME is what its owner goes by.")

    @Argument(help: "The path without an extension; its last part is the name.") var path: String

    func run() async throws {
        try await Output.reporting {
            let pair = try KeyFile.generate(at: path)
            Output.words("Made \(path).key, which must stay secret, and \(path).pub.")
            Output.data("\(pair.publicKey)")
        }
    }
}
