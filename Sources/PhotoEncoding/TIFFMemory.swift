import CTIFF
import Glibc

/// A file in memory for libtiff, which seeks and rewrites.
final class TIFFMemory {
    private(set) var bytes: [UInt8] = []
    private var position = 0

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// Opens it for writing; it must live until `TIFFClose`.
    func open() -> OpaquePointer? {
        let handle = Unmanaged.passUnretained(self).toOpaque()
        return TIFFClientOpen(
            "memory", "wl", handle,
            { handle, buffer, count in tmsize_t(TIFFMemory.of(handle).read(buffer, Int(count))) },
            { handle, buffer, count in tmsize_t(TIFFMemory.of(handle).write(buffer, Int(count))) },
            { handle, offset, whence in TIFFMemory.of(handle).seek(offset, whence) },
            { _ in 0 },
            { handle in UInt64(TIFFMemory.of(handle).bytes.count) },
            { _, _, _ in 0 },
            { _, _, _ in })
    }

    /// Gives a tag of the first directory another type of the same size.
    func retype(_ tag: Int32, to type: TIFFDataType) {
        func number(_ place: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        }
        let directory = number(4, 4)
        for entry in stride(from: directory + 2, to: directory + 2 + 12 * number(directory, 2), by: 12)
        where number(entry, 2) == tag {
            (bytes[entry + 2], bytes[entry + 3]) = (UInt8(type.rawValue), 0)
        }
    }

    private static func of(_ handle: UnsafeMutableRawPointer?) -> TIFFMemory {
        guard let handle else { preconditionFailure("libtiff gives back the handle that it was given") }
        return Unmanaged<TIFFMemory>.fromOpaque(handle).takeUnretainedValue()
    }

    private func read(_ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        let available = max(0, min(count, bytes.count - position))
        bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress, available > 0 else { return }
            buffer?.copyMemory(from: start + position, byteCount: available)
        }
        position += available
        return available
    }

    private func write(_ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        guard let buffer, count > 0 else { return 0 }
        let source = UnsafeRawBufferPointer(start: buffer, count: count)
        if position > bytes.count { bytes.append(contentsOf: repeatElement(0, count: position - bytes.count)) }
        let overlap = min(count, bytes.count - position)
        bytes.replaceSubrange(position..<position + overlap, with: source.prefix(overlap))
        bytes.append(contentsOf: source.dropFirst(overlap))
        position += count
        return count
    }

    private func seek(_ offset: UInt64, _ whence: Int32) -> UInt64 {
        let base =
            switch whence {
            case SEEK_CUR: position
            case SEEK_END: bytes.count
            default: 0
            }
        // libtiff passes a signed offset in an unsigned type.
        position = max(0, base + Int(Int64(bitPattern: offset)))
        return UInt64(position)
    }
}
