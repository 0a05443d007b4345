import ServiceLifecycle
import UnixSignals

/// The exit statuses of all programs: the capture's outcome, or one of `sysexits.h`.
package enum ExitStatus {
    /// How a program's help lists them.
    package static let help = """
        Exit status: 0 done, 1 failed, 2 partial capture or photos lost, 64 usage, 65 bad plan, 69 unavailable, 74 output \
        lost or catalogue damaged, 75 try again, 77 not allowed, 78 configuration, 130 interrupted.
        """

    /// What a status is called in JSON.
    package static func name(_ status: Int32) -> String {
        switch status {
        case usage: "usage"
        case badPlan: "invalid"
        case unavailable: "unavailable"
        case inputOutput: "unreadable"
        case tryAgain: "tryAgain"
        case notAllowed: "notAllowed"
        case badConfiguration: "configuration"
        default: "failed"
        }
    }

    /// All went well; a capture is complete.
    package static let done: Int32 = 0
    /// Something failed, or a capture failed or was cancelled.
    package static let failed: Int32 = 1
    /// A capture is partial, or a repair found photos lost.
    package static let partial: Int32 = 2
    /// The command line is wrong: `EX_USAGE`.
    package static let usage: Int32 = 64
    /// The plan is wrong, or was refused as such: `EX_DATAERR`.
    package static let badPlan: Int32 = 65
    /// The coordinator, the camera or the address is not available: `EX_UNAVAILABLE`.
    package static let unavailable: Int32 = 69
    /// Output was lost, or a catalogue is damaged: `EX_IOERR`.
    package static let inputOutput: Int32 = 74
    /// The same may work later, as when another program holds a library: `EX_TEMPFAIL`.
    package static let tryAgain: Int32 = 75
    /// A key or a file's permissions do not allow it: `EX_NOPERM`.
    package static let notAllowed: Int32 = 77
    /// A setting is missing or wrong: `EX_CONFIG`.
    package static let badConfiguration: Int32 = 78
    /// Ctrl-C ended the program, as a shell reports it.
    package static let interrupted: Int32 = 130
}
