package import CaptureModel

/// Keeps what was learned of cameras.
package protocol ProfileStore: Sendable {
    /// What is known of a camera in its active format; nil where nothing is.
    func profile(of camera: CameraCapabilities) -> CameraProfile?
    /// Keeps a profile for the next start.
    func keep(_ profile: CameraProfile) throws
}

/// Keeps nothing: each start learns anew.
package struct NoProfileStore: ProfileStore {
    package init() {}

    /// Nothing is known.
    package func profile(of camera: CameraCapabilities) -> CameraProfile? { nil }
    /// Forgets.
    package func keep(_ profile: CameraProfile) {}
}
