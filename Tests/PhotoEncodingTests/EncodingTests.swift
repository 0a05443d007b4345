import CaptureModel
import Foundation
import Testing

@testable import PhotoEncoding

private let size = Dimensions(width: 64, height: 48)

private let metadata = {
    var metadata = PhotoMetadata(
        make: "Volley", model: "Test Camera", bodySerialNumber: "SN-1", software: "Volley",
        takenAt: 1_800_000_000_012_345, exposure: Exposure(duration: ExposureDuration(seconds: 0.004), iso: 200),
        exposureBias: -2, isBracketed: true, captureID: UniqueID(rawValue: 42), sequenceCount: 1,
        imageUniqueID: "0123456789abcdef0123456789abcdef")
    metadata.lens = Lens(fNumber: 2.8, focalLength: 5.818, focalLengthIn35mmFilm: 31.5, model: "Six millimetres")
    return metadata
}()

private func picture() -> YUVImage {
    let luma = (0..<size.width * size.height).map { UInt8($0 * 7 & 0xFF) }
    let colour = [UInt8](repeating: 120, count: size.width / 2 * size.height / 2)
    return YUVImage(dimensions: size, subsampling: .yuv420, planes: [luma, colour, colour])
}

/// Writes bytes where a program that is not ours can read them, and answers what it says.
private func ask(_ program: String, _ arguments: [String], about bytes: [UInt8], ending: String) throws -> String {
    String(decoding: try answer(program, arguments, about: bytes, ending: ending), as: UTF8.self)
}

private func answer(_ program: String, _ arguments: [String], about bytes: [UInt8], ending: String) throws -> Data {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID()).\(ending)")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments + [file.path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(program): \(String(decoding: data, as: UTF8.self))")
    return data
}

private func tags(_ bytes: [UInt8], ending: String) throws -> [String: Any] {
    let json = try ask("exiftool", ["-json", "-n"], about: bytes, ending: ending)
    let rows = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    return try #require(rows?.first)
}

private func expectMetadata(_ tags: [String: Any]) {
    #expect((tags["ExposureTime"] as? Double).map { abs($0 - 0.004) < 1e-6 } == true)
    #expect(tags["ISO"] as? Int == 200)
    #expect(tags["ExposureCompensation"] as? Double == -2)
    #expect(tags["ExposureMode"] as? Int == 2)
    #expect(tags["DateTimeOriginal"] as? String == "2027:01:15 08:00:00")
    #expect("\(tags["SubSecTimeOriginal"] ?? "")".hasSuffix("12345"))
    #expect(tags["OffsetTimeOriginal"] as? String == "+00:00")
    #expect(tags["ImageUniqueID"] as? String == metadata.imageUniqueID)
    #expect(tags["Model"] as? String == "Test Camera")
    #expect((tags["FNumber"] as? Double).map { abs($0 - 2.8) < 1e-6 } == true)
    #expect(tags["LensModel"] as? String == "Six millimetres")
    #expect((tags["FocalLength"] as? Double).map { abs($0 - 5.818) < 1e-6 } == true)
    #expect(tags["FocalLengthIn35mmFormat"] as? Int == 32)
    #expect(tags["CaptureID"] as? Int == 42)
}

private func verify(_ bytes: [UInt8], dimensions: Dimensions) throws {
    let small = try bytes.withUnsafeBytes { try JPEGEncoder.thumbnail($0, dimensions: dimensions) }
    #expect(small.luma.count == (dimensions.width + 7) / 8 * ((dimensions.height + 7) / 8))
}

@Suite("A picture")
struct PictureTests {
    @Test("that claims gigabytes in few bytes is not decoded")
    func claims() {
        let black = PictureBounds.objection(width: 4000, height: 3000, byteCount: 12_000_000 / 64)
        #expect(black == nil)
        for (width, height, byteCount) in [
            (24_000, 24_000, 1_125_905), (16_000, 16_000, 500_487), (65_500, 65_500, 16_760_976), (12_000, 12_000, 122),
            (0, 10, 100), (Int.max, 2, 100),
        ] {
            #expect(PictureBounds.objection(width: width, height: height, byteCount: byteCount) != nil)
        }
    }
}

