import CaptureModel
import Glibc

/// Columns that line up, as wide as the terminal allows: where they are wider, the widest are broken between words.
package struct Table {
    private var rows: [[String]]

    package init(_ header: [String]) {
        rows = [header]
    }

    /// Adds a row, with a cell for each column.
    package mutating func add(_ row: [String]) {
        rows.append(row.map(\.printableLine))
    }

    /// For standard output.
    package var text: String { text(width: Self.terminalWidth) }

    /// - Parameter width: the most characters on a line, as far as words allow; nil for any number.
    package func text(width: Int?) -> String {
        let widths = widths(within: width)
        return rows.flatMap { lines(of: $0, widths) }.joined(separator: "\n")
    }

    private func widths(within width: Int?) -> [Int] {
        func widest(_ count: (String) -> Int) -> [Int] {
            rows[0].indices.map { column in rows.map { count($0[column]) }.max() ?? 0 }
        }
        var widths = widest(\.count)
        let least = widest { $0.split(separator: " ").map(\.count).max() ?? 0 }
        while let width, widths.reduce(-2, { $0 + $1 + 2 }) > width,
            let widest = widths.indices.filter({ widths[$0] > least[$0] }).max(by: { widths[$0] < widths[$1] })
        {
            widths[widest] -= 1
        }
        return widths
    }

    private func lines(of row: [String], _ widths: [Int]) -> [String] {
        let cells = zip(row, widths).map { $0.count <= $1 ? [$0] : $0.wrapped(to: $1) }
        return (0..<(cells.map(\.count).max() ?? 0)).map { line in
            zip(cells, widths).map { cell, width in
                let text = line < cell.count ? cell[line] : ""
                return text + String(repeating: " ", count: width - text.count)
            }.joined(separator: "  ").trimmingTrailingSpaces()
        }
    }

    /// Nil where standard output is no terminal.
    private static var terminalWidth: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

extension String {
    /// Lines of at most so many characters, broken between words; none of these may be longer.
    fileprivate func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    fileprivate func trimmingTrailingSpaces() -> String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
