import CaptureModel
import Glibc

/// Columns that line up, as wide as the terminal allows: where they are wider, the last goes on below each row, or the
/// widest are broken between words. A column in which nothing stands is left out.
package struct Table {
    /// Less than this of the last column beside the others is hard to read.
    private static let leastRoom = 30
    private static let margin = "    "

    private var rows: [[String]]
    private let endsInRemarks: Bool

    /// - Parameter endsInRemarks: whether the last column is for sentences, and may stand below.
    package init(_ header: [String], endsInRemarks: Bool = true) {
        rows = [header]
        self.endsInRemarks = endsInRemarks
    }

    /// Adds a row, with a cell for each column.
    package mutating func add(_ row: [String]) {
        rows.append(row.map(\.printableLine))
    }

    /// For standard output.
    package var text: String { text(width: Self.terminalWidth) }

    /// - Parameter width: the most characters on a line, as far as words allow; nil for any number.
    package func text(width: Int?) -> String {
        let used = self.rows[0].indices.filter { column in
            self.rows.count == 1 || self.rows.dropFirst().contains { !$0[column].isEmpty }
        }
        let rows = self.rows.map { row in used.map { row[$0] } }
        guard let width else { return Self.lines(rows, Self.widths(rows, within: nil)).joined(separator: "\n") }
        let widths = Self.widths(rows, within: width)
        let natural = rows.map { $0.last?.count ?? 0 }.max() ?? 0
        guard endsInRemarks, rows[0].count > 1, let last = widths.last, last < min(natural, Self.leastRoom) else {
            return Self.lines(rows, widths).joined(separator: "\n")
        }
        let others = rows.map { Array($0.dropLast()) }
        let otherWidths = Self.widths(others, within: width)
        return zip(others, rows).flatMap { other, row in
            Self.lines([other], otherWidths)
                + (row.last ?? "").wrapped(to: width - Self.margin.count).map { Self.margin + $0 }
        }.joined(separator: "\n")
    }

    private static func widths(_ rows: [[String]], within width: Int?) -> [Int] {
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

    private static func lines(_ rows: [[String]], _ widths: [Int]) -> [String] {
        rows.flatMap { row in
            let cells = zip(row, widths).map { $0.count <= $1 ? [$0] : $0.wrapped(to: $1) }
            return (0..<(cells.map(\.count).max() ?? 0)).map { line in
                zip(cells, widths).map { cell, width in
                    let text = line < cell.count ? cell[line] : ""
                    return text + String(repeating: " ", count: width - text.count)
                }.joined(separator: "  ").trimmingTrailingSpaces()
            }
        }
    }

    /// Nil where standard output is no terminal.
    package static var terminalWidth: Int? {
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
