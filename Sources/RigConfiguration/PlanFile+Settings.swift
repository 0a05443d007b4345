import CaptureModel
import Yams

/// What a plan says of cameras beside the bracket.
extension PlanFile {
    private static let photoKeys = ["formats", "quality", "size", "thumbnail"]

    /// A list, or one alone.
    static func settings(
        _ node: Node, _ document: YAMLDocument, _ plan: Plan
    ) throws(ConfigurationError) -> [NodeSettings] {
        var all: [NodeSettings] = []
        for item in node.sequence.map(Array.init) ?? [node] {
            all.append(try entry(item, document))
            // Where several contradict something else, the first is named.
            var one = plan
            one.settings = [all[all.count - 1]]
            if let problem = one.problem { throw document.error(item, problem) }
        }
        if all.isEmpty {
            throw document.error(node, "settings wants at least one entry, such as {nodes: [top-*], iso: 200}")
        }
        return all
    }

    private static func entry(_ node: Node, _ document: YAMLDocument) throws(ConfigurationError) -> NodeSettings {
        let known = ["nodes", "groups"] + NodeSettings.properties.map(\.rawValue) + photoKeys
        var entries = try document.entries(node, of: "settings", known: known)
        var settings = NodeSettings()
        if let node = entries.removeValue(forKey: "nodes") { settings.nodes = try document.patterns(node, of: "nodes") }
        if let node = entries.removeValue(forKey: "groups") { settings.groups = try document.names(node, of: "groups") }
        if let node = entries.removeValue(forKey: "formats") { settings.formats = try formats(node, document) }
        if let node = entries.removeValue(forKey: "quality") {
            let words: [String: PhotoQualityPrioritization] = [
                "speed": .speed, "balanced": .balanced, "quality": .quality,
            ]
            guard let quality = words[try document.text(node, of: "quality")] else {
                throw document.error(node, "quality is speed, balanced or quality")
            }
            settings.photoQualityPrioritization = quality
        }
        if let node = entries.removeValue(forKey: "size") { settings.maxPhotoDimensions = try size(node, document) }
        if let node = entries.removeValue(forKey: "thumbnail") {
            settings.embeddedThumbnailPhotoDimensions = try size(node, document)
        }
        if entries["iso"] != nil, let gain = entries["gain"] {
            throw document.error(gain, "settings have an ISO and a gain; give only one")
        }
        for (name, node) in entries.sorted(by: { $0.key < $1.key }) {
            // YAML reads on and off as true and false.
            var text = try document.text(node, of: name)
            if name == CameraProperty.lensStabilization.rawValue, let isOn = node.bool { text = isOn ? "on" : "off" }
            do throws(CameraSettings.Problem) {
                settings.camera = try CameraSettings(words: ["\(name)=\(text)"]).values(over: settings.camera)
            } catch {
                throw document.error(node, error.description)
            }
        }
        return settings
    }

    private static func size(_ node: Node, _ document: YAMLDocument) throws(ConfigurationError) -> Dimensions {
        let text = try document.text(node, of: "a size")
        guard let match = text.wholeMatch(of: #/(\d{1,5})x(\d{1,5})/#), let width = Int(match.1),
            let height = Int(match.2)
        else { throw document.error(node, "'\(text)' is no size; write 1920x1080") }
        return Dimensions(width: width, height: height)
    }
}
