import CCairo
import CaptureModel
import PhotoEncoding

/// The owner of a picture that is drawn on, by cairo.
struct Canvas: ~Copyable {
    /// Red, green and blue, from 0 to 1.
    typealias Colour = (red: Double, green: Double, blue: Double)

    /// Where something is drawn, in pixels from the upper left corner.
    struct Box {
        var x, y, width, height: Double
    }

    private let surface: OpaquePointer
    private let context: OpaquePointer

    init(_ size: Dimensions, _ ground: Colour) {
        surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(size.width), Int32(size.height))
        context = cairo_create(surface)
        fill(Box(x: 0, y: 0, width: Double(size.width), height: Double(size.height)), ground)
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    func fill(_ box: Box, _ colour: Colour) {
        set(colour)
        cairo_rectangle(context, box.x, box.y, box.width, box.height)
        cairo_fill(context)
    }

    func frame(_ box: Box, _ colour: Colour, width: Double) {
        set(colour)
        cairo_set_line_width(context, width)
        cairo_rectangle(context, box.x, box.y, box.width, box.height)
        cairo_stroke(context)
    }

    /// Draws a picture as large as it fits, in the middle of a box.
    func draw(_ picture: ScreenImage, in box: Box) {
        var bytes = picture.bytes
        let (width, height) = (picture.dimensions.width, picture.dimensions.height)
        let scale = min(box.width / Double(width), box.height / Double(height))
        bytes.withUnsafeMutableBufferPointer { bytes in
            let image = cairo_image_surface_create_for_data(
                bytes.baseAddress, CAIRO_FORMAT_RGB24, Int32(width), Int32(height), Int32(width * 4))
            cairo_save(context)
            cairo_translate(
                context, box.x + (box.width - Double(width) * scale) / 2,
                box.y + (box.height - Double(height) * scale) / 2)
            cairo_scale(context, scale, scale)
            cairo_set_source_surface(context, image, 0, 0)
            cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_GOOD)
            cairo_paint(context)
            cairo_restore(context)
            cairo_surface_destroy(image)
        }
    }

    /// Writes a line of text, cut where it would be too wide.
    ///
    /// - Parameters:
    ///   - y: of its baseline.
    ///   - size: of its letters, in pixels.
    func write(
        _ text: String, x: Double, y: Double, size: Double, width: Double, _ colour: Colour, isBold: Bool = false
    ) {
        set(colour)
        cairo_select_font_face(
            context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL)
        cairo_set_font_size(context, size)
        var (line, isCut) = (text, false)
        while !line.isEmpty, advance(line + (isCut ? "…" : "")) > width {
            line.removeLast()
            isCut = true
        }
        cairo_move_to(context, x, y)
        cairo_show_text(context, line + (isCut ? "…" : ""))
    }

    private func advance(_ text: String) -> Double {
        var extents = cairo_text_extents_t()
        cairo_text_extents(context, text, &extents)
        return extents.x_advance
    }

    private func set(_ colour: Colour) { cairo_set_source_rgb(context, colour.red, colour.green, colour.blue) }

    /// What has been drawn; nil where there was no memory for it.
    func picture() -> ScreenImage? {
        cairo_surface_flush(surface)
        guard let data = cairo_image_surface_get_data(surface) else { return nil }
        let (width, height) = (
            Int(cairo_image_surface_get_width(surface)), Int(cairo_image_surface_get_height(surface))
        )
        // Rows of pixels of four bytes need no padding.
        let bytes = Array(UnsafeBufferPointer(start: data, count: width * height * 4))
        return ScreenImage(dimensions: Dimensions(width: width, height: height), bytes: bytes)
    }
}
