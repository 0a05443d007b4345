/// A request for a bracket. Apple: `AVCapturePhotoBracketSettings`.
public struct PhotoBracketSettings: PhotoCaptureSettings {
    /// What does not depend on the number of exposures.
    public var photo: PhotoSettings
    /// The steps.
    public let bracketedSettings: Bracket
    /// The steps.
    public var bracket: Bracket? { bracketedSettings }

    /// Takes the next id of this process where none is given.
    public init(uniqueID: UniqueID? = nil, formats: [PhotoFormat] = [.jpeg], bracketedSettings: Bracket) {
        photo = PhotoSettings(uniqueID: uniqueID, formats: formats)
        self.bracketedSettings = bracketedSettings
    }
}
