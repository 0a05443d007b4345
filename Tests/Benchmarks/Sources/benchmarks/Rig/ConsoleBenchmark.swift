import CaptureModel
import Catalogue
import Coordinator
import Foundation
import Glibc
import PhotoCapture
import Posix
import RigProtocol
import RigTransport
import Synchronization
import ZeroMQ

/// How long somebody at a browser waits, as curl has it: for the table of captures of a catalogue with 100,000 of them, and,
/// with 100 captures a minute, from the instant at which the coordinator has news until they are in a page.
enum ConsoleBenchmark {
    private static let captureCount = 100_000
    private static let rounds = 5
    /// For a minute.
    private static let pace = Duration.milliseconds(600)
    private static let firedCount = 100

    static func run() async throws -> [Result] { try await table() + news() }

    // MARK: The table

    private static let filters = [
        "session=s500", "subject=vase", "label=subject=anna", "node=top-*", "state=partial", "plan=focus",
        "operator=bob", "camera=S-top-3", "verification=unverifiable", "reason=was+lost", "error=diskFull",
        "minSpread=1", "order=spread", "minRating=3", "rejected=true", "since=2027-03-01", "id=7000",
    ]

    private static func table() async throws -> [Result] {
        let library = NSTemporaryDirectory() + "/volley-table-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: library) }
        let coordinator = try LoopbackCoordinator(library: library, nodes: ["a", "b"], users: ["ada"])
        defer { coordinator.close() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await coordinator.service.run() }
            let ada = try coordinator.client("ada")
            defer { ada.close() }
            _ = try await ada.ask(StatusRequest())
            try await coordinator.catalogue.commit([.node(name: "a", nil, at: 1), .node(name: "b", nil, at: 1)])
            // While it runs: their photos are nowhere, which it would see to for minutes at its start.
            try PlantedCatalogue.fill(library + "/catalogue.sqlite", count: captureCount)
            let console = try ConsoleProcess(coordinator.introduction(of: "ada"), folder: library)
            defer { console.end() }
            let first = try median("", console)
            var longest = 0.0
            for filter in filters {
                let time = try median(filter, console)
                print("     the table by \(filter): \(Int(time.rounded())) ms")
                longest = max(longest, time)
            }
            await coordinator.service.stop()
            try await group.waitForAll()
            return [
                Result(
                    name: "console: the first page of \(captureCount) captures", value: first, unit: "ms",
                    threshold: 0...100),
                Result(
                    name: "console: the longest of \(filters.count) filters over them", value: longest, unit: "ms",
                    threshold: 0...200),
            ]
        }
    }

    /// In milliseconds.
    private static func median(_ query: String, _ console: ConsoleProcess) throws -> Double {
        var times: [Double] = []
        for _ in 0..<rounds { times.append(try console.time(of: "/?" + query)) }
        return times.sorted()[rounds / 2]
    }

    // MARK: News

    private static func news() async throws -> [Result] {
        let published = Mutex<[Int64: Int64]>([:])
        return try await RigFire.withRig(
            of: 4,
            onNotice: { notice in
                let now = Clocks.monotonicNanoseconds()
                published.withLock { $0[notice.number] = now }
            }
        ) { ada, coordinator in
            let folder = NSTemporaryDirectory() + "/volley-page-\(ProcessInfo.processInfo.processIdentifier)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let console = try ConsoleProcess(coordinator.introduction(of: "ada"), folder: folder)
            defer { console.end() }
            let page = try console.listen()
            for _ in 0..<firedCount {
                let plan = Plan(name: "p", bracket: try .burst(1), formats: [.jpeg], policy: .all)
                let request = FireRequest(
                    requestID: UUID().uuidString, plan: plan, session: nil, labels: [:], queue: true)
                async let fired = ada.ask(request, seconds: 60)
                try await Task.sleep(for: pace)
                _ = try await fired
            }
            try await Task.sleep(for: .seconds(2))
            let (made, seen) = (published.withLock { $0 }, page.arrivals)
            let delays = seen.compactMap { number, time in made[number].map { Double(time - $0) / 1e6 } }.sorted()
            precondition(delays.count > firedCount, "\(delays.count) news of \(made.count) came")
            let worst = delays[delays.count * 99 / 100]
            print(
                "     \(delays.count) news in the page, half of them within \(delays[delays.count / 2]) ms, the last after "
                    + "\(delays.last ?? 0) ms")
            return [
                Result(
                    name: "console: from news to the page with 100 captures a minute, p99", value: worst, unit: "ms",
                    threshold: 0...100)
            ]
        }
    }
}

