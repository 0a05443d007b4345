/// How a USB camera's frames are transferred.
package struct USBStream: Hashable, Sendable {
    /// The device's speed: 12 (full), 480 (high), 5000 and more.
    package let megabits: Double
    /// In bulk transfers, else isochronous.
    package let isBulk: Bool
}
