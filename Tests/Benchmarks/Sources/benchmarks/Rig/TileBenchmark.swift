import Foundation
import Glibc

/// Where the programs were built; `deploy/benchmark` says.
enum Programs {
    static let folder = ProcessInfo.processInfo.environment["VOLLEY_PROGRAMS"] ?? "../../.build/release"
}

/// What it costs to look through four cameras: `volley demo --console` as it is shipped, looked at by curl as the page with
/// all tiles does, against the same without anybody who looks.
enum TileBenchmark {
    private static let nodeCount = 4
    private static let seconds = 20.0

    static func run() async throws -> [Result] {
        let demo = try Demo(nodeCount: nodeCount)
        defer { demo.end() }
        // What starts has settled.
        try await Task.sleep(for: .seconds(10))
        let (before, unseen) = (
            demo.residentBytes, try await demo.time { try await Task.sleep(for: .seconds(seconds)) }
        )
        var tiles = (count: 0, bytes: 0)
        let seen = try await demo.time {
            let end = Date(timeIntervalSinceNow: seconds)
            while Date() < end {
                let (count, bytes) = try demo.look()
                tiles = (tiles.count + count, tiles.bytes + bytes)
            }
        }
        let more = zip(demo.residentBytes, before).map { Double($0 - $1) / 1_048_576 }.max() ?? 0
        let spent = seen.map { name, time in (name, (time - (unseen[name] ?? 0)) / Double(max(tiles.count, 1)) * 1000) }
        for (name, time) in spent.sorted(by: { $0.0 < $1.0 }) {
            print(String(format: "     %@: %.2f ms of processor a tile", name as NSString, time))
        }
        print("     \(tiles.count) tiles in \(Int(seconds)) s")
        return [
            Result(
                name: "tiles: size of one", value: Double(tiles.bytes) / Double(max(tiles.count, 1)) / 1000, unit: "kB",
                threshold: 0...25),
            Result(
                name: "tiles: processor of all programs for one", value: spent.reduce(0) { $0 + $1.1 }, unit: "ms",
                threshold: 0...25),
            Result(
                name: "tiles: most memory that a node has more by being looked through", value: more, unit: "MiB",
                threshold: 0...4),
        ]
    }
}

/// A rig of simulated cameras with a console, whose programs are measured.
private final class Demo {
    private let process = Process()
    private let folder = NSTemporaryDirectory() + "/volley-tiles-\(ProcessInfo.processInfo.processIdentifier)"
    private let nodeCount: Int
    /// The programs' names, by their ids.
    private let programs: [pid_t: String]
    private var numbers: [String: Int] = [:]

    init(nodeCount: Int) throws {
        self.nodeCount = nodeCount
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: Programs.folder + "/volley")
        process.arguments = ["demo", "--console", "--nodes", "\(nodeCount)", "--library", folder + "/library"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var words = ""
        while !words.contains("token=") || !words.hasSuffix("\n") {
            let more = output.fileHandleForReading.availableData
            precondition(!more.isEmpty, "the demo ended: \(words)")
            words += String(decoding: more, as: UTF8.self)
        }
        programs = Self.children(of: process.processIdentifier)
        let link = words.split(whereSeparator: \.isWhitespace).last { $0.contains("token=") }.map(String.init) ?? ""
        _ = try curl(["-o", "/dev/null", link])
    }

    func end() {
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func curl(_ words: [String]) throws -> Data {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments = ["-s", "-b", folder + "/jar", "-c", folder + "/jar"] + words
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return bytes
    }

    private struct Reply: Decodable {
        struct Picture: Decodable {
            let node: String
            let number: Int
        }
        let pictures: [Picture]
    }

    /// The next tiles of all cameras.
    ///
    /// - Returns: how many there were, and their bytes.
    func look() throws -> (count: Int, bytes: Int) {
        let seen = (1...nodeCount).map { "seen=node-\($0):\(numbers["node-\($0)"] ?? 0)" }.joined(separator: "&")
        let answer = try curl(["http://127.0.0.1:5680/api/v1/previews?size=tile&\(seen)"])
        // The document is the first part, up to the next boundary.
        let parts = answer.split(separator: Data("\r\n\r\n".utf8), maxSplits: 1)
        guard let start = answer.range(of: Data("\r\n\r\n".utf8)), parts.count == 2 else { return (0, 0) }
        let rest = answer[start.upperBound...]
        let end = rest.range(of: Data("\r\n--".utf8))?.lowerBound ?? rest.endIndex
        guard let reply = try? JSONDecoder().decode(Reply.self, from: rest[..<end]) else { return (0, 0) }
        for picture in reply.pictures { numbers[picture.node] = picture.number }
        return (reply.pictures.count, answer.count - (end - start.upperBound))
    }

    // MARK: What the kernel says of them

    private static func children(of parent: pid_t) -> [pid_t: String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let all = names.compactMap { pid_t($0) }.compactMap { id -> (pid_t, String)? in
            guard let (name, values) = stat(of: id), values.count > 1, values[1] == "\(parent)" else { return nil }
            return (id, name)
        }
        return Dictionary(uniqueKeysWithValues: all)
    }

    /// Its name, and what follows it in `/proc/PID/stat` (proc(5)), beginning with its state.
    private static func stat(of id: pid_t) -> (String, [Substring])? {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")")
        else { return nil }
        return (
            String(text[text.index(after: open)..<close]), text[text.index(close, offsetBy: 2)...].split(separator: " ")
        )
    }

    /// The memory of each node, in bytes, in the order of their ids.
    var residentBytes: [Int] {
        programs.filter { $0.value == "volley-node" }.keys.sorted().map { id in
            let text = (try? String(contentsOfFile: "/proc/\(id)/statm", encoding: .utf8)) ?? ""
            return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
                * sysconf(Int32(_SC_PAGESIZE))
        }
    }

    /// What each kind of program spends meanwhile, in seconds of a processor.
    func time(_ body: () async throws -> Void) async throws -> [String: Double] {
        let before = spent
        try await body()
        return spent.merging(before) { $0 - $1 }
    }

    private var spent: [String: Double] {
        let times = programs.map { id, name in
            let values = Self.stat(of: id)?.1 ?? []
            let ticks = values.count > 12 ? (Double(values[11]) ?? 0) + (Double(values[12]) ?? 0) : 0
            return (name, ticks / Double(sysconf(Int32(_SC_CLK_TCK))))
        }
        return Dictionary(times) { $0 + $1 }
    }
}
