import CaptureModel

/// Which of a capture's photos somebody wants; what is left out does not restrict them.
struct PhotoChoice: Sendable {
    static let names: Set = ["step", "format"]

    private let step: Int?
    private let format: PhotoFormat?

    /// - Throws: ``ConsoleError`` that names the value which is none, or the name that there is not.
    init(_ query: Query) throws(ConsoleError) {
        try query.refuseOthers(than: Self.names)
        step = try query.value("step", wanted: "1 for the first exposure, 2 for the second") { text in
            Int(text).flatMap { $0 > 0 ? $0 : nil }
        }
        format = try query.value("format", wanted: PhotoFormat.allCases.map(\.rawValue).joined(separator: ", ")) {
            PhotoFormat(rawValue: $0)
        }
    }

    func contains(_ photo: PhotoRecord) -> Bool {
        // A single photo is the first of one.
        (step.map { $0 == max(photo.sequenceCount, 1) } ?? true) && (format.map { $0 == photo.format } ?? true)
    }
}
