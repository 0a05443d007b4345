package import CaptureModel
import RigProtocol

extension OperatorClient {
    /// Refuses a plan that a coordinator of an older release would take for another one.
    ///
    /// - Throws: ``ClientError``; nothing was fired.
    package func requireKnowledge(of plan: Plan) async throws {
        guard plan.choosesNodes || plan.settings != nil else { return }
        let status = try await ask(StatusRequest())
        func refusal(_ words: String) -> ClientError {
            .refused(
                Refusal(.unavailable, "Nothing was fired: this coordinator is of an older release, which \(words)."))
        }
        if plan.choosesNodes, status.choosesNodes != true { throw refusal("would fire all nodes") }
        if plan.settings != nil, status.setsCameras != true { throw refusal("knows no settings beside a bracket") }
    }
}
