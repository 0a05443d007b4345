import CVideo4Linux

/// What a device node says it is. C: `struct v4l2_capability`.
package struct Capability: Hashable, Sendable {
    /// The kernel driver's name, such as `uvcvideo`.
    package let driver: String
    /// The device's name, which says its model.
    package let card: String
    /// Where the device is plugged in: the identity of one that has no serial number.
    package let busInfo: String
    /// What this node can do, not what the whole device can. C: `device_caps`.
    package let deviceCapabilities: UInt32

    init(_ raw: v4l2_capability) {
        driver = text(raw.driver)
        card = text(raw.card)
        busInfo = text(raw.bus_info)
        deviceCapabilities = raw.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0 ? raw.device_caps : raw.capabilities
    }

    /// Whether this node delivers metadata of frames. C: `V4L2_CAP_META_CAPTURE`.
    package var hasMetadata: Bool {
        let needed = UInt32(V4L2_CAP_META_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
        return deviceCapabilities & needed == needed
    }

    /// Whether frames can be streamed from this node: a UVC camera's second node, for example, has metadata only.
    package var canCapture: Bool {
        let needed = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
        return deviceCapabilities & needed == needed
    }
}
