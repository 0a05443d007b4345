import ArgumentParser
import CaptureModel
import Glibc
import NodeAgent
import Posix
import Programs
import RigConfiguration
import RigMembership
import RigTransport

extension Output {
    /// Runs a command's work; whatever goes wrong becomes a message and an exit status.
    static func reporting(_ body: () async throws -> Void) async throws {
        do {
            try await body()
            if hasFailed { throw ExitCode(ExitStatus.inputOutput) }
        } catch let error as ConfigurationError {
            try fail(ExitStatus.badConfiguration, error)
        } catch let error as KeyFile.KeyError {
            try fail(error.isPermission ? ExitStatus.notAllowed : ExitStatus.badConfiguration, error)
        } catch let error as PlanFile.Problem {
            try fail(ExitStatus.badPlan, error)
        } catch let error as CaptureSettingsError {
            try fail(ExitStatus.badPlan, error)
        } catch let error as CaptureError {
            try fail(status(of: error.code), error)
        } catch let error as CaptureDeviceError {
            try fail(error.code == .deviceFailed ? ExitStatus.failed : ExitStatus.badPlan, error)
        } catch let error as KeptCamera.Trouble {
            try fail(ExitStatus.failed, error)
        } catch let error as SystemError where error.call == "flock" {
            try fail(ExitStatus.tryAgain, "\(error.subject): another node is using this spool; stop it first")
        } catch let error as SystemError where error.call == "version" {
            let words = "\(error.subject): this spool is from a later release of Volley; run that until it is empty"
            try fail(ExitStatus.badConfiguration, words)
        } catch let error as SystemError {
            try fail(error.isPermission ? ExitStatus.notAllowed : ExitStatus.failed, error)
        }
    }

    private static func status(of code: CaptureError.Code) -> Int32 {
        switch code {
        case .deviceInUse: ExitStatus.tryAgain
        case .deviceNotConnected, .deviceWasDisconnected: ExitStatus.unavailable
        case .unsupportedSettings: ExitStatus.badPlan
        case .operationCancelled: ExitStatus.interrupted
        default: ExitStatus.failed
        }
    }

    private static func fail(_ status: Int32, _ error: some CustomStringConvertible) throws {
        FailureDocument("\(error)", exitStatus: status).write()
        failure("volley-node", error)
        throw ExitCode(status)
    }
}
