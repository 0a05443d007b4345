package import CaptureModel

/// coordinator -> whoever watches: a capture changed its state.
package struct CaptureNotice: WireMessage, Hashable {
    package static let type = "captureNotice"
    /// See ``News/number``.
    package var number: Int64
    /// See ``News/previous``.
    package var previous: Int64
    /// The capture's identity.
    package var uniqueID: UniqueID
    /// Where it stands now; unchanged where only another photo was stored.
    package var state: CaptureState
    /// Why it ended without being complete.
    package var reason: String?
    /// Photos on disk and in the catalogue.
    package var storedPhotoCount: Int
    /// How many photos its nodes owe together, failed ones included.
    package var expectedPhotoCount: Int

    package init(
        number: Int64, previous: Int64, uniqueID: UniqueID, state: CaptureState, reason: String?, storedPhotoCount: Int,
        expectedPhotoCount: Int
    ) {
        self.number = number
        self.previous = previous
        self.uniqueID = uniqueID
        self.state = state
        self.reason = reason
        self.storedPhotoCount = storedPhotoCount
        self.expectedPhotoCount = expectedPhotoCount
    }
}
