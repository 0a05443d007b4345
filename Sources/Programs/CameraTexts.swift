package import CaptureModel

extension CameraState {
    /// What the camera is, in a line.
    package var heading: String {
        "\(camera.cameraID) (\(camera.modelID)), \(camera.pixelFormat) \(camera.dimensions)"
    }

    /// What is wrong with what was set by hand, in lines.
    package var complaint: [String] {
        guard let problem else { return [] }
        return [problem] + (kept.map { ["It was set to \($0.words)."] } ?? [])
    }

    /// Its properties, for people.
    package var table: Table {
        var table = Table(["PROPERTY", "VALUE", "", "TAKES"])
        for row in rows {
            let how = row.isAdjusting ? "adjusting" : row.isAutomatic ? "auto" : row.isKept ? "kept" : ""
            let driver = row.driverName.map { "[\($0)]" }
            table.add([
                row.property.rawValue, row.value, how,
                [row.range, driver].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " "),
            ])
        }
        return table
    }

    /// What properties are set to, in a line, with what goes with them; without those that the camera does not have.
    package func words(of properties: [CameraProperty]) -> String {
        let related: [[CameraProperty]] = [
            [.exposureMode, .exposureDuration, .iso, .gain], [.focusMode, .lensPosition],
            [.whiteBalanceMode, .whiteBalance],
        ]
        let told = CameraProperty.allCases.filter { property in
            properties.contains(property)
                || related.contains { $0.contains(property) && $0.contains(where: properties.contains) }
        }
        return told.compactMap { property in current.text(of: property).map { "\(property.rawValue) \($0)" } }
            .joined(separator: ", ")
    }
}
