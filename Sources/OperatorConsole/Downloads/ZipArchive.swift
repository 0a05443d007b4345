import CZlib
import CaptureModel
import Foundation

/// A ZIP archive as it goes out, of files as they are: no compression makes photos smaller (PKWARE, *.ZIP File Format
/// Specification*, APPNOTE 6.3.10).
///
/// ```
/// header, file, header, file ... directory
///                                with numbers of 64 bits where they are large
/// ```
struct ZipArchive {
    fileprivate struct Entry {
        let name: [UInt8]
        let checksum: UInt32
        let byteCount: UInt32
        let time: UTCTime
        let offset: UInt64
    }

    /// Version 4.5 has numbers of 64 bits; the high byte says that names and rights are as on Unix.
    private static let version: UInt16 = 45
    private static let madeBy: UInt16 = 3 << 8 | version
    /// Names are UTF-8.
    fileprivate static let flags: UInt16 = 1 << 11
    /// An ordinary file that all may read.
    private static let mode: UInt32 = 0o100644 << 16

    private var entries: [Entry] = []
    private var offset: UInt64 = 0

    /// What goes before a file's bytes.
    ///
    /// - Parameters:
    ///   - checksum: as of ``checksum(_:)``.
    ///   - time: when it was made, to the second.
    mutating func header(of name: String, byteCount: UInt32, checksum: UInt32, at time: UTCTime) -> [UInt8] {
        let entry = Entry(name: Array(name.utf8), checksum: checksum, byteCount: byteCount, time: time, offset: offset)
        entries.append(entry)
        var bytes = [UInt8]()
        bytes.append(UInt32(0x0403_4b50), Self.version)
        bytes.append(facts: entry, extra: 9)
        bytes += entry.name
        bytes.append(time: time)
        offset += UInt64(bytes.count) + UInt64(byteCount)
        return bytes
    }

    /// What goes after the last file.
    func directory() -> [UInt8] {
        var bytes = [UInt8]()
        for entry in entries {
            let isFar = entry.offset >= UInt64(UInt32.max)
            bytes.append(UInt32(0x0201_4b50), Self.madeBy, Self.version)
            bytes.append(facts: entry, extra: isFar ? 9 + 12 : 9)
            // No comment, on the first disk, no text.
            bytes.append(UInt16(0), UInt16(0), UInt16(0), Self.mode)
            bytes.append(isFar ? UInt32.max : UInt32(entry.offset))
            bytes += entry.name
            bytes.append(time: entry.time)
            if isFar { bytes.append(UInt16(1), UInt16(8), entry.offset) }
        }
        let (count, size) = (UInt64(entries.count), UInt64(bytes.count))
        if count >= UInt64(UInt16.max) || offset + size >= UInt64(UInt32.max) {
            bytes.append(UInt32(0x0606_4b50), UInt64(44), Self.madeBy, Self.version)
            bytes.append(UInt32(0), UInt32(0), count, count, size, offset)
            // Where that is.
            bytes.append(UInt32(0x0706_4b50), UInt32(0), offset + size, UInt32(1))
        }
        let short = UInt16(clamping: count)
        bytes.append(UInt32(0x0605_4b50), UInt16(0), UInt16(0), short, short)
        bytes.append(UInt32(clamping: size), UInt32(clamping: offset), UInt16(0))
        return bytes
    }

    /// The checksum of a file's bytes.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress, $0.count)) }
    }
}

/// The bytes of records, numbers with their low bytes first.
extension [UInt8] {
    fileprivate mutating func append<each Number: FixedWidthInteger>(_ numbers: repeat each Number) {
        for number in repeat each numbers {
            Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
        }
    }

    /// What a file's header and the directory both say.
    fileprivate mutating func append(facts entry: ZipArchive.Entry, extra: UInt16) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second],
            from: Date(timeIntervalSince1970: Double(entry.time.rawValue) / 1e6))
        func bits(_ value: Int?, _ shift: Int) -> UInt16 { UInt16(truncatingIfNeeded: (value ?? 0) << shift) }
        let day = bits(Swift.max((parts.year ?? 0) - 1980, 0), 9) | bits(parts.month, 5) | bits(parts.day, 0)
        let clock = bits(parts.hour, 11) | bits(parts.minute, 5) | bits(parts.second.map { $0 / 2 }, 0)
        append(ZipArchive.flags, UInt16(0), clock, day, entry.checksum, entry.byteCount, entry.byteCount)
        append(UInt16(entry.name.count), extra)
    }

    /// The time as Unix has it: the other one has no zone.
    fileprivate mutating func append(time: UTCTime) {
        append(UInt16(0x5455), UInt16(5), UInt8(1), UInt32(truncatingIfNeeded: time.rawValue / 1_000_000))
    }
}
