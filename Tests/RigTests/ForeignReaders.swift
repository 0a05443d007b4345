import Foundation
import FoundationXML
import Testing

/// How AliceVision finds a rig in a folder of photos, and when it gives up (`main_cameraInit.cpp`, `viewIO.cpp`).
struct AliceVisionReader {
    /// Frames by camera.
    private(set) var frames: [Int: [Int]] = [:]
    /// Photos that it would take for single ones.
    private(set) var singles: [String] = []

    init(_ paths: [String]) {
        for path in paths {
            let folder = (path as NSString).deletingLastPathComponent as NSString
            let rig = (folder.deletingLastPathComponent as NSString).lastPathComponent
            let stem = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
            guard rig.hasPrefix("rig"), let camera = Self.number(folder.lastPathComponent) else {
                singles.append(path)
                continue
            }
            frames[camera, default: []].append(Self.number(stem) ?? -1)
        }
    }

    /// `extractNumberFromFileStem`, whose numbers `std::stoi` reads.
    private static func number(_ stem: String) -> Int? {
        let match = stem.wholeMatch(of: #/(?:.*\D)?([0-9]+)(?:[-_.].*[A-Za-z].*)?/#)
        return match.flatMap { Int32($0.1) }.map(Int.init)
    }

    /// Why it ends, or what it warns of; nil where all is well.
    var objection: String? {
        if let wrong = frames.keys.first(where: { $0 >= frames.count }) { return "wrong subPoseId \(wrong)" }
        if Set(frames.values.map(\.count)).count > 1 { return "wrong number of poses per subPose" }
        if frames.values.contains(where: { Set($0).count < $0.count || $0.contains(-1) }) {
            return "multiple frames have the same frame id"
        }
        return nil
    }
}

/// What OpenDroneMap reads of a photo (`opendm/photo.py`): the first packet of XMP, with prefixes as they are written.
struct OpenDroneMapReader {
    private(set) var captureUUID: String?
    private(set) var bandIndex: String?
    private(set) var bandName = "RGB"

    init(_ file: Data) throws {
        let begin = try #require(file.firstRange(of: Data("<x:xmpmeta".utf8)))
        let end = try #require(file.firstRange(of: Data("</x:xmpmeta".utf8)))
        try #require(begin.lowerBound < end.lowerBound)
        let descriptions = Descriptions()
        let parser = XMLParser(data: Data(file[begin.lowerBound..<end.upperBound]) + Data(">".utf8))
        parser.delegate = descriptions
        try #require(parser.parse())
        for attributes in descriptions.found {
            bandName = attributes["Camera:BandName"] ?? bandName
            bandIndex = attributes["Camera:RigCameraIndex"] ?? bandIndex
            for name in ["Camera:CaptureUUID", "Camera:ImageUniqueID", "drone-dji:CaptureUUID"] {
                captureUUID = attributes[name] ?? captureUUID
            }
        }
    }

    private final class Descriptions: NSObject, XMLParserDelegate {
        var found: [[String: String]] = []

        func parser(
            _: XMLParser, didStartElement name: String, namespaceURI _: String?, qualifiedName _: String?,
            attributes: [String: String]
        ) {
            if name == "rdf:Description" { found.append(attributes) }
        }
    }
}
