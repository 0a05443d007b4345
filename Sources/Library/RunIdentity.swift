import CaptureModel

/// What distinguishes one run of a coordinator from others.
struct RunIdentity: Codable, Hashable {
    /// The name of its file in a library.
    static let name = "epoch.json"

    var epoch: Int64
    var history: Int64
    /// When the run that wrote this began, as the catalogue has it.
    var run: UTCTime
    /// False if something had to be left as it is.
    var isWhole: Bool?
}
