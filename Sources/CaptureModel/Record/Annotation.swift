/// What a person says of captures or photos afterwards; what is nil stays as it is.
package struct Annotation: Codable, Sendable, Hashable {
    /// 1 to 5; 0 takes the rating away.
    package var rating: Int?
    /// Whether it is not to be used.
    package var isRejected: Bool?
    /// For people to read, at most ``longestNote`` characters; an empty one takes the note away.
    package var note: String?
    /// Labels of captures, beside those that they have or in their place.
    package var labels: [String: String]?
    /// The keys of labels that are taken away.
    package var removedLabels: [String]?
    /// What captures are grouped under from now on; empty for nothing.
    package var session: String?
    /// What was before the cameras; empty for nothing. Each capture is the next take of it.
    package var subject: String?

    /// The most characters in a note.
    package static let longestNote = 2000
    /// The most characters in a session, a subject or a label, and the most labels.
    package static let (longestText, mostLabels) = (200, 64)

    package init() {}

    /// Why it cannot be said; nil where it can.
    package var problem: String? {
        let labels = labels ?? [:]
        let texts = [session, subject].compactMap(\.self) + labels.keys + labels.values + (removedLabels ?? [])
        guard self != Annotation() else { return "Nothing is said of it." }
        guard rating.map({ (0...5).contains($0) }) ?? true else { return "A rating is 1 to 5, or 0 for none." }
        func isShort(_ text: String, _ most: Int) -> Bool { text.count <= most && text.utf8.count <= 4 * most }
        guard texts.allSatisfy({ isShort($0, Self.longestText) }), isShort(note ?? "", Self.longestNote),
            labels.count <= Self.mostLabels, removedLabels?.count ?? 0 <= Self.mostLabels
        else {
            return "Sessions, subjects and labels have at most \(Self.longestText) characters, notes "
                + "\(Self.longestNote), and a capture is given at most \(Self.mostLabels) labels at a time."
        }
        guard (texts + [note ?? ""]).allSatisfy(\.isPrintable) else {
            return "Sessions, subjects, labels and notes must not contain control characters."
        }
        return Self.problem(of: labels)
    }

    /// Why captures cannot have these labels: nobody could ask for them as KEY=VALUE; nil where they can.
    package static func problem(of labels: [String: String]) -> String? {
        if labels.keys.contains("") { return "A label has a key: KEY=VALUE." }
        if let label = labels.first(where: { $0.key.contains("=") }) {
            return "The key of a label has no '=': '\(label.key)'."
        }
        let empty = labels.filter(\.value.isEmpty).keys.min()
        return empty.map { "The label '\($0)' has no value: KEY=VALUE." }
    }

    /// Whether it says something that only captures have.
    package var isOfCapturesOnly: Bool {
        (labels ?? [:]).isEmpty == false || (removedLabels ?? []).isEmpty == false || session != nil || subject != nil
    }

    /// What it says, in words: `rating 4, rejected`.
    package var words: String {
        var words: [String] = []
        if let rating { words.append(rating == 0 ? "no rating" : "rating \(rating)") }
        if let isRejected { words.append(isRejected ? "rejected" : "not rejected") }
        if let note { words.append(note.isEmpty ? "no note" : "note '\(note)'") }
        words += (labels ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        words += (removedLabels ?? []).map { "no label \($0)" }
        if let session { words.append(session.isEmpty ? "no session" : "session '\(session)'") }
        if let subject { words.append(subject.isEmpty ? "no subject" : "subject '\(subject)'") }
        return words.joined(separator: ", ")
    }
}
