import CaptureModel
import Foundation
import Programs
import RigProtocol

/// One camera, large, and what it is set to.
struct CameraView {
    /// A property that the camera has.
    struct Row {
        struct Choice {
            let value, words: String
            let isChosen: Bool
        }

        let name, words, value, was, range, state: String
        let choices: [Choice]
        /// Whether it is one of several words, something to type, or what this camera has no choice of.
        let isChoice, isTyped, isFixed: Bool

        /// - Parameter typed: what somebody wanted, and did not get.
        init(_ row: CameraState.Row, typed: String?) {
            (name, words) = (row.property.rawValue, Self.words(row.property.rawValue))
            (was, value) = (row.value.printableLine, (typed ?? row.value).printableLine)
            let values = row.range.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            isTyped = !values.contains(row.value)
            isFixed = values == [row.value]
            isChoice = !isTyped && !isFixed
            choices = (isChoice ? values : []).map { [value] in
                Choice(value: $0, words: Self.spaced($0), isChosen: $0 == value)
            }
            range = isTyped ? row.range.printableLine : ""
            let states = [
                (row.isAutomatic, "automatic"), (row.isAdjusting, "settling"), (row.isKept, "set by hand"),
            ]
            state = states.filter(\.0).map(\.1).joined(separator: ", ")
        }

        /// `exposureDuration` as words: `Exposure duration`.
        private static func words(_ name: String) -> String {
            if name == "iso" { return "ISO" }
            let spaced = spaced(name)
            return spaced.prefix(1).uppercased() + spaced.dropFirst()
        }

        private static func spaced(_ name: String) -> String {
            name.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" }
        }
    }

    struct Target {
        let value, words: String
        let isChosen: Bool
    }

    let title, name: String
    let isInside = true
    /// The number of the last news that the page already shows.
    let news: Int64?
    /// The node before it and the one after it, by name.
    let former, next: String?
    let rows: [Row]
    let hasRows, canMeter, canFocus: Bool
    let targets: [Target]
    /// Why what it is set to is not known, or not in force.
    let problem: String?
    let verdict: String?
    let isRefused: Bool
    let details: [String]

    init(
        _ name: NodeName, _ nodes: [NodeSummary], _ shown: CameraReply.Answer?,
        after done: (reply: CameraReply, isReset: Bool)?,
        refused: (error: ConsoleError, form: Query)?, news: Int64?
    ) {
        (title, self.name, self.news) = (name.rawValue, name.rawValue, news)
        let names = nodes.map(\.name).sorted { $0.precedes($1) }
        let index = names.firstIndex(of: name) ?? 0
        former = index > 0 ? names[index - 1].rawValue : nil
        next = index + 1 < names.count ? names[index + 1].rawValue : nil
        let known = shown?.state?.rows ?? []
        rows = known.map { Row($0, typed: refused?.form.text($0.property.rawValue)) }
        hasRows = !rows.isEmpty
        func takes(_ property: CameraProperty, _ value: String) -> Bool {
            shown?.state?.choices[property.rawValue]?.contains(value) ?? false
        }
        canMeter = takes(.exposureMode, ExposureMode.autoExpose.rawValue)
        canFocus = takes(.focusMode, FocusMode.autoFocus.rawValue)
        let groups = Set(nodes.flatMap { $0.groups ?? [] }).sorted()
        let wanted = refused?.form.text("to") ?? name.rawValue
        targets =
            ([(name.rawValue, name.rawValue)] + groups.map { ("group \($0)", "group \($0)") } + [("*", "all cameras")])
            .map { Target(value: $0.0, words: $0.1.printableLine, isChosen: $0.0 == wanted) }
        problem = (shown?.error?.message ?? shown?.state?.problem)?.printableLine
        if let error = refused?.error {
            (verdict, isRefused, details) = (error.message.printableLine, true, error.details.map(\.printableLine))
        } else if let (reply, isReset) = done {
            let failed = reply.nodes.compactMap { answer in answer.error.map { (answer.node, $0.message) } }
            verdict =
                failed.isEmpty
                ? "\(isReset ? "Reset" : "Set") on \(reply.nodes.map(\.node).folded)."
                : "Not \(isReset ? "reset" : "set") on \(Sentences.count(failed.count, "node")) of \(reply.nodes.count)."
            isRefused = !failed.isEmpty
            details = FoldedReasons.lines(Dictionary(failed) { first, _ in first }).map(\.printableLine)
        } else {
            (verdict, isRefused, details) = (nil, false, [])
        }
    }
}
