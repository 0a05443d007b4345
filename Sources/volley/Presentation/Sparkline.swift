import CaptureModel

/// Numbers as a row of bars, each showing the largest of its share.
struct Sparkline {
    private static let width = 60
    private static let bars = Array("▁▂▃▄▅▆▇█")

    let text: String
    let highest: Double

    init(_ values: [Double]) {
        let highest = values.max() ?? 0
        let perBar = max(1, (values.count + Self.width - 1) / Self.width)
        let columns = stride(from: 0, to: values.count, by: perBar).map { first in
            values[first..<min(first + perBar, values.count)].max() ?? 0
        }
        self.highest = highest
        text = String(
            columns.map { value in
                highest > 0 ? Self.bars[min(7, max(0, Int(clamped: value / highest * 7.999)))] : Self.bars[0]
            })
    }
}
