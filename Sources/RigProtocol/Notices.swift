package import CaptureModel

/// coordinator -> whoever watches: a node's lifecycle event, once it is in the catalogue.
package struct EventNotice: WireMessage, Hashable {
    package static let type = "eventNotice"
    package var node: String
    package var event: CaptureEvent

    package init(node: String, event: CaptureEvent) {
        self.node = node
        self.event = event
    }
}

/// coordinator -> whoever watches: a capture changed its state.
package struct CaptureNotice: WireMessage, Hashable {
    package static let type = "captureNotice"
    package var uniqueID: UniqueID
    package var state: CaptureState
    package var reason: String?
    /// Photos on disk and in the catalogue.
    package var storedPhotoCount: Int
    package var expectedPhotoCount: Int

    package init(
        uniqueID: UniqueID, state: CaptureState, reason: String?, storedPhotoCount: Int, expectedPhotoCount: Int
    ) {
        self.uniqueID = uniqueID
        self.state = state
        self.reason = reason
        self.storedPhotoCount = storedPhotoCount
        self.expectedPhotoCount = expectedPhotoCount
    }
}

/// coordinator -> whoever watches: a node came, went or changed.
package struct NodeNotice: WireMessage, Hashable {
    package static let type = "nodeNotice"
    package var node: NodeSummary

    package init(node: NodeSummary) {
        self.node = node
    }
}
