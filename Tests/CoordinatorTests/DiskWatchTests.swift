import CaptureModel
import Catalogue
import Foundation
import Library
import Logging
import RigProtocol
import RigRules
import Synchronization
import Testing

@testable import Coordinator

@Suite("The watch over a library's disk")
final class DiskWatchTests: Sendable {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())").path
    private var elsewhere: String { root + "-elsewhere" }
    private let failure = Mutex<StoreFailure?>(nil)
    private let returnCount = Mutex(0)

    deinit { for path in [root, elsewhere] { try? FileManager.default.removeItem(atPath: path) } }

    /// A library in which a run has begun, and the watch over it.
    private func watch() async throws -> (DiskWatch, Catalogue) {
        let library = try Library(root: root)
        let catalogue = try Catalogue(
            path: root + "/catalogue.sqlite", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        _ = try await library.beginRun(startedAt: 1, formerRun: nil, isWhole: true)
        let watch = DiskWatch(
            catalogue, library, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            storeFailure: { [self] in failure.withLock(\.self) },
            onReturn: { [self] in returnCount.withLock { $0 += 1 } })
        return (watch, catalogue)
    }

    @Test("tells that it is lost, and begins anew once it is there again")
    func returns() async throws {
        let (watch, _) = try await watch()
        #expect(await watch.look() == nil)
        try FileManager.default.moveItem(atPath: root, toPath: elsewhere)
        // Two at a time join one look.
        async let first = watch.look()
        async let second = watch.look()
        let told = await [first, second]
        #expect(told.map(\.?.kind) == [.lost, .lost] && told[0]?.words.contains(root) == true)
        #expect(returnCount.withLock(\.self) == 0)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: root)
        #expect(await watch.look() == nil)
        #expect(returnCount.withLock(\.self) == 1, "what was opened on it stays lost")
    }

    @Test("does not take another library in its place for it")
    func another() async throws {
        let (watch, _) = try await watch()
        try FileManager.default.moveItem(atPath: root, toPath: elsewhere)
        let other = try Library(root: root)
        _ = try Catalogue(path: root + "/catalogue.sqlite", startedAt: 2, rigTime: RigTime(nanoseconds: 0))
        _ = try await other.beginRun(startedAt: 2, formerRun: nil, isWhole: true)
        #expect(await watch.look()?.words.contains("another library") == true)
        #expect(returnCount.withLock(\.self) == 0)
    }

    @Test(
        "goes on by itself after a catalogue that took nothing, and begins anew where its disk broke",
        arguments: [StoreFailure.Cause.passing, .brokenDisk])
    func failing(cause: StoreFailure.Cause) async throws {
        let (watch, _) = try await watch()
        failure.withLock { $0 = StoreFailure("database is locked", cause) }
        #expect(await watch.look()?.kind == .failing)
        #expect(await watch.metrics.first { $0.name == "volley_library_trouble" }?.samples.map(\.value) == [1])
        // A disk that fails now and then is tried again.
        #expect(await watch.look()?.kind == .failing)
        #expect(returnCount.withLock(\.self) == 0)
        failure.withLock { $0?.times = 5 }
        // Its disk takes what it is given on trial.
        #expect(await watch.look()?.kind == (cause == .passing ? .failing : nil))
        #expect(returnCount.withLock(\.self) == (cause == .passing ? 0 : 1))
        failure.withLock { $0 = nil }
        #expect(await watch.look() == nil)
    }
}
