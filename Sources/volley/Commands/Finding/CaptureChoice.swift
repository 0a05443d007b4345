public import ArgumentParser
public import CaptureModel
import Foundation
import Posix
import Programs
import RigConfiguration
import RigProtocol

/// Options by which captures are chosen.
struct CaptureChoice: ParsableArguments {
    @Option(help: "Only captures of this session.", completion: Completions.sessions) var session: String?
    @Option(help: "Only captures of this subject.") var subject: String?
    @Option(name: .customLong("label"), help: "Only captures with this KEY=VALUE; may be repeated.")
    var labels: [String] = []
    @Option(help: "Only captures of this plan.") var plan: String?
    @Option(name: .customLong("operator"), help: "Only captures that this operator fired.") var operatorName: NodeName?
    @Option(help: "Only captures in which this camera took part: its id, its model or its serial number.")
    var camera: String?
    @Option(
        parsing: .unconditional,
        help: "Only captures from this time on: \(TypedTime.examples). Without a zone it is local.")
    var since: String?
    @Option(parsing: .unconditional, help: "Only captures before this time.") var until: String?

    /// The captures that are chosen.
    func filter() throws -> CaptureFilter {
        var filter = CaptureFilter()
        (filter.session, filter.subject, filter.labels) = (session, subject, try parseLabels(labels))
        (filter.plan, filter.firedBy, filter.camera) = (plan, operatorName, camera)
        filter = filter.composed
        filter.since = try since.map(Instant.passed)
        filter.until = try until.map { try Instant.end($0, since: since) }
        // A time of day may be one that has passed by the coordinator's clock; a span is clear.
        if case .fromNow(let span)? = filter.since, span > 0 {
            throw ValidationError("--since \(self.since ?? "") lies in the future.")
        }
        if let since = filter.since, let until = filter.until, until.time(.now) <= since.time(.now) {
            throw ValidationError(
                "--until \(self.until ?? "") is not after --since \(self.since ?? ""): nothing is between them.")
        }
        return filter
    }
}

/// Options by which photos are chosen.
struct PhotoChoice: ParsableArguments {
    @OptionGroup var captures: CaptureChoice
    @Option(help: "Only photos of this capture: its uniqueID, digits with which it begins or ends, or last.")
    var capture: CaptureReference?
    @Option(name: .customLong("node"), help: "Only photos of this node, or of top-*; may be repeated.")
    var nodes: [NodePattern] = []
    @Option(name: .customLong("step"), help: "Only photos of this step, 1 for the first; may be repeated.")
    var steps: [Int] = []
    @Option(name: .customLong("format"), help: "Only photos in this format; may be repeated.")
    var formats: [PhotoFormat] = []
    @Option(help: "Only photos that were found to be so.") var verification: VerificationWord?
    @OptionGroup var opinion: OpinionChoice

    func validate() throws {
        _ = try captures.filter()
        if let step = steps.first(where: { $0 < 1 }) { throw ValidationError("Steps begin with 1, not \(step).") }
    }

    /// The photos that are chosen.
    func filter(_ answers: Answers) async throws -> PhotoFilter {
        var filter = PhotoFilter()
        filter.captures = try captures.filter()
        filter.captures.digits = try await capture?.resolve(answers).description
        (filter.nodes, filter.steps, filter.formats) = (nodes, steps, formats)
        (filter.minRating, filter.isRejected) = (opinion.minRating, opinion.isRejected)
        filter.verification = verification?.rawValue
        return filter
    }
}

extension PhotoChoice {
    /// The photos that are to leave the library: of those that are chosen not the rejected ones, unless these are wanted.
    func leaving(_ answers: Answers) async throws -> PhotoFilter {
        var filter = try await filter(answers)
        if !opinion.rejected, !opinion.withRejected { (filter.isRejected, filter.captures.isRejected) = (false, false) }
        return filter
    }

    /// Says how many were left out for that.
    func tellRejected(_ filter: PhotoFilter, _ answers: Answers) async throws {
        guard filter.isRejected == false, !opinion.withoutRejected else { return }
        var all = filter
        (all.isRejected, all.captures.isRejected, all.states, all.limit) = (nil, nil, [.stored], 1)
        var kept = filter
        (kept.states, kept.limit) = ([.stored], 1)
        let left = try await answers.photos(all).0.matchCount - answers.photos(kept).0.matchCount
        guard left > 0 else { return }
        Output.words("\(Sentences.count(left, "rejected photo")) left out; --with-rejected takes them.")
    }
}

/// Options by which captures or photos are chosen for what people said of them.
struct OpinionChoice: ParsableArguments {
    @Option(help: "Only those with this rating or a better one, 1 to 5.") var minRating: Int?
    @Flag(help: "Only those that were rejected.") var rejected = false
    @Flag(help: "None that were rejected; the default where photos leave the library.") var withoutRejected = false
    @Flag(help: "Those that were rejected as well, where photos leave the library.") var withRejected = false

    var isRejected: Bool? { rejected ? true : withoutRejected ? false : nil }

    func validate() throws {
        guard [rejected, withoutRejected, withRejected].count(where: { $0 }) < 2 else {
            throw ValidationError("Say one of --rejected, --without-rejected and --with-rejected.")
        }
        if rejected, withoutRejected { throw ValidationError("--rejected and --without-rejected leave nothing.") }
        if let minRating, !(1...5).contains(minRating) {
            throw ValidationError("A rating is 1 to 5, not \(minRating).")
        }
    }
}

extension NodePattern: ExpressibleByArgument {
    /// Names and patterns as they are typed, several with commas between them.
    ///
    /// - Parameter refusal: what is said of a text that is neither.
    static func list(_ words: [String], refusal: (Substring) -> String) throws -> [NodePattern] {
        try words.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map { text in
            guard let pattern = NodePattern(rawValue: text.trimmingCharacters(in: .whitespaces)) else {
                throw ValidationError(refusal(text))
            }
            return pattern
        }
    }
}

extension PhotoFormat: ExpressibleByArgument {}

/// How many of what was found are listed at most.
struct RowLimit: ExpressibleByArgument {
    let count: Int

    init(_ count: Int) { self.count = count }

    init?(argument: String) {
        guard let count = Int(argument), count > 0 else { return nil }
        self.count = count
    }

    var defaultValueDescription: String { "\(count)" }
}

extension PhotoState: ExpressibleByArgument {}

/// What was found of a photo.
enum VerificationWord: String, ExpressibleByArgument, CaseIterable {
    case verified, mismatch, unverifiable
}

extension Found {
    /// `50 of 312 shown; --limit shows more.`; nil where all are.
    var shortfall: String? {
        guard matchCount > items.count else { return nil }
        let all = matchCount < Self.mostCounted ? "\(matchCount)" : "\(matchCount) or more"
        return "\(items.count) of \(all) shown; --limit shows more."
    }
}
