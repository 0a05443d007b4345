import CaptureModel

/// coordinator -> node: you do not belong here, for this reason.
package struct Rejected: WireMessage, Hashable {
    package static let type = "rejected"

    /// What stands between the node and the rig.
    package struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The word; one that this release does not know is kept as it came.
        package let rawValue: String

        /// Takes the first 64 characters of a word, which may be new to this release.
        package init(rawValue: String) { self.rawValue = String(rawValue.prefix(64)) }

        /// Another instance of that name is connected and alive.
        package static let nameInUse = Code(rawValue: "nameInUse")
        /// The key belongs to another name; of coordinators of earlier releases.
        package static let nameNotYours = Code(rawValue: "nameNotYours")
        /// The coordinator does not know you (it restarted, or took you for dead): say hello again.
        package static let unknownNode = Code(rawValue: "unknownNode")
        /// The node obeys a coordinator that started later.
        package static let superseded = Code(rawValue: "superseded")
        /// There is no version of the wire that both speak.
        package static let versionMismatch = Code(rawValue: "versionMismatch")
    }

    /// For the node to act on.
    package var code: Code
    /// One sentence for the node's log: what is wrong and what to do.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
