import CaptureModel
import Foundation
import TestSupport
import Testing

@testable import OperatorConsole

/// Judged by Python's `zipfile`.
@Suite("An archive of photos")
struct ZipArchiveTests {
    private let path = NSTemporaryDirectory() + "/volley-\(UUID().uuidString).zip"

    /// - Returns: what Python says of the archive.
    private func judge(_ script: String) throws -> String {
        let told = try run(
            "/usr/bin/python3", ["-c", "import sys, zipfile\na = zipfile.ZipFile(sys.argv[1])\n" + script, path])
        #expect(told.status == 0, "\(told.errors)")
        return told.output
    }

    @Test("has each file whole, under its name, with its time")
    func files() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var (archive, bytes) = (ZipArchive(), [UInt8]())
        for (name, text) in [("1/größe.txt", "whole"), ("1/empty.jpg", "")] {
            let file = Array(text.utf8)
            bytes += archive.header(
                of: name, byteCount: UInt32(file.count), checksum: ZipArchive.checksum(file),
                at: UTCTime(rawValue: 1_795_727_133_999_999))
            bytes += file
        }
        try Data(bytes + archive.directory()).write(to: URL(fileURLWithPath: path))
        let told = try judge(
            "print(a.testzip(), a.namelist(), a.read('1/größe.txt'), a.infolist()[0].date_time, a.infolist()[0].external_attr)"
        )
        #expect(told == "None ['1/größe.txt', '1/empty.jpg'] b'whole' (2026, 11, 26, 21, 5, 32) \(0o100644 << 16)\n")
    }

    @Test("has no end at 4 GiB, nor at 65,535 files")
    func large() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try #require(FileHandle(forWritingAtPath: path))
        var archive = ZipArchive()
        // Holes in the file, which nobody reads.
        for name in ["a", "b"] {
            try file.write(contentsOf: archive.header(of: name, byteCount: 3 << 30, checksum: 0, at: 0))
            try file.seek(toOffset: try file.offset() + 3 << 30)
        }
        let last = Array("last".utf8)
        try file.write(contentsOf: archive.header(of: "c", byteCount: 4, checksum: ZipArchive.checksum(last), at: 0))
        try file.write(contentsOf: last)
        var rest = [UInt8]()
        for number in 0..<70_000 { rest += archive.header(of: "\(number)", byteCount: 0, checksum: 0, at: 0) }
        try file.write(contentsOf: rest)
        try file.write(contentsOf: archive.directory())
        try file.close()
        let told = try judge("print(len(a.namelist()), a.read('c'), a.read('69999'), a.infolist()[1].file_size)")
        #expect(told == "70003 b'last' b'' \(3 << 30)\n")
    }

    @Test("is made for a few at a time")
    func places() throws {
        let downloads = Downloads()
        var places = (0..<Downloads.most).map { _ in downloads.enter() }
        #expect(places.allSatisfy { $0 != nil } && downloads.enter() == nil)
        places.removeLast()
        #expect(downloads.enter() != nil)
    }
}
