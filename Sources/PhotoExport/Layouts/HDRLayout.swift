package import CaptureModel

/// `<capture>/<node>/b00.jpg`, `b01.jpg`..., in ascending exposure, with a table of what each was exposed with.
enum HDRLayout {
    static func path(_ photo: ExportPhoto) -> String {
        let rank = photo.bracketRank < 10 ? "0\(photo.bracketRank)" : "\(photo.bracketRank)"
        return "\(photo.capture.uniqueID)/\(photo.node)/b\(rank).\(photo.fileExtension)"
    }

    /// A table for each bracket.
    static func tables(_ manifest: ExportManifest) -> [String: String] {
        let brackets = Dictionary(grouping: manifest.files) { file in
            file.path.prefix(upTo: file.path.lastIndex(of: "/") ?? file.path.startIndex)
        }
        let tables = brackets.map { folder, files in
            let rows = files.sorted { $0.path < $1.path }.map { row($0, below: folder) }
            return ("\(folder)/exposures.csv", "file,step,exposureSeconds,iso,gain,verification\n" + rows.joined())
        }
        return Dictionary(uniqueKeysWithValues: tables)
    }

    private static func row(_ file: ExportManifest.File, below folder: Substring) -> String {
        let fields = [
            String(file.path.dropFirst(folder.count + 1)), "\(file.step)", file.exposureSeconds.map { "\($0)" } ?? "",
            file.iso.map { "\($0)" } ?? "", file.gain.map { "\($0)" } ?? "", file.verification ?? "",
        ]
        return fields.joined(separator: ",") + "\n"
    }
}

extension CaptureDetail {
    /// The place of each step of a node, from 0, where they are put in ascending exposure: by what was asked for, or, where
    /// a step was left as the camera was set, by what was exposed.
    func ranks(of node: NodeName) -> [Int] {
        guard let bracket = plan?.bracket else { return [] }
        if let ranks = bracket.ranks { return ranks }
        var light: [Int: Light] = [:]
        for photo in photos where photo.node == node {
            let record = photo.record
            light[max(1, record.sequenceCount)] = record.light
        }
        let known = (1...bracket.count).map { light[$0] ?? Light(amount: 0, gain: 0) }
        return known.ranks
    }
}

/// How much light a step lets in. A gain has no unit, and lets in more where it is greater.
private struct Light {
    var amount, gain: Double
}

extension [Light] {
    /// The place of each, from 0, in ascending order.
    fileprivate var ranks: [Int] {
        let order = indices.sorted { (self[$0].amount, self[$0].gain, $0) < (self[$1].amount, self[$1].gain, $1) }
        return indices.map { order.firstIndex(of: $0) ?? $0 }
    }
}

extension PhotoRecord {
    fileprivate var light: Light {
        let got = verified ?? applied
        let seconds = (got?.duration ?? requested.duration)?.seconds ?? 1
        return Light(
            amount: seconds * (got?.iso ?? requested.iso ?? 1), gain: got?.gain ?? requested.gain ?? 0)
    }
}

extension Bracket {
    /// The place of each step, from 0, where they are put in ascending exposure; nil where the plan leaves one as it is
    /// set.
    package var ranks: [Int]? {
        let light = steps.map { step -> Light? in
            switch step {
            case .autoExposure(let bias): return Light(amount: bias.value ?? 0, gain: 0)
            case .manualExposure(let duration, let iso, let gain):
                guard let seconds = duration.value?.seconds else { return nil }
                return Light(amount: seconds * (iso.value ?? 1), gain: gain.value ?? 0)
            case .burst, .focus, .whiteBalance: return Light(amount: 0, gain: 0)
            }
        }
        let isSensitive = steps.map { step in
            if case .manualExposure(_, let iso, _) = step { iso.value != nil } else { false }
        }
        let known = light.compactMap(\.self)
        return known.count == light.count && Set(isSensitive).count < 2 ? known.ranks : nil
    }
}
