/// What cameras are set to beside the bracket, for as long as a capture takes.
package struct NodeSettings: Hashable, Sendable, Codable {
    /// The nodes that it is for, beside those of ``groups``; of neither, all.
    package var nodes: [NodePattern]?
    /// The groups of the rig that it is for.
    package var groups: [String]?
    /// The files that each exposure becomes, in place of the plan's.
    package var formats: [PhotoFormat]?
    /// Values of the camera's controls: exposure, lens, white balance; no modes.
    package var camera = CameraSettings()
    /// Whether quality or speed counts for more.
    package var photoQualityPrioritization: PhotoQualityPrioritization?
    /// A picture larger than the stream's, from those that the camera offers.
    package var maxPhotoDimensions: Dimensions?
    /// A small JPEG inside a JPEG's file, fitted into these dimensions.
    package var embeddedThumbnailPhotoDimensions: Dimensions?

    /// The properties of a camera that a plan can set.
    package static let properties: [CameraProperty] = [
        .exposureDuration, .iso, .gain, .lensPosition, .whiteBalance, .lensStabilization,
    ]

    package init() {}

    /// What is left out has its default.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        nodes = try values.decodeIfPresent([NodePattern].self, forKey: .nodes)
        groups = try values.decodeIfPresent([String].self, forKey: .groups)
        formats = try values.decodeIfPresent([PhotoFormat].self, forKey: .formats)
        camera = try values.decodeIfPresent(CameraSettings.self, forKey: .camera) ?? CameraSettings()
        photoQualityPrioritization = try values.decodeIfPresent(
            PhotoQualityPrioritization.self, forKey: .photoQualityPrioritization)
        maxPhotoDimensions = try values.decodeIfPresent(Dimensions.self, forKey: .maxPhotoDimensions)
        embeddedThumbnailPhotoDimensions = try values.decodeIfPresent(
            Dimensions.self, forKey: .embeddedThumbnailPhotoDimensions)
    }

    /// Exposure, ISO and gain.
    package var exposure: Exposure {
        Exposure(duration: camera.exposureDuration, iso: camera.iso, gain: camera.gain)
    }

    /// Whether it is for a node.
    ///
    /// - Parameter rigGroups: the groups of the rig.
    package func applies(to node: NodeName, _ rigGroups: [NodeGroup]) -> Bool {
        guard nodes != nil || groups != nil else { return true }
        return (nodes ?? []).contains { $0.matches(node) }
            || rigGroups.contains { (groups ?? []).contains($0.name) && $0.contains(node) }
    }

    /// These laid over others: where both have a value, these win.
    package func over(_ former: NodeSettings) -> NodeSettings {
        var merged = former
        merged.formats = formats ?? former.formats
        merged.camera = camera.values(over: former.camera)
        merged.photoQualityPrioritization = photoQualityPrioritization ?? former.photoQualityPrioritization
        merged.maxPhotoDimensions = maxPhotoDimensions ?? former.maxPhotoDimensions
        merged.embeddedThumbnailPhotoDimensions =
            embeddedThumbnailPhotoDimensions ?? former.embeddedThumbnailPhotoDimensions
        return merged
    }

    /// What rules it out on any camera; nil for what can be considered.
    func problem(in plan: Plan) -> String? {
        if let problem = camera.problem { return problem }
        if let formats, formats.isEmpty || Set(formats).count < formats.count {
            return "settings have no format, or one of them twice."
        }
        if let property = camera.properties.first(where: { !Self.properties.contains($0) }) {
            return "A plan sets values, and leaves \(property.rawValue) to `volley camera`."
        }
        if camera.isLensStabilizationOn == false {
            return
                "A plan can turn the stabiliser on alone; `volley camera set NODES lensStabilization=off` turns it off."
        }
        if camera.iso != nil, camera.gain != nil { return "settings have an ISO and a gain; give only one." }
        if let lens = camera.lensPosition, !(0...1).contains(lens) {
            return "A lens position is 0 (nearest) to 1 (furthest)."
        }
        if camera.lensPosition != nil, plan.bracket.kind == .focus {
            return "lensPosition is set both beside the bracket and in it; leave one of them out."
        }
        if camera.whiteBalance != nil, plan.bracket.kind == .whiteBalance || plan.whiteBalance != nil {
            return "whiteBalance is given twice; leave it out of the settings, or elsewhere."
        }
        if exposure != Exposure(), plan.metering != nil {
            return "metering decides on the exposure that settings set; leave one of them out."
        }
        return nil
    }
}

extension Plan {
    /// What a node's camera is set to beside the bracket; nil for nothing. What stands later in the plan wins.
    ///
    /// - Parameter groups: those of the rig.
    package func settings(of node: NodeName, _ groups: [NodeGroup]) -> NodeSettings? {
        let own = (settings ?? []).filter { $0.applies(to: node, groups) }
        guard let first = own.first else { return nil }
        var merged = own.dropFirst().reduce(first) { $1.over($0) }
        (merged.nodes, merged.groups) = (nil, nil)
        return merged
    }

    /// The plan as a node carries it out: with formats of its own, and of the settings with what is for its camera.
    ///
    /// - Parameter groups: those of the rig.
    package func own(of node: NodeName, _ groups: [NodeGroup]) -> Plan {
        var (plan, own) = (self, settings(of: node, groups) ?? NodeSettings())
        plan.formats = own.formats ?? formats
        own.formats = nil
        plan.settings = own == NodeSettings() ? nil : [own]
        return plan
    }

    /// No photo of a plan that is a node's own is larger, in bytes.
    package func largestPhotoByteCount(_ camera: CameraCapabilities) -> Int64 {
        camera.largestPhotoByteCount(of: formats, in: settings?.first?.maxPhotoDimensions ?? camera.dimensions)
    }
}

extension CameraSettings {
    /// The values that a plan can set, laid over others; no modes come with them.
    package func values(over other: CameraSettings) -> CameraSettings {
        var merged = other
        merged.exposureDuration = exposureDuration ?? other.exposureDuration
        // Two words for one control.
        merged.iso = iso ?? (gain == nil ? other.iso : nil)
        merged.gain = gain ?? (iso == nil ? other.gain : nil)
        merged.lensPosition = lensPosition ?? other.lensPosition
        merged.whiteBalance = whiteBalance ?? other.whiteBalance
        merged.isLensStabilizationOn = isLensStabilizationOn ?? other.isLensStabilizationOn
        return merged
    }
}

extension CameraCapabilities {
    /// Why the camera cannot be set so; nil where it can.
    package func objection(to settings: NodeSettings) -> String? {
        func out<Value: Comparable>(_ name: String, _ value: Value?, _ range: ClosedRange<Value>?) -> String? {
            guard let value, !(range?.contains(value) ?? false) else { return nil }
            let takes = range.map { "takes \($0.lowerBound) to \($0.upperBound)" } ?? "cannot set it"
            return "The plan sets \(name) \(value); \(cameraID) \(takes)."
        }
        let camera = settings.camera
        if let problem = out("exposureDuration", camera.exposureDuration, exposureDurationRange)
            ?? out("ISO", camera.iso, isoRange) ?? out("gain", camera.gain, gainRange)
        {
            return problem
        }
        if camera.lensPosition != nil, !canSetLensPosition { return "The plan sets the lens; \(cameraID) cannot." }
        if camera.isLensStabilizationOn == true, !hasLensStabilization {
            return "\(cameraID) has no lens stabilisation."
        }
        return camera.whiteBalance.flatMap { objection(toWhiteBalance: $0)?.message }
    }
}