@Suite("A JPEG")
struct JPEGTests {
    @Test("carries its metadata, and another program validates it")
    func metadataIsRead() throws {
        let file = try JPEGFile.assemble(JPEGEncoder.encode(picture()), metadata: metadata, dimensions: size)
        let found = try tags(file, ending: "jpg")
        expectMetadata(found)
        #expect(found["SerialNumber"] as? String == "SN-1")
        let validation = try ask("exiftool", ["-validate", "-warning", "-a"], about: file, ending: "jpg")
        #expect(validation.contains(": OK"), "\(validation)")
        _ = try ask("djpeg", ["-outfile", "/dev/null"], about: file, ending: "jpg")
    }

    @Test("gets tags beside those that it has, and the same picture")
    func addedTags() throws {
        let scan = try JPEGEncoder.encode(picture())
        let file = try JPEGFile.assemble(scan, metadata: metadata, dimensions: size)
        let description =
            #"<rdf:Description rdf:about="" xmlns:Camera="http://pix4d.com/camera/1.0/" Camera:RigName="r"/>"#
        for original in [file, scan] {
            let tagged = try JPEGTags.add(description: description, bodySerialNumber: "other", to: original)
            let tables = scan.count - 20
            #expect(tagged.suffix(tables).elementsEqual(scan.suffix(tables)))
            #expect(try tags(tagged, ending: "jpg")["RigName"] as? String == "r")
            _ = try ask("djpeg", ["-outfile", "/dev/null"], about: tagged, ending: "jpg")
        }
        let tagged = try JPEGTags.add(description: description, bodySerialNumber: "other", to: file)
        let found = try tags(tagged, ending: "jpg")
        expectMetadata(found)
        #expect(found["SerialNumber"] as? String == "other")
        let validation = try ask("exiftool", ["-validate", "-warning", "-a"], about: tagged, ending: "jpg")
        #expect(validation.contains(": OK"), "\(validation)")
        // Whatever a file is cut to, it is refused or given tags.
        for length in 0..<min(file.count, 1500) {
            _ = try? JPEGTags.add(description: description, bodySerialNumber: "o", to: Array(file.prefix(length)))
        }
    }

    @Test("that is whole passes the full decode")
    func whole() throws {
        try verify(JPEGEncoder.encode(picture()), dimensions: size)
    }

    @Test("cut anywhere in its scan does not", arguments: [0.5, 0.8, 0.95])
    func truncated(share: Double) throws {
        let bytes = try JPEGEncoder.encode(picture())
        let cut = Array(bytes.prefix(Int(Double(bytes.count) * share)))
        #expect(throws: EncodingError.self) { try verify(cut, dimensions: size) }
    }

    @Test("that claims another size than the camera's is refused before it is decoded")
    func lyingHeader() throws {
        let bytes = try JPEGEncoder.encode(picture())
        #expect(throws: EncodingError.self) {
            try verify(bytes, dimensions: Dimensions(width: 32, height: 32))
        }
    }

    @Test("from a camera that leaves out the Huffman tables gets them back")
    func motionJPEG() throws {
        let bytes = try JPEGEncoder.encode(picture())
        var bare: [UInt8] = [0xFF, 0xD8]
        var position = 2
        while bytes[position + 1] != 0xDA {
            let end = position + 2 + Int(bytes[position + 2]) << 8 + Int(bytes[position + 3])
            if bytes[position + 1] != 0xC4 { bare += bytes[position..<end] }
            position = end
        }
        bare += bytes[position...]
        try verify(bare, dimensions: size)
        let file = try JPEGFile.assemble(bare, metadata: metadata, dimensions: size)
        _ = try ask("djpeg", ["-outfile", "/dev/null"], about: file, ending: "jpg")
        #expect(file.count > bare.count + 400)
    }

    @Test("frame that does not begin as one is refused")
    func noJPEG() {
        #expect(throws: EncodingError.self) {
            try JPEGFile.assemble([1, 2, 3], metadata: metadata, dimensions: size)
        }
    }
}

