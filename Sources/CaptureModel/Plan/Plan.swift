/// What to capture, as an operator writes it: the bracket, the formats, the policy, and how the rig is kept in step.
package struct Plan: Hashable, Sendable, Codable {
    /// For people; at most 200 characters, none of them a control character.
    package var name: String
    /// The exposures that every node takes.
    package var bracket: Bracket
    /// The files that each exposure becomes, in the order of delivery.
    package var formats: [PhotoFormat]
    /// The nodes that it is for, beside those of ``groups``; nil, like ``groups``, for the whole rig.
    package var nodes: [NodePattern]?
    /// The groups of the rig that it is for.
    package var groups: [String]?
    /// How many nodes it takes to fire, and to end as partial rather than failed.
    package var policy: CapturePolicy
    /// From the decision to fire to the first exposure, in nanoseconds; nil for what the rig needs.
    package var lead: Int64?
    /// For how long it stays armed where nobody fires it, in nanoseconds; nil for an hour.
    package var armedFor: Int64?
    /// The furthest apart that the nodes may begin a step, in nanoseconds; a capture that exceeds it is partial.
    package var maxSpread: Int64?
    /// Nodes that fire later than the others.
    package var offsets: [FiringOffset]?
    /// Whose exposure all nodes use; nil where each uses its own.
    package var metering: MeteringSource?
    /// Whose white balance all nodes use; nil where each uses its own.
    package var whiteBalance: WhiteBalanceSource?

    /// What cameras are set to beside the bracket.
    package var settings: [NodeSettings]?
    /// False where a strobe or a lamp changes the light, so that a picture cannot prove its exposure; nil means true.
    package var verify: Bool?

    package init(name: String, bracket: Bracket, formats: [PhotoFormat] = [.jpeg], policy: CapturePolicy = .all) {
        self.name = name
        self.bracket = bracket
        self.formats = formats
        self.policy = policy
    }

    /// What is left out has its default, as in a plan file.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decodeIfPresent(String.self, forKey: .name) ?? "unnamed"
        bracket = try values.decode(Bracket.self, forKey: .bracket)
        formats = try values.decodeIfPresent([PhotoFormat].self, forKey: .formats) ?? [.jpeg]
        nodes = try values.decodeIfPresent([NodePattern].self, forKey: .nodes)
        groups = try values.decodeIfPresent([String].self, forKey: .groups)
        policy = try values.decodeIfPresent(CapturePolicy.self, forKey: .policy) ?? .all
        lead = try values.decodeIfPresent(Int64.self, forKey: .lead)
        armedFor = try values.decodeIfPresent(Int64.self, forKey: .armedFor)
        maxSpread = try values.decodeIfPresent(Int64.self, forKey: .maxSpread)
        offsets = try values.decodeIfPresent([FiringOffset].self, forKey: .offsets)
        func isOwn(_ key: CodingKeys) -> Bool { (try? values.decode(String.self, forKey: key)) == "perCamera" }
        metering = isOwn(.metering) ? nil : try values.decodeIfPresent(MeteringSource.self, forKey: .metering)
        whiteBalance =
            isOwn(.whiteBalance) ? nil : try values.decodeIfPresent(WhiteBalanceSource.self, forKey: .whiteBalance)
        settings = try values.decodeIfPresent([NodeSettings].self, forKey: .settings)
        verify = try values.decodeIfPresent(Bool.self, forKey: .verify)
    }

    /// How long a plan may stay armed, in nanoseconds.
    package static let armedTimes = Int64.seconds(1)...Int64.seconds(86_400)
    /// For how long it stays armed, in nanoseconds.
    package var armedLimit: Int64 { armedFor ?? .seconds(3600) }

    /// How many photos each node owes.
    package var expectedPhotoCount: Int { bracket.count * formats.count }

    /// How much later than the fire time a node fires, in nanoseconds; of the offsets that name it, the most specific
    /// counts.
    package func offset(of node: NodeName) -> Int64 {
        (offsets ?? []).filter { $0.nodes.matches(node) }.max { $0.closeness < $1.closeness }?.nanoseconds ?? 0
    }

    /// The nodes whose exposure or white balance all nodes use.
    package var sources: [NodeName] {
        var sources: [NodeName] = []
        if case .node(let name) = metering { sources.append(name) }
        if let whiteBalance { sources.append(whiteBalance.node) }
        return sources
    }

    /// What each node is asked to take.
    ///
    /// - Parameter own: what its camera is set to beside that.
    package func settings(_ id: UniqueID, with own: NodeSettings? = nil) -> PhotoBracketSettings {
        var settings = PhotoBracketSettings(uniqueID: id, formats: formats, bracketedSettings: bracket)
        settings.photo.isExposureVerificationEnabled = verify ?? true
        settings.photo.isLensStabilizationEnabled = own?.camera.isLensStabilizationOn ?? false
        settings.photo.photoQualityPrioritization = own?.photoQualityPrioritization ?? .balanced
        settings.photo.maxPhotoDimensions = own?.maxPhotoDimensions
        settings.photo.embeddedThumbnailPhotoDimensions = own?.embeddedThumbnailPhotoDimensions
        return settings
    }

    /// Whether it is for some nodes of the rig only.
    package var choosesNodes: Bool { nodes != nil || groups != nil }

    /// The nodes that it chooses, in words: `top-*, door, group ring`; nil where it is for the whole rig.
    package var chosen: String? {
        guard choosesNodes else { return nil }
        let words = (nodes ?? []).map(\.rawValue) + (groups ?? []).map { "group \($0)" }
        return words.joined(separator: ", ")
    }

    /// Whether the nodes must agree on values before they can fire.
    package var sharesSettings: Bool { metering != nil || whiteBalance != nil }
}
