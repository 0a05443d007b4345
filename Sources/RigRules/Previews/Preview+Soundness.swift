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
        } else if bytes.count > Self.mostBytes(size.box) || !Self.fits(bytes, size.box) {
            sound.error = CaptureError(.deviceFailed, "What it sent is not the picture that was asked for.")
        }
        return sound
    }

    /// What a picture may have: a byte for each pixel, which noise at the best quality does not take, and its head.
    private static func mostBytes(_ box: Dimensions) -> Int { box.width * box.height + 64 << 10 }

    /// Whether the bytes are a JPEG's with one frame, which fits into a box (ITU-T T.81, annex B).
    ///
    /// A browser looks at each frame that there is: a second one behind the first must not be larger.
    private static func fits(_ bytes: [UInt8], _ box: Dimensions) -> Bool {
        guard bytes.starts(with: [0xFF, 0xD8]) else { return false }
        func number(_ index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }
        var (position, frames) = (2, 0)
        while position + 4 <= bytes.count {
            let marker = bytes[position + 1]
            // Within a scan, and what fills up: none of these begins a segment.
            guard bytes[position] == 0xFF, marker != 0, marker != 0xFF, !(0xD0...0xD7).contains(marker) else {
                position += 1
                continue
            }
            if marker == 0xD9 { break }
            // A start of frame, but none of the three other segments that lie between.
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                guard position + 9 <= bytes.count, frames == 0, (1...box.height).contains(number(position + 5)),
                    (1...box.width).contains(number(position + 7))
                else { return false }
                frames += 1
            }
            position += 2 + max(2, number(position + 2))
        }
        return frames == 1
    }
}
