package import CaptureModel

/// Image sensors whose delays are published.
package enum KnownSensors {
    /// Exposure, gain and frame length in frames from a write made at a frame's start, as libcamera counts them
    /// (`src/ipa/libipa/camera_sensor_helper` and `camera_sensor_properties.cpp`).
    private static let published: [String: (exposure: Int, gain: Int, frameLength: Int)] = {
        var table: [String: (exposure: Int, gain: Int, frameLength: Int)] = [:]
        for name in ["imx219", "imx283"] { table[name] = (2, 1, 2) }
        for name in [
            "imx290", "imx296", "imx415", "imx462", "ov5647", "ov9281", "ov7251", "ov64a40", "ar0144", "gc05a2",
            "gc08a3", "vd55g1", "vd56g3", "hm1246",
        ] {
            table[name] = (2, 2, 2)
        }
        for name in ["imx477", "imx500", "imx519", "imx708"] { table[name] = (2, 2, 3) }
        return table
    }()

    /// The delays of the sensor that a camera's model names; nil where it names none of these.
    ///
    /// One more than libcamera says: libcamera counts from the start of a frame, which it is told of, Volley from the
    /// arrival of the frame before, when that start has just passed.
    package static func delays(model: String) -> ControlDelays? {
        let words = model.lowercased().split { !$0.isLetter && !$0.isNumber }
        return words.lazy.compactMap { published[String($0)] }.first.map {
            ControlDelays(exposureDuration: $0.exposure + 1, gain: $0.gain + 1, frameDuration: $0.frameLength + 1)
        }
    }
}

extension CameraProfile {
    /// What is known about a camera without looking at a picture: enough where each frame reports its exposure, or
    /// where no picture could show it.
    package init?(known camera: CameraCapabilities) {
        guard camera.tellsExposure || !camera.isMeteredByCore,
            let delays = camera.controlDelays ?? KnownSensors.delays(model: camera.modelID)
        else { return nil }
        self.init(
            modelID: camera.modelID, pixelFormat: camera.pixelFormat, delays: delays, source: .known, response: nil)
    }
}
