/// What nodes say, each thing once, with those who say it in front: `cam-07 to cam-50: it is unreachable.`
package enum FoldedReasons {
    /// - Parameters:
    ///   - said: sentences, of which those that begin with their own node's name, or that differ by figures alone, are the
    ///     same but for that.
    ///   - namesAll: whether a sentence of one node alone has its name in front.
    /// - Returns: a line for each that differs, in the order of its first node.
    package static func lines(_ said: [NodeName: String], namesAll: Bool = true) -> [String] {
        var groups: [[Substring]: [(node: NodeName, figures: [Substring])]] = [:]
        for (node, sentence) in said {
            let (words, figures) = pieces(withoutSubject(sentence, node))
            groups[words, default: []].append((node, figures))
        }
        return
            groups
            .map { (words: $0.key, said: $0.value.sorted { $0.node.precedes($1.node) }) }
            .sorted { $0.said[0].node.precedes($1.said[0].node) }
            .map { group in
                // One node alone says it in full.
                let (node, sentence) = (group.said[0].node, said[group.said[0].node] ?? "")
                guard group.said.count > 1 else { return namesAll ? "\(node): \(sentence)" : sentence }
                return "\(group.said.map(\.node).folded): \(Self.sentence(group.words, group.said.map(\.figures)))"
            }
    }

    /// What stands between its figures and names of cameras, and these; digits within a word or another name are none.
    private static func pieces(_ sentence: String) -> (words: [Substring], figures: [Substring]) {
        var (words, figures): ([Substring], [Substring]) = ([], [])
        let bytes = sentence.utf8
        // Reasons of hundreds of nodes are looked at whenever one of them says something.
        var (start, position) = (bytes.startIndex, bytes.startIndex)
        var isFree = true
        while position < bytes.endIndex {
            if isFree, let end = endOfCamera(bytes[position...]) {
                words.append(sentence[start..<position])
                figures.append(sentence[position..<end])
                (start, position, isFree) = (end, end, false)
                continue
            }
            let end = bytes[position...].firstIndex { !isFigure($0) } ?? bytes.endIndex
            guard end > position else {
                isFree = !isBound(bytes[position])
                bytes.formIndex(after: &position)
                continue
            }
            // A full stop at its end is the sentence's.
            var last = end
            while last > position, bytes[bytes.index(before: last)] == UInt8(ascii: ".") {
                bytes.formIndex(before: &last)
            }
            // A capture's number is its name.
            let isShort = bytes.distance(from: position, to: last) < 12
            if isFree, isShort, last > position, end == bytes.endIndex || !isBound(bytes[end]) {
                words.append(sentence[start..<position])
                figures.append(sentence[position..<last])
                start = last
            }
            (position, isFree) = (end, false)
        }
        return (words + [sentence[start...]], figures)
    }

    /// Where the name of a camera ends with which this begins, such as `v4l2:/dev/video0`; nil where it begins with none.
    private static func endOfCamera(_ bytes: Substring.UTF8View) -> Substring.UTF8View.Index? {
        guard let scheme = schemes.first(where: { bytes.starts(with: $0.utf8) }) else { return nil }
        let start = bytes.index(bytes.startIndex, offsetBy: scheme.utf8.count)
        var end = bytes[start...].firstIndex { $0 == UInt8(ascii: " ") } ?? bytes.endIndex
        // What stands at its end is the sentence's.
        while end > start, ".,:;)'\"".utf8.contains(bytes[bytes.index(before: end)]) { bytes.formIndex(before: &end) }
        return end > start ? end : nil
    }

    /// How names of cameras begin; other words with a colon are addresses, times and the like.
    private static let schemes = ["simulated:", "v4l2:"]

    private static func isFigure(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: ".")
    }

    /// Whether what stands beside digits makes them part of a word, a name or a time.
    private static func isBound(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "."), 0x80...0xFF:
            true
        case _: false
        }
    }

    /// The sentence with what its figures reach from and to: `119 to 131 ms too late`; and of cameras, each its own.
    private static func sentence(_ words: [Substring], _ figures: [[Substring]]) -> String {
        var text = String(words[0])
        for (index, word) in words.dropFirst().enumerated() {
            let pieces = figures.map { $0[index] }
            if pieces[0].utf8.first.map(isFigure) != true {
                text += (pieces.allSatisfy { $0 == pieces[0] } ? String(pieces[0]) : "its camera") + word
                continue
            }
            let sorted = pieces.sorted { (Double($0) ?? 0, $0) < (Double($1) ?? 0, $1) }
            let (least, most) = (sorted[0], sorted[sorted.count - 1])
            text += (least == most ? String(least) : "\(least) to \(most)") + word
        }
        return text
    }

    /// `Node north is unreachable.` as `It is unreachable.`
    private static func withoutSubject(_ sentence: String, _ node: NodeName) -> String {
        let subject = "Node \(node) "
        let rest = sentence.hasPrefix(subject) ? "It " + sentence.dropFirst(subject.count) : sentence
        return rest.replacing("node \(node) ", with: "it ")
    }
}

