package import CaptureModel

/// operator -> coordinator: where the rig's cameras stand.
package struct GeometryRequest: CatalogueMessage, Hashable {
    package typealias Reply = GeometryReply
    package static let type = "geometryRequest"
    /// The version that is asked for; nil for that which held at ``at``.
    package var version: Int?
    /// Nil for now.
    package var at: UTCTime?

    package init(version: Int? = nil, at: UTCTime? = nil) { (self.version, self.at) = (version, at) }
}

/// operator -> coordinator: keep where the rig's cameras stand.
package struct KeepGeometryRequest: CatalogueMessage, Hashable {
    package typealias Reply = GeometryReply
    package static let type = "keepGeometryRequest"
    /// The geometry to store; the coordinator sets its version and its user.
    package var geometry: RigGeometry

    package init(geometry: RigGeometry) { self.geometry = geometry }
}

/// coordinator -> operator: where the rig's cameras stand.
package struct GeometryReply: WireMessage, Hashable {
    package static let type = "geometryReply"
    /// Nil where that is not known.
    package var geometry: RigGeometry?

    package init(geometry: RigGeometry?) { self.geometry = geometry }
}
