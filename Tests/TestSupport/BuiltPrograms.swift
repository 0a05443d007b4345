package import Foundation

/// The programs that were built together with the tests.
package enum BuiltPrograms {
    /// The repository.
    package static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Their folder.
    package static var folder: URL {
        // The tests run as a bundle in the folder of the products.
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        for line in maps.split(separator: "\n") where line.hasSuffix(".xctest") {
            guard let start = line.firstIndex(of: "/") else { continue }
            return URL(fileURLWithPath: String(line[start...])).deletingLastPathComponent()
        }
        return repository.appendingPathComponent(".build/debug").resolvingSymlinksInPath()
    }
}

/// A folder that goes with the test.
package final class Scratch: Sendable {
    package let url: URL
    package var path: String { url.path }

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("volley-test-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

/// What a program said and how it ended.
package struct ProgramResult: Sendable {
    package let status: Int32
    package let output: String
    package let errors: String
}

/// Runs a program to its end.
package func run(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:], folder: URL? = nil
) throws -> ProgramResult {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    let scratch = try Scratch()
    // Files, not pipes: a program that says much must not wait for its reader.
    let files = ["out", "err"].map { scratch.url.appendingPathComponent($0) }
    for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
    return ProgramResult(status: process.terminationStatus, output: texts[0], errors: texts[1])
}
