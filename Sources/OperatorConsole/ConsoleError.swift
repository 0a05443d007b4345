import HTTPTypes
import Hummingbird
import RigProtocol
import RigTransport

/// Why a request has no answer, for a person and as a problem's details (RFC 9457).
struct ConsoleError: Error {
    let status: HTTPResponse.Status
    let message: String
    /// A line for each node or step that objects.
    var details: [String] = []
    /// What each node has against it, by its name, as far as that is known.
    var objectionsByNode: [String: String] = [:]
    /// Whether what was asked for may have been done all the same.
    var mayHaveHappened = false

    init(_ status: HTTPResponse.Status, _ message: String) { (self.status, self.message) = (status, message) }

    init(_ error: any Error) {
        switch error {
        case let error as ConsoleError: self = error
        case let error as HTTPError:
            self.init(error.status, error.body ?? Self.words(error.status))
        case OperatorClient.ClientError.refused(let refusal):
            self.init(Self.status(of: refusal.code), refusal.message)
            (details, objectionsByNode) = (refusal.details, refusal.objectionsByNode ?? [:])
        case OperatorClient.ClientError.unreachable:
            self.init(.serviceUnavailable, "The coordinator does not answer; the console waits for it.")
            mayHaveHappened = true
        case let error as OperatorClient.ClientError:
            self.init(.badGateway, "\(error)")
            mayHaveHappened = true
        case is CancellationError:
            self.init(.serviceUnavailable, "The console is ending.")
            mayHaveHappened = true
        default:
            self.init(.internalServerError, "The console could not answer; its log says why.")
            mayHaveHappened = true
        }
    }

    private static func words(_ status: HTTPResponse.Status) -> String {
        status == .notFound ? "There is no such page." : status.reasonPhrase
    }

    private static func status(of code: Refusal.Code) -> HTTPResponse.Status {
        switch code {
        case .invalid, .unreadable: .badRequest
        case .notFound: .notFound
        case .notAllowed: .forbidden
        case .notUnderWay: .conflict
        case .unavailable, .tryAgain: .serviceUnavailable
        default: .badGateway
        }
    }
}
