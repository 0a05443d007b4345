package import CaptureModel
import Programs
package import RigProtocol
package import RigTransport

/// How far this machine's wall clock is from the coordinator's, which counts.
package struct ClockComparison: Sendable {
    /// A difference of up to this is not worth a word, in nanoseconds.
    private static let tolerance = Int64.seconds(1)

    /// The coordinator's clock minus this one, in nanoseconds; known to within half of what the question took.
    package let difference: Int64
    private let bound: Int64

    /// - Parameters:
    ///   - utc: what the coordinator's clock showed between the other two, which are this machine's.
    package init(utc: UTCTime, asked: UTCTime, answered: UTCTime) {
        let took = max(0, answered - asked)
        (difference, bound) = (utc - (asked + took / 2), took / 2)
    }

    /// Asks the coordinator.
    ///
    /// - Returns: its status, and nil where it is of a release that does not tell its time.
    package static func ask(_ client: OperatorClient) async throws -> (status: StatusReply, clocks: ClockComparison?) {
        let asked = UTCTime.now
        let status = try await client.ask(StatusRequest())
        let answered = UTCTime.now
        return (status, status.utc.map { ClockComparison(utc: $0, asked: asked, answered: answered) })
    }

    /// What a person has to know; nil where the two agree to a second, as far as that can be seen.
    package var remark: String? {
        let apart = difference == .min ? .max : abs(difference)
        guard apart - bound > Self.tolerance else { return nil }
        return "This machine's clock is \(Sentences.span(apart)) \(difference < 0 ? "ahead of" : "behind") the "
            + "coordinator's; times of day count by the coordinator's."
    }
}
