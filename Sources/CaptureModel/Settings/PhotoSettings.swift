import Synchronization

/// What every request for photos says, single or bracketed; a request is used once.
package protocol PhotoCaptureSettings: Sendable {
    /// The identity of the request. A second capture with the same id is refused.
    var uniqueID: UniqueID { get }
    /// The files wanted of each exposure, in the order of delivery.
    var formats: [PhotoFormat] { get }
    /// The bracket, or nil for a single photo.
    var bracket: Bracket? { get }
}

extension PhotoCaptureSettings {
    /// One exposure for a single photo, else the bracket's steps.
    package var exposureCount: Int { bracket?.count ?? 1 }

    /// How many times `didFinishProcessingPhoto` is owed: exposures times formats.
    package var expectedPhotoCount: Int { exposureCount * formats.count }
}

/// A request for one photo. Apple: `AVCapturePhotoSettings`.
package struct PhotoSettings: PhotoCaptureSettings {
    package let uniqueID: UniqueID
    package let formats: [PhotoFormat]
    package var bracket: Bracket? { nil }

    /// Takes the next id of this process where none is given.
    package init(uniqueID: UniqueID? = nil, formats: [PhotoFormat] = [.jpeg]) {
        self.uniqueID = uniqueID ?? ProcessUniqueIDs.next()
        self.formats = formats
    }
}

/// A request for a bracket. Apple: `AVCapturePhotoBracketSettings`.
package struct PhotoBracketSettings: PhotoCaptureSettings {
    package let uniqueID: UniqueID
    package let formats: [PhotoFormat]
    package let bracketedSettings: Bracket
    package var bracket: Bracket? { bracketedSettings }

    /// Takes the next id of this process where none is given.
    package init(uniqueID: UniqueID? = nil, formats: [PhotoFormat] = [.jpeg], bracketedSettings: Bracket) {
        self.uniqueID = uniqueID ?? ProcessUniqueIDs.next()
        self.formats = formats
        self.bracketedSettings = bracketedSettings
    }
}

/// The ids of this process: 1, 2, 3..., as Apple hands them out. A rig's ids come from its coordinator instead.
private enum ProcessUniqueIDs {
    private static let allocator = Mutex(UniqueIDAllocator())

    static func next() -> UniqueID {
        allocator.withLock { $0.next(microsecondsSinceEpoch: 0) }
    }
}
