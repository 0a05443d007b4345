package import CaptureModel

/// coordinator -> operator: the request was understood and refused; nothing was done.
package struct Refusal: WireMessage, Error, Hashable {
    package static let type = "refusal"

    /// What kind of refusal it is; a word that this program does not know is kept as it came.
    package struct Code: RawRepresentable, Codable, Hashable, Sendable {
        /// The word on the wire.
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The request, or its plan, cannot be carried out by this rig, however often it is made.
        package static let invalid = Code(rawValue: "invalid")
        /// What it needs is not there: nodes, a camera.
        package static let unavailable = Code(rawValue: "unavailable")
        /// What stands in its way will pass: a node or the catalogue is busy, a disk is full.
        package static let tryAgain = Code(rawValue: "tryAgain")
        /// There is no capture with that id.
        package static let notFound = Code(rawValue: "notFound")
        /// The capture is over.
        package static let notUnderWay = Code(rawValue: "notUnderWay")
        /// What was asked for cannot be read.
        package static let unreadable = Code(rawValue: "unreadable")
        /// The caller may not do this.
        package static let notAllowed = Code(rawValue: "notAllowed")
    }

    /// For programs to act on.
    package var code: Code
    /// One or two sentences for a person: why nothing was done, and what would help.
    package var message: String
    /// One line for each node or step that objects.
    package var details: [String]
    /// What each node has against it, by its name; nil where it is not about nodes, or from an older coordinator.
    package var objectionsByNode: [String: String]?

    package init(_ code: Code, _ message: String, details: [String] = []) {
        self.code = code
        self.message = message
        self.details = details
    }

    /// - Parameter objections: what each node has against it.
    package init(_ code: Code, _ message: String, objections: [NodeName: String]) {
        self.init(code, message, details: FoldedReasons.lines(objections))
        objectionsByNode = objections.byName
    }
}
