import ArgumentParser
import CaptureModel
import Glibc
import Posix
import Programs
import VirtualUVCCamera

/// A virtual USB camera, for trying a rig without hardware.
@main
struct VolleyUVCCamera: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volley-uvc-camera",
        abstract: "Plugs a virtual USB camera into this machine, which its own uvcvideo driver then drives.",
        discussion: """
            Needs the kernel module vhci-hcd and root. It stays plugged in until its commands end (Ctrl-D). Each \
            picture says in black and white squares how it was really exposed.
            Commands, one per line: \(CameraCommand.help)
            """,
        version: Release.version)

    @Option(help: "Chooses what the camera sees.") var seed: UInt64 = 1
    @Option(help: "The USB serial number.") var serial = "VOLLEY-1"
    @Option(help: "How many frames later than it could an exposure takes effect.") var exposureDelay = 0
    @Option(help: "How many frames later than it could a gain takes effect.") var gainDelay = 0
    @Option(help: "From the end of a frame to its first byte on the bus, in milliseconds.") var latency = 0
    @Option(help: "How much longer than that it may take, evenly distributed, in milliseconds.") var jitter = 0
    @Option(help: "The tone curve from light to luma.") var tone = CameraCharacter.Tone.srgb
    @Option(help: "The byte values of black and white in uncompressed frames.")
    var range = CameraCharacter.Range.limited
    @Option(help: "How its gain values scale the light.") var gainLaw = CameraCharacter.GainLaw.stops
    @Flag(help: "Apply a gain only with the next exposure that is written.") var latchesGain = false
    @Option(help: "The longest exposure it makes, whatever it is asked for, in milliseconds.")
    var exposureLimit = 1000
    @Option(help: "Ignore one exposure in this many; 0 for none.") var ignoredExposures = 0
    @Option(help: "What its unit of exposure really is, as a multiple of 100 µs.") var exposureUnit = 1.0
    @Option(help: "Make exposures in multiples of so many units, and say nothing of it.") var exposureStep: Int64 = 1
    @Flag(help: "Go on with the automatic exposure while saying that it is off.") var keepsMetering = false
    @Option(help: "Never send one frame in this many; 0 for none.") var lostFrames = 0
    @Flag(help: "End exposures with their frame, as a rolling shutter does, rather than beginning them with it.")
    var exposesLate = false
    @Option(help: "What its payload headers say about time.") var clock = CameraCharacter.Clock.none
    @Option(help: "One frame in this many, with those behind it, waits 250 ms for the bus; 0 for none.")
    var stalls = 0
    @Option(help: "A FIFO or file to read commands from, instead of standard input.") var commands: String?

    func validate() throws {
        guard (0...8).contains(exposureDelay), (0...8).contains(gainDelay) else {
            throw ValidationError("A delay must be 0 to 8 frames.")
        }
        guard (0...1000).contains(latency), (0...1000).contains(jitter) else {
            throw ValidationError("Latency and jitter must be 0 to 1000 ms.")
        }
        guard (1...1000).contains(exposureLimit) else {
            throw ValidationError("The exposure limit must be 1 to 1000 ms.")
        }
        guard [ignoredExposures, stalls, lostFrames].allSatisfy({ $0 >= 0 }) else {
            throw ValidationError("Ignored exposures, stalls and lost frames must not be negative.")
        }
        guard (0.1...10).contains(exposureUnit), (1...1000).contains(exposureStep) else {
            throw ValidationError("The unit of exposure must be 0.1 to 10, its step 1 to 1000.")
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
        camera.character.exposureUnit = exposureUnit
        camera.character.exposureStep = exposureStep
        camera.character.keepsMetering = keepsMetering
        camera.character.lostFrames = lostFrames
        camera.character.exposesLate = exposesLate
        // A host that goes away must not end the program.
        signal(SIGPIPE, SIG_IGN)
        do throws(SystemError) {
            let running = VirtualCamera(camera) { Output.data($0) }
            guard let commands else { return try running.run(commands: STDIN_FILENO) }
            // Open for reading and writing, so that a FIFO does not end when its writers come and go.
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