@Suite("A TIFF")
struct TIFFTests {
    /// A picture's mode and samples, as Pillow decodes them.
    private func read(_ bytes: [UInt8]) throws -> (mode: String, samples: [UInt8]) {
        let script =
            "import sys, PIL.Image; image = PIL.Image.open(sys.argv[1]); "
            + "sys.stdout.buffer.write(image.mode.encode() + b'\\n' + image.tobytes())"
        // Debian's Python is the one that Debian's packages are for.
        let answer = try answer("/usr/bin/python3", ["-c", script], about: bytes, ending: "tif")
        let end = try #require(answer.firstIndex(of: 0x0A))
        return (String(decoding: answer[..<end], as: UTF8.self), Array(answer[(end + 1)...]))
    }

    @Test("carries its metadata, and another program validates it")
    func metadataIsRead() throws {
        let file = try TIFFEncoder.encode(RasterImage(.yuv(picture())), metadata: metadata)
        let found = try tags(file, ending: "tif")
        expectMetadata(found)
        #expect(found["SerialNumber"] as? String == "SN-1")
        let validation = try ask("exiftool", ["-validate", "-warning", "-a"], about: file, ending: "tif")
        #expect(validation.contains(": OK"), "\(validation)")
    }

    @Test("has the pixels of a camera's JPEG, as another program decodes both")
    func jpeg() throws {
        let jpeg = try JPEGEncoder.encode(picture())
        let file = try TIFFEncoder.encode(RasterImage(.jpeg(jpeg)), metadata: metadata)
        let decoded = try answer("djpeg", ["-pnm"], about: jpeg, ending: "jpg")
        let tiff = try read(file)
        let isEqual = tiff.samples == Array(decoded.suffix(size.width * size.height * 3))
        #expect(tiff.mode == "RGB" && isEqual)
    }

    /// Y'CbCr of the colour bars' primaries in full range (ITU-R BT.601, JFIF).
    @Test(
        "has the colours of planes",
        arguments: [
            ([76, 85, 255], [254, 0, 0]), ([150, 44, 21], [0, 255, 1]), ([29, 255, 107], [0, 0, 254]),
            ([128, 128, 128], [128, 128, 128]),
        ] as [([UInt8], [UInt8])])
    func colours(yuv: [UInt8], rgb: [UInt8]) throws {
        let counts = [size.width * size.height, size.width / 2 * size.height, size.width / 2 * size.height]
        let planes = zip(yuv, counts).map { [UInt8](repeating: $0, count: $1) }
        let image = YUVImage(dimensions: size, subsampling: .yuv422, planes: planes)
        let read = try read(TIFFEncoder.encode(RasterImage(.yuv(image)), metadata: metadata))
        let first = read.samples.prefix(3)
        #expect(zip(first, rgb).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(first)")
        #expect(read.samples.prefix(3) == read.samples.suffix(3))
    }

    @Test("has luma as deep as it is")
    func deep() throws {
        let samples = (0..<size.width * size.height).map { UInt16(truncatingIfNeeded: $0 * 21 + $0 << 8) }
        let image = RasterImage(dimensions: size, samples: .luma16(samples))
        let read = try read(TIFFEncoder.encode(image, metadata: metadata))
        let isEqual = read.samples == samples.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(read.mode == "I;16" && isEqual)
    }
}

@Suite("A DNG")
struct DNGTests {
    private func file(_ pattern: BayerImage.Pattern = .rggb) throws -> [UInt8] {
        let samples = (0..<size.width * size.height).map { UInt16(64 + $0 % 4000) }
        return try DNGEncoder.encode(
            BayerImage(
                dimensions: size, pattern: pattern, blackLevel: 64, whiteLevel: 4095, neutral: [0.5, 1, 0.6],
                samples: samples), metadata: metadata)
    }

    @Test("carries its metadata, and another program validates it")
    func metadataIsRead() throws {
        let bytes = try file()
        expectMetadata(try tags(bytes, ending: "dng"))
        let validation = try ask("exiftool", ["-validate", "-warning", "-a"], about: bytes, ending: "dng")
        #expect(validation.contains(": OK"), "\(validation)")
    }

