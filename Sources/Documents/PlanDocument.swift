package import CaptureModel
import Foundation

/// A plan in the words of a plan file, so that it can be fired again: JSON is YAML.
package struct PlanDocument: Encodable {
    private let plan: Plan

    package init(_ plan: Plan) { self.plan = plan }

    private enum Key: String, CodingKey {
        case name, bracket, formats, nodes, groups, policy, verify, lead, armedFor, maxSpread, offsets, metering,
            whiteBalance
        case settings, node, greyCard
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(plan.name, forKey: .name)
        try values.encode(BracketDocument(bracket: plan.bracket), forKey: .bracket)
        try values.encode(plan.formats, forKey: .formats)
        try values.encodeIfPresent(plan.nodes, forKey: .nodes)
        try values.encodeIfPresent(plan.groups, forKey: .groups)
        try values.encode(plan.policy, forKey: .policy)
        try values.encodeIfPresent(plan.verify, forKey: .verify)
        try values.encodeIfPresent(plan.lead.map(Self.text), forKey: .lead)
        try values.encodeIfPresent(plan.armedFor.map(Self.text), forKey: .armedFor)
        try values.encodeIfPresent(plan.maxSpread.map(Self.text), forKey: .maxSpread)
        if let offsets = plan.offsets {
            let texts = offsets.map { ($0.nodes.rawValue, Self.text($0.nanoseconds)) }
            try values.encode(Dictionary(texts) { first, _ in first }, forKey: .offsets)
        }
        try values.encodeIfPresent(plan.settings?.map { SettingsDocument(settings: $0) }, forKey: .settings)
        switch plan.metering {
        case .rigMedian: try values.encode("rigMedian", forKey: .metering)
        case .node(let name): try encode(name, as: .node, in: &values, .metering)
        case nil: break
        }
        switch plan.whiteBalance {
        case .node(let name): try encode(name, as: .node, in: &values, .whiteBalance)
        case .greyCard(let name): try encode(name, as: .greyCard, in: &values, .whiteBalance)
        case nil: break
        }
    }

    private func encode(
        _ name: NodeName, as key: Key, in values: inout KeyedEncodingContainer<Key>, _ outer: Key
    ) throws {
        var source = values.nestedContainer(keyedBy: Key.self, forKey: outer)
        try source.encode(name, forKey: key)
    }

    /// As people read it in a plan's file: an entry a line, what is in it as JSON.
    package var lines: String {
        let text = JSONText.of(self)
        guard let members = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            preconditionFailure("a plan is an object")
        }
        let order = [Key.name, .bracket, .formats].map(\.rawValue)
        let names = order + members.keys.filter { !order.contains($0) }.sorted()
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        return names.compactMap { name in
            members[name].flatMap { try? JSONSerialization.data(withJSONObject: $0, options: options) }
                .map { "\(name): \(String(decoding: $0, as: UTF8.self))" }
        }.joined(separator: "\n")
    }

    /// `4ms`, `1512.575us`: a time with its unit, to the nanosecond.
    fileprivate static func text(_ nanoseconds: Int64) -> String {
        if nanoseconds % 1_000_000 == 0 { return "\(nanoseconds / 1_000_000)ms" }
        let (micro, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1000)
        let digits = "\(1000 + rest)".dropFirst()
        return rest == 0 ? "\(micro)us" : "\(micro).\(digits)us"
    }
}

/// What cameras are set to, in the words of a plan file.
private struct SettingsDocument: Encodable {
    let settings: NodeSettings

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: TextKey.self)
        try values.encodeIfPresent(settings.nodes, forKey: TextKey("nodes"))
        try values.encodeIfPresent(settings.groups, forKey: TextKey("groups"))
        try values.encodeIfPresent(settings.formats, forKey: TextKey("formats"))
        let camera = settings.camera
        let duration = (camera.exposureDuration?.nanoseconds).map(PlanDocument.text)
        try values.encodeIfPresent(duration, forKey: TextKey("exposureDuration"))
        for (name, number) in [("iso", camera.iso), ("gain", camera.gain), ("lensPosition", camera.lensPosition)] {
            try values.encodeIfPresent(number, forKey: TextKey(name))
        }
        try values.encodeIfPresent(camera.whiteBalance.map(Self.text), forKey: TextKey("whiteBalance"))
        if camera.isLensStabilizationOn == true { try values.encode("on", forKey: TextKey("lensStabilization")) }
        let quality = settings.photoQualityPrioritization.map { "\($0)" }
        try values.encodeIfPresent(quality, forKey: TextKey("quality"))
        try values.encodeIfPresent(settings.maxPhotoDimensions?.description, forKey: TextKey("size"))
        try values.encodeIfPresent(
            settings.embeddedThumbnailPhotoDimensions?.description, forKey: TextKey("thumbnail"))
    }
}

extension SettingsDocument {
    /// `5600K`, `5600K,-10`, `1.9,1,1.5`.
    private static func text(_ white: WhiteBalance) -> String {
        switch white {
        case .temperatureAndTint(let white):
            "\(white.temperature)K" + (white.tint == 0 ? "" : ",\(white.tint)")
        case .gains(let gains): "\(gains.red),\(gains.green),\(gains.blue)"
        }
    }
}

private struct TextKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init?(intValue: Int) { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init(_ text: String) { stringValue = text }
}

/// A bracket in the words of a plan file.
private struct BracketDocument: Encodable {
    let bracket: Bracket

    private struct ManualStep: Encodable {
        var duration: String?
        var iso, gain: Double?
    }

    func encode(to encoder: any Encoder) throws {
        guard bracket.kind == .manualExposure else { return try bracket.encode(to: encoder) }
        var values = encoder.container(keyedBy: TextKey.self)
        let steps = bracket.steps.map { step in
            guard case .manualExposure(let duration, let iso, let gain) = step else { return ManualStep() }
            return ManualStep(
                duration: (duration.value?.nanoseconds).map(PlanDocument.text) ?? "current", iso: iso.value,
                gain: gain.value)
        }
        try values.encode(steps, forKey: TextKey(bracket.kind.rawValue))
    }
}
