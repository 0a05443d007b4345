public import CaptureModel

/// Keeps what was learned about cameras.
public protocol ProfileStore: Sendable {
    /// What is known about a camera in its active format; nil where nothing is.
    func profile(of camera: CameraCapabilities) -> CameraProfile?
    /// Keeps a profile for the next start.
    func keep(_ profile: CameraProfile) throws
}

/// Keeps nothing: each start learns anew.
public struct NoProfileStore: ProfileStore {
    /// Keeps nothing.
    public init() {}

    /// Nothing is known.
    public func profile(of camera: CameraCapabilities) -> CameraProfile? { nil }
    /// Forgets.
    public func keep(_ profile: CameraProfile) {}
}
