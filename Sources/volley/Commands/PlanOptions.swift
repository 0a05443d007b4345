import ArgumentParser
import CaptureModel
import Foundation
import Programs
import RigConfiguration
import RigProtocol
import RigTransport

/// Where the plan comes from that is fired: a file, standard input, an earlier capture, or the command line itself.
struct PlanOptions: ParsableArguments {
    @Argument(help: "The plan, a YAML file; - for standard input.", completion: Completions.plans) var plan: String?
    @Option(
        name: .customLong("auto"), parsing: .unconditional,
        help: "Without a file: an automatic bracket of these biases in EV, such as -2,0,2.")
    var biases: String?
    @Option(
        name: .customLong("manual"),
        help:
            "Without a file: a manual bracket of TIME@ISO, such as 1/250@100,1/60@100; what is left out stays as it is."
    )
    var exposures: String?
    @Option(help: "Without a file: this many exposures as the camera is set.") var burst: Int?
    @Flag(help: "Without a file: one exposure as the camera is set.") var single = false
    @Option(help: "The plan of an earlier capture: its uniqueID, digits with which it begins or ends, or last.")
    var like: CaptureReference?
    @Option(name: .customLong("format"), help: "jpeg, dng or tiff, in place of the plan's; may be repeated.")
    var formats: [PhotoFormat] = []
    @Option(
        name: .customLong("nodes"),
        help: "Nodes or patterns of them, such as 'top-*,door', in place of the plan's; may be repeated.",
        completion: Completions.nodes)
    var chosenNodes: [String] = []
    @Option(
        name: .customLong("group"), help: "A group of the rig, in place of the plan's nodes; may be repeated.",
        completion: Completions.groups)
    var groups: [String] = []
    @Option(help: "all, bestEffort, or the least number of nodes, in place of the plan's.") var policy: String?

    func validate() throws {
        // None is for whoever needs none.
        if sources.count > 1 {
            throw ValidationError(
                "One plan is wanted, and here are several: \(sources.joined(separator: ", ")). Write lists with commas and "
                    + "without spaces: --auto -2,0,2.")
        }
        if let exposures, exposures.split(separator: ",", omittingEmptySubsequences: false).contains("") {
            throw ValidationError("--manual must be steps such as 1/250@100, with commas between them.")
        }
        if Set(formats).count < formats.count { throw ValidationError("A format is given twice.") }
        _ = try (policy.map(Self.policy), patterns())
    }

    /// Where it is to come from, as it was typed.
    var sources: [String] {
        [
            plan.map { "the plan '\($0)'" }, biases.map { "--auto \($0)" }, exposures.map { "--manual \($0)" },
            burst.map { "--burst \($0)" }, single ? "--single" : nil, like.map { "--like \($0)" },
        ].compactMap(\.self)
    }

    /// Whether they change a plan.
    var changesPlan: Bool { !formats.isEmpty || policy != nil || !chosenNodes.isEmpty || !groups.isEmpty }

    static let wantsOne = ValidationError("Give one of: a plan, --auto, --manual, --burst, --single, --like.")

    /// Refuses options that name no plan.
    func require() throws { if sources.isEmpty { throw Self.wantsOne } }

    /// The plan, with what the options change of it.
    func read(_ client: OperatorClient) async throws -> Plan {
        var plan = try await source(client)
        if !formats.isEmpty { plan.formats = formats }
        if let policy { plan.policy = try Self.policy(policy) }
        let patterns = try patterns()
        if !patterns.isEmpty || !groups.isEmpty {
            plan.nodes = patterns.isEmpty ? nil : patterns
            plan.groups = groups.isEmpty ? nil : groups
        }
        try await client.requireKnowledge(of: plan)
        return plan
    }

    private func patterns() throws -> [NodePattern] {
        try NodePattern.list(chosenNodes) {
            "--nodes must be names or patterns such as 'top-*,door', not '\($0)'."
        }
    }

    private func source(_ client: OperatorClient) async throws -> Plan {
        if let like {
            let detail = try await Answers.coordinator(client).capture(like)
            guard let plan = detail.plan else {
                throw OperatorClient.ClientError.refused(
                    Refusal(.notFound, "What the plan of capture \(detail.summary.uniqueID) was is not known."))
            }
            return plan
        }
        if let plan { return try PlanFile.read(plan == "-" ? "/dev/stdin" : plan) }
        let (name, bracket) = try typed()
        return try PlanFile.read(text: "name: \(name)\nbracket: {\(bracket)}\n", from: "--\(name)")
    }

    /// What a plan of the same meaning says: one reader knows what is right.
    private func typed() throws -> (name: String, bracket: String) {
        if let biases {
            let steps = try Self.steps(biases, of: "--auto", such: "-2,0,2")
            return ("auto", "autoExposure: [\(steps.joined(separator: ", "))]")
        }
        if let exposures {
            let steps = try Self.steps(exposures, of: "--manual", such: "1/250@100,1/60").map { step in
                let parts = step.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
                let duration = parts[0].isEmpty ? [] : ["duration: \(parts[0])"]
                let iso = parts.count < 2 ? [] : ["iso: \(parts[1])"]
                return "{" + (duration + iso).joined(separator: ", ") + "}"
            }
            return ("manual", "manualExposure: [\(steps.joined(separator: ", "))]")
        }
        return single ? ("single", "burst: 1") : ("burst", "burst: \(burst ?? 0)")
    }

    /// What stands between commas, with nothing in it that means something to YAML.
    ///
    /// - Throws: where it holds anything else: what looks like a minus and is a dash would be another bracket without it.
    private static func steps(_ text: String, of option: String, such example: String) throws -> [String] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { piece in
            let step = piece.trimmingCharacters(in: .whitespaces)
            let odd = step.first { !($0.isASCII && ($0.isLetter || $0.isNumber || "+-./@".contains($0))) }
            guard let odd else { return step }
            throw ValidationError(
                "\(option) '\(text)': \(odd == " " ? "a space" : "'\(odd)'") has no place within a step; write \(example), "
                    + "with a comma between steps.")
        }
    }

    private static func policy(_ text: String) throws -> CapturePolicy {
        switch text {
        case "all": return .all
        case "bestEffort": return .bestEffort
        case _:
            guard let count = Int(text), count > 0 else {
                throw ValidationError("--policy must be all, bestEffort or a number of nodes, not '\(text)'.")
            }
            return .atLeast(count)
        }
    }
}
