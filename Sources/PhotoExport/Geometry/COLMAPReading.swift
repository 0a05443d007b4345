import CaptureModel
import Foundation

/// The files of a model.
enum COLMAPReading {
    struct Failure: Error {
        let words: String
        static let short = Failure(words: "a file ends too early")
    }

    static func binary(cameras: Data, images: Data) throws(Failure) -> [COLMAPModel.Image] {
        var reader = Reader(bytes: cameras)
        var lenses: [UInt32: CameraIntrinsics] = [:]
        for _ in 0..<(try reader.number(UInt64.self)) {
            let (id, model) = (try reader.number(UInt32.self), try reader.number(UInt32.self))
            let size = Dimensions(width: try reader.count(), height: try reader.count())
            guard models.indices.contains(Int(model)) else { throw unknown("number \(model)") }
            let (name, count) = models[Int(model)]
            lenses[id] = try intrinsics(name, size, try reader.doubles(count))
        }
        reader = Reader(bytes: images)
        var placed: [COLMAPModel.Image] = []
        for _ in 0..<(try reader.number(UInt64.self)) {
            _ = try reader.number(UInt32.self)
            let pose = try reader.doubles(7)
            let camera = try reader.number(UInt32.self)
            let name = try reader.text()
            // Each point: where it is seen, and which it is.
            try reader.skip(try reader.count(), of: 24)
            placed.append(try image(name, lenses[camera], pose))
        }
        return placed
    }

    static func text(cameras: Data, images: Data) throws(Failure) -> [COLMAPModel.Image] {
        var lenses: [UInt32: CameraIntrinsics] = [:]
        for line in lines(cameras) where !line.isEmpty {
            let words = line.split(separator: " ")
            guard words.count > 4, let id = UInt32(words[0]), let width = Int(words[2]), let height = Int(words[3])
            else { throw Failure(words: "'\(line)' is no camera") }
            let parameters = words.dropFirst(4).compactMap { Double($0) }
            lenses[id] = try intrinsics(String(words[1]), Dimensions(width: width, height: height), parameters)
        }
        var placed: [COLMAPModel.Image] = []
        // The second line of each has its points, and may be empty.
        let rows = lines(images)
        for index in stride(from: 0, to: rows.count, by: 2) where !rows[index].isEmpty {
            let words = rows[index].split(separator: " ", maxSplits: 9)
            let pose = words.dropFirst().prefix(7).compactMap { Double($0) }
            guard words.count == 10, pose.count == 7, let camera = UInt32(words[8]) else {
                throw Failure(words: "'\(rows[index])' is no image")
            }
            placed.append(try image(String(words[9]), lenses[camera], pose))
        }
        return placed
    }

    private static func lines(_ data: Data) -> [Substring] {
        String(decoding: data, as: UTF8.self).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .filter { !$0.hasPrefix("#") }
    }

    private static func image(
        _ name: String, _ lens: CameraIntrinsics?, _ pose: [Double]
    ) throws(Failure) -> COLMAPModel.Image {
        guard let lens else { throw Failure(words: "\(name) has no camera") }
        let rotation = SIMD4(pose[0], pose[1], pose[2], pose[3])
        guard pose.allSatisfy(\.isFinite), (rotation * rotation).sum() > 0 else {
            throw Failure(words: "\(name) has no pose")
        }
        return COLMAPModel.Image(
            name: name, intrinsics: lens,
            pose: CameraPose(rotation: rotation.normalized, translation: SIMD3(pose[4], pose[5], pose[6])))
    }

    // MARK: Lenses

    /// COLMAP's first models, in the order of their numbers, with how many parameters each has.
    private static let models = [
        ("SIMPLE_PINHOLE", 3), ("PINHOLE", 4), ("SIMPLE_RADIAL", 4), ("RADIAL", 5), ("OPENCV", 8),
    ]

    private static func unknown(_ model: String) -> Failure {
        Failure(words: "its camera model \(model) is none of \(models.map(\.0).joined(separator: ", "))")
    }

    private static func intrinsics(
        _ model: String, _ size: Dimensions, _ numbers: [Double]
    ) throws(Failure) -> CameraIntrinsics {
        guard let count = models.first(where: { $0.0 == model })?.1 else { throw unknown(model) }
        guard numbers.count == count, numbers.allSatisfy(\.isFinite) else {
            throw Failure(words: "a camera of the model \(model) has \(numbers.count) numbers")
        }
        let hasTwoFocalLengths = model == "PINHOLE" || model == "OPENCV"
        let rest = numbers.dropFirst(hasTwoFocalLengths ? 2 : 1)
        var lens = CameraIntrinsics(dimensions: size, focalLength: numbers[0])
        if hasTwoFocalLengths { lens.focalLengthY = numbers[1] }
        let parameters = Array(rest)
        (lens.principalPointX, lens.principalPointY) = (parameters[0], parameters[1])
        let distortion = Array(parameters.dropFirst(2))
        if let k1 = distortion.first { lens.k1 = k1 }
        if distortion.count > 1 { lens.k2 = distortion[1] }
        guard distortion.dropFirst(2).allSatisfy({ abs($0) < 1e-6 }) else {
            throw Failure(
                words: "a lens of it has tangential distortion, which Volley does not keep; reconstruct with RADIAL")
        }
        return lens
    }
}

/// Little-endian numbers, one after another.
private struct Reader {
    private var rest: Data

    init(bytes: Data) { rest = bytes }

    private mutating func take(_ count: Int) throws(COLMAPReading.Failure) -> Data {
        guard rest.count >= count else { throw .short }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) throws(COLMAPReading.Failure) -> Number {
        try take(MemoryLayout<Number>.size).reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func count() throws(COLMAPReading.Failure) -> Int { Int(clamping: try number(UInt64.self)) }

    mutating func doubles(_ count: Int) throws(COLMAPReading.Failure) -> [Double] {
        var numbers: [Double] = []
        for _ in 0..<count { numbers.append(Double(bitPattern: try number(UInt64.self))) }
        return numbers
    }

    mutating func skip(_ count: Int, of size: Int) throws(COLMAPReading.Failure) {
        let (bytes, isTooMany) = count.multipliedReportingOverflow(by: size)
        if isTooMany { throw .short }
        _ = try take(bytes)
    }

    /// What ends with a zero.
    mutating func text() throws(COLMAPReading.Failure) -> String {
        guard let end = rest.firstIndex(of: 0) else { throw .short }
        let bytes = try take(end - rest.startIndex)
        _ = try take(1)
        return String(decoding: bytes, as: UTF8.self)
    }
}