extension NodeName {
    /// Whether it comes before another one as people count: `node-2` before `node-10`.
    package func precedes(_ other: NodeName) -> Bool {
        let (mine, theirs) = (pieces, other.pieces)
        for (one, two) in zip(mine, theirs) where one != two {
            guard let number = one.number, let otherNumber = two.number else { return one.text < two.text }
            if number != otherNumber { return number < otherNumber }
        }
        return mine.count != theirs.count ? mine.count < theirs.count : rawValue < other.rawValue
    }

    private struct Piece: Equatable {
        let text: Substring
        /// Nil for what is not all digits.
        let number: UInt64?
    }

    /// Runs of digits, and what is between them.
    private var pieces: [Piece] {
        var pieces: [Piece] = []
        func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
        // A name is all ASCII, and of hundreds each is looked at several times to sort them.
        var rest = rawValue.utf8[...]
        while let first = rest.first {
            let run = rest.prefix { isDigit($0) == isDigit(first) }
            let text = Substring(run)
            // More than 18 digits are no number that anybody counts with.
            pieces.append(Piece(text: text, number: isDigit(first) && run.count <= 18 ? UInt64(text) : nil))
            rest = rest[run.endIndex...]
        }
        return pieces
    }

    /// What is before the number at its end, and that number; nil where there is none.
    fileprivate var numbered: (stem: Substring, number: UInt64, width: Int)? {
        guard let last = pieces.last, let number = last.number else { return nil }
        return (rawValue.dropLast(last.text.count), number, last.text.count)
    }

    /// Whether it is the next one after another by its number: `cam-08` after `cam-07`, `cam-10` after `cam-9`.
    fileprivate func follows(_ other: NodeName) -> Bool {
        guard let mine = numbered, let theirs = other.numbered else { return false }
        let isSameWidth = mine.width == theirs.width || (rawValue.count > other.rawValue.count && mine.number % 10 == 0)
        return mine.stem == theirs.stem && mine.number == theirs.number + 1 && isSameWidth
    }
}

extension Sequence<NodeName> {
    /// The names in the order in which people count, runs of three and more folded: `cam-07 to cam-50, door`; many with
    /// their number.
    package var folded: String {
        let names = sorted { $0.precedes($1) }
        var runs: [[NodeName]] = []
        for name in names {
            if let last = runs.last?.last, name.follows(last) {
                runs[runs.count - 1].append(name)
            } else {
                runs.append([name])
            }
        }
        let texts = runs.flatMap { run in
            run.count < 3 ? run.map(\.rawValue) : ["\(run[0]) to \(run[run.count - 1])"]
        }
        return (names.count > 5 ? "\(names.count) nodes, " : "") + texts.joined(separator: ", ")
    }
}
