/// The release that all programs of a rig are of.
package enum Release {
    package static let version = "0.1.0"
}
