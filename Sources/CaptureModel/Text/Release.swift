/// The release of Volley that a program belongs to; all programs of a rig should be of the same one.
package enum Release {
    /// `major.minor.patch`.
    package static let version = "0.1.0"
}
