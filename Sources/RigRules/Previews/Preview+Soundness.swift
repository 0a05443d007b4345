import CaptureModel
import RigProtocol

extension Preview {
    /// The longest reason of a node that is passed on, in characters.
    private static let longestReason = 300

    /// This preview as far as it can be believed: without a picture that is none, or that claims to be larger than was
    /// asked for, which would take a browser's memory; and with a reason that is short.
    func sound(with bytes: [UInt8]) -> Preview {
        var sound = self
        if let error {
            sound.error = CaptureError(error.code, String(error.message.prefix(Self.longestReason)))
        } else if !Self.fits(bytes, size.box) {
            sound.error = CaptureError(.deviceFailed, "What it sent is not the picture that was asked for.")
        }
        return sound
    }

    /// Whether the bytes begin as a JPEG that fits into a box does (ITU-T T.81, annex B).
    private static func fits(_ bytes: [UInt8], _ box: Dimensions) -> Bool {
        guard bytes.starts(with: [0xFF, 0xD8]) else { return false }
        func number(_ index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }
        var position = 2
        while position + 9 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            // A start of frame, but none of the three other segments that lie between.
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                return (1...box.height).contains(number(position + 5)) && (1...box.width).contains(number(position + 7))
            }
            position += 2 + max(2, number(position + 2))
        }
        return false
    }
}
