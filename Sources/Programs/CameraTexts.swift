package import CaptureModel

/// What a camera is set to, as JSON for other programs: with a list of its properties, as people see them.
package struct CameraDocument: Encodable {
    private let node: NodeName?
    private let properties: [CameraState.Row]?
    private let state: CameraState?
    private let error: CaptureError?

    package init(node: NodeName? = nil, _ state: CameraState?, error: CaptureError? = nil) {
        (self.node, self.state, self.error) = (node, state, error)
        properties = state?.rows
    }
}

extension CameraState {
    /// What the camera is, in a line.
    package var heading: String {
        "\(camera.cameraID) (\(camera.modelID)), \(camera.pixelFormat) \(camera.dimensions)"
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

    /// What properties are set to, in a line; without those that the camera does not have.
    package func words(of properties: [CameraProperty]) -> String {
        properties.compactMap { property in current.text(of: property).map { "\(property.rawValue) \($0)" } }
            .joined(separator: ", ")
    }
}
