import ArgumentParser
import CaptureModel
import Catalogue
import LibraryCare
import PhotoExport
import Posix
import Programs
import RigConfiguration
import RigMembership
import RigProtocol
import RigTransport

extension Output {
    /// Prints the id of a capture that goes on from here, or a document that has it.
    ///
    /// Where standard output takes none, it is said on standard error: nobody else knows under which id it went.
    static func tell(_ id: UniqueID, _ document: (any Encodable)? = nil, isLine: Bool = false) throws {
        if let document { try json(document, isLine: isLine) } else { data("\(id)") }
        if hasFailed { words("It is capture \(id), which goes on all the same.") }
    }

    /// Runs a command's work; whatever goes wrong becomes a message and an exit status.
    static func reporting(_ body: () async throws -> Void) async throws {
        do {
            try await body()
            if hasFailed { throw ExitCode(ExitStatus.inputOutput) }
        } catch OperatorClient.ClientError.refused(let refusal) {
            FailureDocument(
                refusal.message, exitStatus: refusal.code.exitStatus, code: refusal.code.rawValue,
                details: refusal.details
            ).write()
            words("volley: \(OperatorClient.ClientError.refused(refusal))")
            throw ExitCode(refusal.code.exitStatus)
        } catch OperatorClient.ClientError.unreachable(let place) {
            try fail(ExitStatus.unavailable, unreachable(place))
        } catch let error as OperatorClient.ClientError {
            try fail(error.exitStatus, error)
        } catch let error as ConfigurationError {
            try fail(ExitStatus.badConfiguration, error)
        } catch let error as KeyFile.KeyError {
            try fail(error.isPermission ? ExitStatus.notAllowed : ExitStatus.badConfiguration, error)
        } catch let error as PlanFile.Problem {
            try fail(ExitStatus.badPlan, error)
        } catch let error as LibraryProblem {
            try fail(error.kind.exitStatus, error)
        } catch let error as LibraryInspection.PhotosAway {
            try fail(ExitStatus.badConfiguration, error)
        } catch let error as ExportPlan.Problem {
            try fail(ExitStatus.failed, error)
        } catch let error as COLMAPModel.Problem {
            try fail(ExitStatus.failed, error)
        } catch let error as SystemError {
            try fail(error.isPermission ? ExitStatus.notAllowed : ExitStatus.failed, error)
        } catch let error where Catalogue.isOfCatalogue(error) {
            let status = Catalogue.isDamage(error) ? ExitStatus.inputOutput : ExitStatus.failed
            try fail(status, Catalogue.sentence(for: error))
        }
    }

    /// Whether the name alone is to blame.
    private static func unreachable(_ place: String) -> String {
        guard let host = Address(place, defaultPort: 0)?.host, SocketAddress.isUnknown(host) else {
            return "\(OperatorClient.ClientError.unreachable(place))"
        }
        return "The coordinator's name \(host) is not known here: check `coordinator`, or write its address."
    }

    private static func fail(_ status: Int32, _ error: some CustomStringConvertible) throws {
        FailureDocument("\(error)", exitStatus: status).write()
        words("volley: \(error)")
        throw ExitCode(status)
    }
}

extension OperatorClient.ClientError {
    /// The exit status of a command that ends with it.
    var exitStatus: Int32 {
        switch self {
        case .unreachable: ExitStatus.unavailable
        case .keyRefused: ExitStatus.notAllowed
        case .refused(let refusal): refusal.code.exitStatus
        case .wire: ExitStatus.failed
        }
    }
}

extension LibraryProblem.Kind {
    fileprivate var exitStatus: Int32 {
        switch self {
        case .wrongPlace: ExitStatus.badConfiguration
        case .inUse: ExitStatus.tryAgain
        case .damaged: ExitStatus.inputOutput
        case .failed: ExitStatus.failed
        }
    }
}

extension Refusal.Code {
    /// The exit status of a command that was refused with this code.
    fileprivate var exitStatus: Int32 {
        switch self {
        case .invalid: ExitStatus.badPlan
        case .unavailable: ExitStatus.unavailable
        case .tryAgain: ExitStatus.tryAgain
        case .notAllowed: ExitStatus.notAllowed
        // A coordinator of a later release may have other reasons.
        default: ExitStatus.failed
        }
    }
}
