import CaptureModel

/// A join code that was handed out, and who came with it.
struct Invite: Codable, Sendable, Hashable {
    /// The code itself.
    var code: String
    /// How many boards it lets in.
    var count: Int
    /// Until when it does.
    var until: UTCTime
    /// What they are called: with `#` for digits; nil for what they would like to be called.
    var names: String?
    /// The names of those that came, by their keys.
    var admitted: [String: NodeName] = [:]

    /// Why nobody else comes in with it; nil where somebody may.
    func objection(at now: UTCTime) -> String? {
        if admitted.count >= count {
            return count == 1
                ? "Another board has joined with this join code, which is for one."
                : "\(count) boards have joined with this join code, as many as it is for."
        }
        return now >= until ? "This join code counted until \(until.day) \(until.timeOfDay) UTC." : nil
    }

    /// What the next board is called.
    ///
    /// - Returns: nil where each name that it may have is taken.
    func name(for wanted: NodeName, isTaken: (NodeName) -> Bool) -> NodeName? {
        guard let names else { return wanted.free(isTaken) }
        // Who asked for one name wants no other.
        guard names.contains("#") else { return NodeName(names).flatMap { isTaken($0) ? nil : $0 } }
        return (1...count + 10_000).lazy.compactMap { Self.name($0, in: names) }.first { !isTaken($0) }
    }

    /// `top-07` for 7 in `top-##`; nil where it has more digits than the pattern.
    static func name(_ number: Int, in pattern: String) -> NodeName? {
        guard let first = pattern.firstIndex(of: "#"), let last = pattern.lastIndex(of: "#") else { return nil }
        let width = pattern.distance(from: first, to: last) + 1
        let digits = String(number)
        guard digits.count <= width else { return nil }
        let padding = String(repeating: "0", count: width - digits.count)
        return NodeName(pattern[..<first] + padding + digits + pattern[pattern.index(after: last)...])
    }

    /// Whether names can be made of it: a name in which one run of `#` may stand.
    static func isPattern(_ text: String) -> Bool {
        let runs = text.split(omittingEmptySubsequences: true) { $0 != "#" }
        return runs.count <= 1 && NodeName(text.map { $0 == "#" ? "0" : String($0) }.joined()) != nil
    }
}

extension NodeName {
    /// This name, or with `-2`, `-3` and so on after it; cut where it would be too long.
    func free(_ isTaken: (NodeName) -> Bool) -> NodeName? {
        if !isTaken(self) { return self }
        return (2...10_000).lazy.compactMap { NodeName(rawValue.prefix(58) + "-\($0)") }.first { !isTaken($0) }
    }
}
