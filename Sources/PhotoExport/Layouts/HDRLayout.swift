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

extension Bracket {
    /// The place of each step, from 0, where they are put in ascending exposure.
    package var ranks: [Int] {
        // A gain has no unit, and lets in more light where it is greater.
        let light = steps.map { step -> (Double, Double) in
            switch step {
            case .autoExposure(let bias): return (bias.value ?? 0, 0)
            case .manualExposure(let duration, let iso, let gain):
                return ((duration.value?.seconds ?? 1) * (iso.value ?? 1), gain.value ?? 0)
            case .burst, .focus, .whiteBalance: return (0, 0)
            }
        }
        let order = light.indices.sorted { (light[$0].0, light[$0].1, $0) < (light[$1].0, light[$1].1, $1) }
        return light.indices.map { order.firstIndex(of: $0) ?? $0 }
    }
}
