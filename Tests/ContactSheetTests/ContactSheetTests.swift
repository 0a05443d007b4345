import CaptureModel
import ContactSheet
import Foundation
import PhotoEncoding
import Testing

@Suite("A contact sheet")
final class ContactSheetTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())").path

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private typealias Pixel = (blue: Int, green: Int, red: Int)

    /// A JPEG of one colour.
    private func photo(_ name: String, _ size: Dimensions, _ pixel: Pixel) throws -> String {
        let one = [UInt8(pixel.blue), UInt8(pixel.green), UInt8(pixel.red), 0]
        let bytes = Array(repeatElement(one, count: size.width * size.height).joined())
        let path = "\(folder)/\(name)"
        try Data(ScreenImage(dimensions: size, bytes: bytes).jpeg()).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func cell(_ path: String?, _ mark: ContactSheet.Cell.Mark = .none) -> ContactSheet.Cell {
        ContactSheet.Cell(photo: path.map { ($0, .jpeg) }, caption: "1/60 s", mark: mark)
    }

    private func draw(_ rows: [ContactSheet.Row]) throws -> ScreenImage {
        let page = ContactSheet(title: ["Capture 1", "Plan p"], rows: rows)
        let jpeg = try page.jpeg()
        return try ScreenImage(jpeg: jpeg, atLeast: Dimensions(width: 100_000, height: 100_000))
    }

    private func pixel(_ image: ScreenImage, _ x: Int, _ y: Int) -> Pixel {
        let index = (y * image.dimensions.width + x) * 4
        return (Int(image.bytes[index]), Int(image.bytes[index + 1]), Int(image.bytes[index + 2]))
    }

    private func isClose(_ one: Pixel, _ other: Pixel) -> Bool {
        abs(one.blue - other.blue) < 24 && abs(one.green - other.green) < 24 && abs(one.red - other.red) < 24
    }

    /// How many pixels of a picture are like one.
    private func count(_ image: ScreenImage, _ wanted: Pixel) -> Int {
        (0..<image.dimensions.height).reduce(0) { sum, y in
            sum + (0..<image.dimensions.width).count { isClose(pixel(image, $0, y), wanted) }
        }
    }

    @Test("shows each photo in the place of its node and step, as a whole, in its shape")
    func places() throws {
        let size = Dimensions(width: 640, height: 480)
        let (red, green): (Pixel, Pixel) = ((0, 0, 220), (0, 200, 0))
        let tall = Dimensions(width: 240, height: 960)
        let image = try draw([
            ContactSheet.Row(
                name: "a", cells: [cell(try photo("r", size, red)), cell(try photo("g", tall, green))])
        ])
        // One node: its cells are 320 by 240, below two lines of title and its name.
        let (x, y) = (24, 24 + 22 + 2 * 24 + 20)
        #expect(isClose(pixel(image, x + 10, y + 10), red) && isClose(pixel(image, x + 310, y + 230), red))
        #expect(isClose(pixel(image, x + 324 + 160, y + 10), green))
        #expect(!isClose(pixel(image, x + 324 + 80, y + 120), green), "a tall one leaves room beside it")
        #expect(abs(count(image, red) - 320 * 240) < 2500 && abs(count(image, green) - 60 * 240) < 1500)
    }

    @Test("marks what is missing, in doubt, or cannot be read, and nothing else")
    func marks() throws {
        let orange: Pixel = (51, 191, 255)
        let rose: Pixel = (89, 102, 255)
        let grey = try photo("grey", Dimensions(width: 64, height: 48), (128, 128, 128))
        func frames(_ cell: ContactSheet.Cell) throws -> (Int, Int) {
            let image = try draw([ContactSheet.Row(name: "a", cells: [cell])])
            return (count(image, orange), count(image, rose))
        }
        #expect(try frames(cell(grey)) == (0, 0))
        let doubt = try frames(cell(grey, .doubt))
        #expect(doubt.0 > 1000 && doubt.1 == 0)
        for cell in [cell(nil, .loss), cell(folder + "/none"), cell(folder)] {
            let loss = try frames(cell)
            #expect(loss.1 > 1000 && loss.0 == 0)
        }
        let broken = folder + "/broken"
        try Data(try Data(contentsOf: URL(fileURLWithPath: grey)).prefix(300)).write(
            to: URL(fileURLWithPath: broken))
        #expect(try frames(cell(broken)).1 > 1000)
    }

    @Test("of a hundred nodes is about as wide as a screen, and every name and caption is drawn")
    func hundred() throws {
        let rows = (1...100).map { ContactSheet.Row(name: "node-\($0)", cells: [cell(nil), cell(nil), cell(nil)]) }
        let image = try draw(rows)
        let ratio = Double(image.dimensions.width) / Double(image.dimensions.height)
        #expect(ratio > 1.2 && ratio < 2.2, "\(image.dimensions)")
        #expect(count(image, (56, 56, 56)) > 300 * 100 * 160)
        // A hundred names of white letters, each of them bold.
        #expect(count(image, (235, 235, 235)) > 100 * 100)
    }

    @Test("says so where a page is too large for a picture")
    func tooLarge() {
        let cells = Array(repeating: cell(nil), count: 400)
        do {
            _ = try draw([ContactSheet.Row(name: "a", cells: cells)])
            Issue.record("no picture is as large")
        } catch {
            #expect("\(error)".contains("choose fewer photos"), "\(error)")
        }
    }
}
