import ArgumentParser
import CaptureModel
import Documents
import NodeAgent
import PhotoCapture
import Programs
import RigConfiguration
import V4L2Camera
import Video4Linux

/// `volley-node cameras`: what is plugged in.
struct CamerasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cameras",
        abstract: "Lists the cameras that are plugged in, or the one named, with what each can and cannot do.")

    @OptionGroup var options: CameraOptions
    @Flag(help: "Print one JSON document.") var json = false
    @Flag(help: "Keep reporting what is plugged in and unplugged, until Ctrl-C.") var watch = false

    private struct Entry {
        let path: String
        let camera: CameraCapabilities?
        let formats: [CameraFormat]
        let profile: CameraProfile?
        let problem: String?

        var document: PluggedCameraDocument {
            PluggedCameraDocument(
                path: path, camera: camera, formats: formats,
                delays: profile.map {
                    PluggedCameraDocument.Delays(
                        exposureDurationFrames: $0.delays.exposureDuration, gainFrames: $0.delays.gain,
                        source: $0.source.rawValue)
                }, problem: problem)
        }
    }

    /// A line of `--watch`.
    private struct Change: Encodable {
        var connected: PluggedCameraDocument?
        var disconnected: String?
    }

    func run() async throws {
        try await Output.reporting {
            let settings = try options.settings()
            let profiles = FileProfileStore(folder: NodeOptions.profileFolder(settings))
            if watch { return try await watchCameras(profiles) }
            let entries =
                settings.text("camera") == nil
                ? DeviceLocator.captureNodes().map { entry($0, profiles) } : [try namedEntry(settings, profiles)]
            if json { return try Output.json(entries.map(\.document)) }
            if entries.isEmpty { Output.words("No camera is plugged in.") }
            for entry in entries { Output.data(Self.text(entry)) }
        }
    }

    private func namedEntry(_ settings: Settings, _ profiles: FileProfileStore) throws -> Entry {
        if let name = settings.text("camera"), name.hasPrefix("v4l2:") {
            do throws(DeviceLocator.LocatorError) {
                return entry(try DeviceLocator.open(String(name.dropFirst(5))).path, profiles)
            } catch {
                throw CaptureError(error)
            }
        }
        let camera = try CameraName.factory(settings)()
        return entry(camera.capabilities, camera.formats, camera.capabilities.cameraID, profiles)
    }

    private func entry(
        _ camera: CameraCapabilities, _ formats: [CameraFormat], _ path: String, _ profiles: FileProfileStore
    ) -> Entry {
        let profile = profiles.profile(of: camera) ?? CameraProfile(known: camera)
        return Entry(
            path: path, camera: camera.extended(by: profile), formats: formats, profile: profile,
            problem: nil)
    }

    private func watchCameras(_ profiles: FileProfileStore) async throws {
        let monitor = try DeviceMonitor()
        defer { withExtendedLifetime(monitor) {} }
        for await event in monitor.events {
            switch event {
            case .connected(let path):
                let entry = entry(path, profiles)
                if json {
                    try Output.json(Change(connected: entry.document), isLine: true)
                } else {
                    Output.data("connected " + Self.text(entry))
                }
            case .disconnected(let path):
                if json {
                    try Output.json(Change(disconnected: "v4l2:" + path), isLine: true)
                } else {
                    Output.data("disconnected \(path)")
                }
            }
        }
    }

    private func entry(_ path: String, _ profiles: FileProfileStore) -> Entry {
        do throws(CaptureError) {
            let (camera, formats) = try V4L2Camera.describe(path)
            return entry(camera, formats, "v4l2:" + path, profiles)
        } catch {
            return Entry(path: "v4l2:" + path, camera: nil, formats: [], profile: nil, problem: error.message)
        }
    }

    private static func text(_ entry: Entry) -> String {
        guard let camera = entry.camera else { return "\(entry.path)\n    \(entry.problem ?? "")" }
        var lines = ["\(entry.path)  \(camera.modelID), serial \(camera.serialNumber ?? "none")"]
        func add(_ name: String, _ value: String) {
            lines.append("    " + name.padding(to: 16) + value)
        }
        add("format", "\(camera.pixelFormat) \(camera.dimensions), \(rate(camera.frameDurationNanoseconds))")
        add("photos", camera.formats.map(\.rawValue).joined(separator: ", "))
        if let range = camera.exposureDurationRange { add("exposure", "\(range.lowerBound) to \(range.upperBound)") }
        if let range = camera.isoRange {
            add("ISO", "\(Int(clamped: range.lowerBound)) to \(Int(clamped: range.upperBound))")
        }
        if let range = camera.gainRange {
            add("gain", "\(Int(clamped: range.lowerBound)) to \(Int(clamped: range.upperBound)), no unit")
        }
        if let range = camera.exposureTargetBiasRange {
            add("auto bracket", "\(range.lowerBound) to \(range.upperBound) EV, metered by Volley")
        }
        if camera.canSetLensPosition || camera.hasAutoFocus {
            add(
                "focus",
                [camera.canSetLensPosition ? "lens position" : nil, camera.hasAutoFocus ? "auto" : nil]
                    .compactMap { $0 }.joined(separator: ", "))
        }
        let white = camera.whiteBalance
        if white.canBeSet || white.hasAutomatic {
            add(
                "white balance",
                [
                    white.maxWhiteBalanceGain.map { "gains up to \($0)" },
                    white.temperatureRange.map { "\(Int(clamped: $0.lowerBound)) to \(Int(clamped: $0.upperBound)) K" },
                    white.hasAutomatic ? "auto" : nil,
                ].compactMap { $0 }.joined(separator: ", "))
        }
        add("bracket", "up to \(camera.maxBracketedCapturePhotoCount) steps")
        add("delays", delays(entry.profile))
        lines += camera.limitations.map { "    cannot: \($0)" }
        return lines.joined(separator: "\n")
    }

    private static func delays(_ profile: CameraProfile?) -> String {
        guard let profile else { return "not known yet; learned before the first bracket, or by volley-node calibrate" }
        return
            "exposure \(profile.delays.exposureDuration), gain \(profile.delays.gain) frames (\(profile.source.rawValue))"
    }

    private static func rate(_ nanoseconds: Int64) -> String {
        let perSecond = (1e10 / Double(nanoseconds)).rounded() / 10
        return "\(perSecond) frames/s"
    }
}

extension String {
    func padding(to length: Int) -> String {
        self + String(repeating: " ", count: max(1, length - count))
    }
}
