/// What nodes say, each thing once, with those who say it in front: `cam-07 to cam-50: it is unreachable.`
package enum FoldedReasons {
    /// - Parameter said: sentences, of which those that begin with their own node's name are the same but for it.
    /// - Returns: a line for each that differs, in the order of its first node.
    package static func lines(_ said: [NodeName: String]) -> [String] {
        var nodesBySentence: [String: [NodeName]] = [:]
        for (node, sentence) in said { nodesBySentence[withoutSubject(sentence, node), default: []].append(node) }
        return
            nodesBySentence
            .map { (nodes: $0.value.sorted { $0.precedes($1) }, sentence: $0.key) }
            .sorted { ($0.nodes[0].precedes($1.nodes[0])) }
            .map { group in
                // One node alone says it in full.
                let sentence = group.nodes.count == 1 ? said[group.nodes[0]] ?? "" : group.sentence
                return "\(group.nodes.folded): \(sentence)"
            }
    }

    /// `Node north is unreachable.` as `It is unreachable.`
    private static func withoutSubject(_ sentence: String, _ node: NodeName) -> String {
        let subject = "Node \(node) "
        return sentence.hasPrefix(subject) ? "It " + sentence.dropFirst(subject.count) : sentence
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