    @Test(
        "shows viewers a picture that is as bright and as grey as the scene",
        arguments: [BayerImage.Pattern.rggb, .gbrg])
    func preview(pattern: BayerImage.Pattern) throws {
        // 18 % of grey, before a sensor that sees half of the red; sRGB's code for it is 118.
        let neutral = [0.5, 1, 0.6]
        let places = pattern == .rggb ? [0, 1, 1, 2] : [1, 2, 0, 1]
        let samples = (0..<size.width * size.height).map { index in
            let colour = places[index / size.width % 2 * 2 + index % 2]
            return UInt16(64 + 0.18 * 4031 * neutral[colour])
        }
        let bytes = try DNGEncoder.encode(
            BayerImage(
                dimensions: size, pattern: pattern, blackLevel: 64, whiteLevel: 4095, neutral: neutral,
                samples: samples), metadata: metadata)
        let picture = try answer("exiftool", ["-b", "-PreviewImage"], about: bytes, ending: "dng")
        let bitmap = try answer("djpeg", ["-rgb", "-bmp"], about: Array(picture), ending: "jpg")
        // A header of 54 bytes, then blue, green and red of each pixel.
        #expect(bitmap.count == 54 + 3 * size.width * size.height / 4)
        #expect(bitmap.dropFirst(54).allSatisfy { abs(Int($0) - 118) <= 3 })
    }

    @Test("is developed by LibRaw", arguments: [BayerImage.Pattern.rggb, .grbg, .gbrg, .bggr])
    func developed(pattern: BayerImage.Pattern) throws {
        let report = try ask("raw-identify", ["-v"], about: file(pattern), ending: "dng")
        #expect(report.contains("Raw size") || report.contains("Image size"), "\(report)")
        _ = try ask("dcraw_emu", ["-Z", "/dev/null"], about: file(pattern), ending: "dng")
    }
}

@Suite("A picture that says how it is to be turned")
struct OrientationTests {
    /// Four quarters, each as bright as none of the others.
    private static let quarters = {
        let luma = (0..<size.height).flatMap { y in
            (0..<size.width).map { x -> UInt8 in
                switch (x < size.width / 2, y < size.height / 2) {
                case (true, true): 40
                case (false, true): 100
                case (true, false): 160
                case (false, false): 220
                }
            }
        }
        let colour = [UInt8](repeating: 128, count: size.width / 2 * size.height / 2)
        return YUVImage(dimensions: size, subsampling: .yuv420, planes: [luma, colour, colour])
    }()

    /// Width, height, and how bright each quarter is, in steps of 60.
    private func summary(_ width: Int, _ height: Int, _ level: (Int, Int) -> Int) -> [Int] {
        let places = [(1, 1), (3, 1), (1, 3), (3, 3)].map { (width * $0.0 / 4, height * $0.1 / 4) }
        return [width, height] + places.map { (level($0.0, $0.1) + 20) / 60 }
    }

    @Test("is turned as Pillow turns it", arguments: PictureOrientation.allCases)
    func turned(orientation: PictureOrientation) throws {
        let jpeg = try JPEGFile.oriented(try JPEGEncoder.encode(Self.quarters), orientation)
        let script = """
            import sys
            from PIL import Image, ImageOps
            picture = ImageOps.exif_transpose(Image.open(sys.argv[1])).convert("L")
            w, h = picture.size
            print(w, h, *[(picture.getpixel((w * x // 4, h * y // 4)) + 20) // 60 for x, y in [(1, 1), (3, 1), (1, 3), (3, 3)]])
            """
        let told = try ask("/usr/bin/python3", ["-c", script], about: jpeg, ending: "jpg").split(separator: "\n").last
        let wanted = told.map { $0.split(separator: " ").compactMap { Int($0) } }
        var metadata = metadata
        metadata.orientation = orientation
        let raster = try RasterImage(.jpeg(try JPEGEncoder.encode(Self.quarters)))
        for (bytes, format) in [(jpeg, PhotoFormat.jpeg), (try TIFFEncoder.encode(raster, metadata: metadata), .tiff)] {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID()).\(format)")
            try Data(bytes).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let image = try ScreenImage(contentsOf: file.path, format, atLeast: size)
            let (width, height) = (image.dimensions.width, image.dimensions.height)
            #expect(summary(width, height) { Int(image.bytes[4 * ($1 * width + $0)]) } == wanted, "\(format)")
        }
    }
}
