extension Collection<String> {
    /// The one of these words that somebody who typed another may have meant: it differs in few letters, and no other
    /// in as few.
    package func nearest(to word: String) -> String? {
        // Whoever types three letters rarely means another word of three.
        let most = Swift.min(2, word.count / 3)
        guard most > 0, word.count <= 64 else { return nil }
        let found = map { (word: $0, distance: $0.distance(to: word)) }.filter { $0.distance <= most }
        guard let best = found.map(\.distance).min() else { return nil }
        let nearest = found.filter { $0.distance == best }
        return nearest.count == 1 ? nearest[0].word : nil
    }
}

extension String {
    /// The number of letters that were left out, added, changed or swapped with their neighbour: the optimal string
    /// alignment distance.
    fileprivate func distance(to other: String) -> Int {
        let (one, two) = (Array(lowercased()), Array(other.lowercased()))
        var rows = [Array(0...two.count)]
        for (index, letter) in one.enumerated() {
            var row = [index + 1]
            for (column, peer) in two.enumerated() {
                var least = Swift.min(rows[index][column + 1], row[column]) + 1
                least = Swift.min(least, rows[index][column] + (letter == peer ? 0 : 1))
                if index > 0, column > 0, letter == two[column - 1], one[index - 1] == peer {
                    least = Swift.min(least, rows[index - 1][column - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[one.count][two.count]
    }
}
