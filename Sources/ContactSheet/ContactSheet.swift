package import CaptureModel
package import PhotoEncoding

/// The photos of a capture on one page, nodes by steps.
package struct ContactSheet: Sendable {
    /// One photo, or what there is in its place.
    package struct Cell: Sendable {
        /// Whether somebody should look at it.
        package enum Mark: Sendable {
            case none
            /// Not as it was asked for, or rejected.
            case doubt
            /// Not there.
            case loss
        }

        /// Its file; nil where there is none.
        package var photo: (path: String, format: PhotoFormat)?
        package var caption: String
        package var mark: Mark

        package init(photo: (path: String, format: PhotoFormat)?, caption: String, mark: Mark) {
            (self.photo, self.caption, self.mark) = (photo, caption, mark)
        }
    }

    /// The steps of a node.
    package struct Row: Sendable {
        package var name: String
        package var cells: [Cell]

        package init(name: String, cells: [Cell]) { (self.name, self.cells) = (name, cells) }
    }

    /// What stands above, the first line large.
    package var title: [String]
    package var rows: [Row]

    package init(title: [String], rows: [Row]) { (self.title, self.rows) = (title, rows) }

    /// Of cairo's pictures, in pixels.
    private static let longestSide = 32_767
    private static let (margin, gap, line) = (24.0, 12.0, 20.0)
    private static let ground: Canvas.Colour = (0.13, 0.13, 0.13)
    private static let ink: Canvas.Colour = (0.92, 0.92, 0.92)
    private static let faint: Canvas.Colour = (0.65, 0.65, 0.65)
    private static let pale: Canvas.Colour = (0.22, 0.22, 0.22)

    /// Draws it; a photo that cannot be read has a cell that says so.
    ///
    /// - Throws: where the page is too large for a JPEG.
    package func jpeg() throws(EncodingError) -> [UInt8] {
        let layout = Layout(rows)
        let size = layout.page(title.count)
        guard max(size.width, size.height) <= Self.longestSide else {
            throw EncodingError(call: "page", message: "\(size) is more than a picture can have; choose fewer photos")
        }
        let canvas = Canvas(size, Self.ground)
        var y = Self.margin + 22
        for (index, line) in title.enumerated() {
            canvas.write(
                line, x: Self.margin, y: y, size: index == 0 ? 22 : 15, width: layout.width - 2 * Self.margin,
                index == 0 ? Self.ink : Self.faint, isBold: index == 0)
            y += Self.line + 4
        }
        for (index, row) in rows.enumerated() {
            draw(row, at: layout.place(index, below: y), layout, canvas)
        }
        guard let picture = canvas.picture() else {
            throw EncodingError(call: "cairo_image_surface_create", message: "there is no memory for the page")
        }
        return try picture.jpeg()
    }

    private func draw(_ row: Row, at place: (x: Double, y: Double), _ layout: Layout, _ canvas: borrowing Canvas) {
        canvas.write(
            row.name, x: place.x, y: place.y + 15, size: 15, width: layout.block.width, Self.ink, isBold: true)
        for (index, cell) in row.cells.enumerated() {
            let box = Canvas.Box(
                x: place.x + Double(index) * (layout.picture.width + 4), y: place.y + Self.line,
                width: layout.picture.width, height: layout.picture.height)
            let remark = draw(cell, in: box, canvas)
            let colour: Canvas.Colour =
                switch remark == nil ? cell.mark : .loss {
                case .none: Self.faint
                case .doubt: (1, 0.75, 0.2)
                case .loss: (1, 0.4, 0.35)
                }
            if cell.mark != .none || remark != nil { canvas.frame(box, colour, width: 4) }
            canvas.write(
                remark ?? cell.caption, x: box.x, y: box.y + box.height + 15, size: 12, width: box.width, colour)
        }
    }

    /// - Returns: why the photo cannot be seen; nil where it can, or there is none.
    private func draw(_ cell: Cell, in box: Canvas.Box, _ canvas: borrowing Canvas) -> String? {
        canvas.fill(box, Self.pale)
        guard let (path, format) = cell.photo else { return nil }
        do throws(EncodingError) {
            let size = Dimensions(width: Int(box.width), height: Int(box.height))
            canvas.draw(try ScreenImage(contentsOf: path, format, atLeast: size), in: box)
            return nil
        } catch {
            return "cannot be read"
        }
    }

    /// Where the nodes are: beside and below one another, so that the page is about as wide as a screen.
    private struct Layout {
        let picture: (width: Double, height: Double)
        let block: (width: Double, height: Double)
        private let columns: Int
        private let lines: Int

        init(_ rows: [Row]) {
            let cells = rows.map(\.cells.count).max() ?? 1
            let count = rows.count * cells
            let width = count <= 40 ? 320.0 : count <= 200 ? 240 : 160
            picture = (width, width * 3 / 4)
            block = (Double(max(1, cells)) * (width + 4) - 4, picture.height + 2 * ContactSheet.line)
            let size = block
            func shape(_ columns: Int) -> Double {
                let lines = (rows.count + columns - 1) / columns
                return abs(Double(columns) * size.width / (Double(max(1, lines)) * size.height) - 1.6)
            }
            columns = (1...max(1, rows.count)).min { shape($0) < shape($1) } ?? 1
            lines = (rows.count + columns - 1) / columns
        }

        var width: Double {
            max(640, 2 * ContactSheet.margin + Double(columns) * (block.width + ContactSheet.gap) - ContactSheet.gap)
        }

        func page(_ titleCount: Int) -> Dimensions {
            let head = Double(titleCount) * (ContactSheet.line + 4)
            let body = Double(lines) * (block.height + ContactSheet.gap)
            return Dimensions(width: Int(width), height: Int(2 * ContactSheet.margin + 22 + head + body))
        }

        func place(_ index: Int, below y: Double) -> (x: Double, y: Double) {
            (
                ContactSheet.margin + Double(index % columns) * (block.width + ContactSheet.gap),
                y + Double(index / columns) * (block.height + ContactSheet.gap)
            )
        }
    }
}
