import ArgumentParser
import CaptureModel
import Daemon
import Glibc
import Posix
import VirtualUVCCamera

/// A virtual USB camera, for trying a rig without one.
@main
struct VolleyUVCCamera: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volley-uvc-camera",
        abstract: "Plugs a virtual USB camera into this machine, which its own uvcvideo driver then drives.",
        discussion: """
            Needs the kernel module vhci-hcd and root. It stays plugged in until its commands end (Ctrl-D). Each \
            picture says in black and white squares what it was really exposed with.
            Commands, one a line: \(CameraCommand.help)
            """,
        version: Release.version)

    @Option(help: "Chooses what the camera sees.") var seed: UInt64 = 1
    @Option(help: "The USB serial number.") var serial = "VOLLEY-1"
    @Option(help: "Frames by which an exposure acts later than it could.") var exposureDelay = 0
    @Option(help: "Frames by which a gain acts later than it could.") var gainDelay = 0
    @Option(help: "From the end of a frame to its first byte on the bus, in milliseconds.") var latency = 0
    @Option(help: "How much longer it can take, evenly, in milliseconds.") var jitter = 0
    @Option(help: "The luma that it makes of light.") var tone = CameraCharacter.Tone.srgb
    @Option(help: "The bytes of black and white in uncompressed frames.") var range = CameraCharacter.Range.limited
    @Option(help: "What its gain is worth.") var gainLaw = CameraCharacter.GainLaw.stops
    @Flag(help: "A gain acts with the next exposure that is written.") var latchesGain = false
    @Option(help: "The longest exposure that it makes, whatever it is asked for, in milliseconds.")
    var exposureLimit = 1000
    @Option(help: "Ignores each exposure of so many; 0 for none.") var ignoredExposures = 0
    @Flag(help: "Ends its exposures with their frames, as a rolling shutter does; else they begin with them.")
    var exposesLate = false
    @Option(help: "What its payload headers say of time.") var clock = CameraCharacter.Clock.none
    @Option(help: "Each frame of so many, and what is behind it, waits a quarter of a second for the bus; 0 for none.")
    var stalls = 0
    @Option(help: "A FIFO or file to read commands from, in place of standard input.") var commands: String?

    func validate() throws {
        guard (0...8).contains(exposureDelay), (0...8).contains(gainDelay) else {
            throw ValidationError("A delay is 0 to 8 frames.")
        }
        guard (0...1000).contains(latency), (0...1000).contains(jitter) else {
            throw ValidationError("Latency and jitter are 0 to 1000 ms.")
        }
        guard (1...1000).contains(exposureLimit), ignoredExposures >= 0, stalls >= 0 else {
            throw ValidationError(
                "The longest exposure is 1 to 1000 ms; ignored exposures and stalls are counted from 0.")
        }
    }

    func run() throws {
        var camera = VirtualCameraConfiguration()
        camera.seed = seed
        camera.serial = serial
        camera.exposureDelay = exposureDelay
        camera.gainDelay = gainDelay
        camera.latency = .milliseconds(Int64(latency))
        camera.jitter = .milliseconds(Int64(jitter))
        camera.character.tone = tone
        camera.character.clock = clock
        camera.character.stalls = stalls
        camera.character.range = range
        camera.character.gainLaw = gainLaw
        camera.character.latchesGain = latchesGain
        camera.character.exposureLimit = 10 * Int64(exposureLimit)
        camera.character.ignoredExposures = ignoredExposures
        camera.character.exposesLate = exposesLate
        // A host that goes away must not end the program.
        signal(SIGPIPE, SIG_IGN)
        do throws(SystemError) {
            let running = VirtualCamera(camera) { Output.data($0) }
            guard let commands else { return try running.run(commands: STDIN_FILENO) }
            // For reading and writing: a FIFO whose writers come and go does not end.
            let file = try OwnedFileDescriptor(path: commands, flags: O_RDWR)
            try running.run(commands: file.rawValue)
        } catch {
            let hint =
                error.errno == ENOENT
                ? "; load the kernel module: modprobe vhci-hcd"
                : error.errno == EACCES ? "; only root may plug in a camera" : ""
            Output.words("volley-uvc-camera: \(error)\(hint)")
            throw ExitCode(error.errno == EACCES ? ExitStatus.notAllowed : ExitStatus.failed)
        }
    }
}

extension CameraCharacter.Clock: ExpressibleByArgument {}
extension CameraCharacter.Tone: ExpressibleByArgument {}
extension CameraCharacter.Range: ExpressibleByArgument {}
extension CameraCharacter.GainLaw: ExpressibleByArgument {}