/// `volley-console` as it is shipped, asked by curl.
private final class ConsoleProcess {
    /// Where it was built; `deploy/benchmark` says.
    private static let program =
        Programs.folder + "/volley-console"

    private let process = Process()
    private let jar: String
    private let place: String

    init(_ introduction: OperatorIntroduction, folder: String) throws {
        let (key, coordinatorKey) = (folder + "/ada.key", folder + "/coordinator.pub")
        try Data(introduction.keys.secretKey.utf8).write(to: URL(fileURLWithPath: key))
        chmod(key, 0o600)
        try Data(introduction.coordinatorKey.text.utf8).write(to: URL(fileURLWithPath: coordinatorKey))
        jar = folder + "/jar"
        place = "127.0.0.1:\(introduction.port - 10_000)"
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = [
            "--listen", place, "--coordinator", "127.0.0.1:\(introduction.port)", "--key", key, "--coordinator-key",
            coordinatorKey,
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The link is all that it prints.
        let link = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let words = ["-s", "-o", "/dev/null", "-c", jar, link.trimmingCharacters(in: .whitespacesAndNewlines)]
        // It has ended once it says no more.
        _ = try Self.curl(words).fileHandleForReading.readDataToEndOfFile()
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
    }

    /// - Returns: how long the whole answer took, in milliseconds.
    func time(of path: String) throws -> Double {
        let output = try Self.curl(
            ["-s", "-b", jar, "-o", "/dev/null", "-w", "%{http_code} %{time_total}", "http://\(place)\(path)"])
        let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let parts = words.split(separator: " ")
        guard parts.count == 2, parts[0] == "200", let seconds = Double(parts[1]) else {
            preconditionFailure("\(path): \(words)")
        }
        return seconds * 1000
    }

    /// Listens to events as a page does.
    func listen() throws -> Listener { try Listener(["-s", "-N", "-b", jar, "http://\(place)/api/v1/events"]) }

    /// - Returns: what curl says, as it says it.
    private static func curl(_ words: [String]) throws -> Pipe {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments = words
        process.standardOutput = output
        try process.run()
        return output
    }

    /// When each of the news came.
    final class Listener: Sendable {
        private let times = Mutex<[Int64: Int64]>([:])

        var arrivals: [Int64: Int64] { times.withLock { $0 } }

        init(_ words: [String]) throws {
            let output = try ConsoleProcess.curl(words)
            let descriptor = output.fileHandleForReading.fileDescriptor
            _ = OSThread(name: "page", hasShortTurns: true) { [self] in
                // The pipe lives as long as it is read.
                withExtendedLifetime(output) { read(descriptor) }
            }
        }

        private func read(_ descriptor: CInt) {
            var (line, buffer): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 64 << 10))
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                let now = Clocks.monotonicNanoseconds()
                guard count > 0 else { return }
                for byte in buffer[..<count] {
                    guard byte == UInt8(ascii: "\n") else {
                        line.append(byte)
                        continue
                    }
                    let words = String(decoding: line, as: UTF8.self)
                    line = []
                    if words.hasPrefix("id:"),
                        let number = Int64(words.dropFirst(3).trimmingCharacters(in: .whitespaces))
                    {
                        times.withLock { $0[number] = now }
                    }
                }
            }
        }
    }
}
