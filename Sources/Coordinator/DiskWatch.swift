import CaptureModel
import Catalogue
import Library
import LibraryCare
import Logging
import Posix
import RigProtocol
import RigRules

/// Watches a library's disk beside the coordinator's turns: whether it is there, takes what it is given, and what it has
/// free. A disk that hangs holds up nobody for longer than ``longestLook``.
///
///     fine ──▶ full, readOnly, failing ──▶ fine
///       └────▶ lost ──▶ what is open on it stays lost: the program begins anew
actor DiskWatch {
    /// A disk that has not answered for this long is lost.
    private static let longestLook = Duration.seconds(4)

    /// Refused so many times in a row, a second apart, by a disk that takes what is given to it on trial: what is open on it
    /// is broken. A disk that fails now and then is only tried again.
    private static let mostRefusals = 5

    private let catalogue: Catalogue
    private let library: Library
    private let watch: LibraryWatch
    private let logger: Logger
    private let storeFailure: @Sendable () async -> StoreFailure?
    private let onReturn: @Sendable () -> Void
    /// Why the library takes nothing; nil where it does.
    private(set) var trouble: LibraryTrouble?
    /// What it may still take, as it last said, in bytes.
    private var freeBytes: Int64?
    /// What the last check of the library found, as far as its disk said so.
    private(set) var verdict: LibraryVerdict?
    /// What other places have of its photos, as it was some minutes ago.
    private(set) var copies: [PlaceOfCopies] = []
    private var isCounting = false
    private var isLooking = false
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastWaiting = 0

    /// - Parameters:
    ///   - catalogue: the library's.
    ///   - library: open, with its run begun.
    ///   - storeFailure: why the catalogue refused what it was given last; nil where it took it.
    ///   - onReturn: called once the disk is there again, after it was lost: what was opened on it is not.
    init(
        _ catalogue: Catalogue, _ library: Library, logger: Logger,
        storeFailure: @escaping @Sendable () async -> StoreFailure?,
        onReturn: @escaping @Sendable () -> Void
    ) {
        (self.catalogue, self.library, self.logger) = (catalogue, library, logger)
        (self.storeFailure, self.onReturn) = (storeFailure, onReturn)
        watch = LibraryWatch(library.folder)
    }

    /// Looks from time to time, until its task is cancelled.
    func run() async {
        var turn = 0
        while !Task.isCancelled {
            await look()
            // A disk that has become unreadable takes nothing back.
            if turn % 5 == 0, trouble == nil, let told = try? await library.verdict() { verdict = told }
            if turn % 300 == 0, trouble == nil { countCopies() }
            turn += 1
            // Whoever waits hears of it within ten seconds.
            try? await Task.sleep(for: .seconds(2))
        }
    }

    /// Counts beside the looks: a million copies take the catalogue a while, and a disk that hangs takes for ever.
    private func countCopies() {
        guard !isCounting else { return }
        isCounting = true
        Task {
            if let told = try? await catalogue.copies() { copies = told }
            isCounting = false
        }
    }

    /// Looks now, or joins the look that is under way.
    @discardableResult
    func look() async -> LibraryTrouble? {
        // That it hangs is known, and whoever asks next need not wait for that as well.
        if isLooking, trouble?.kind == .lost { return trouble }
        if !isLooking { begin() }
        lastWaiting += 1
        let number = lastWaiting
        let patience = Task {
            guard (try? await Task.sleep(for: Self.longestLook)) != nil else { return }
            giveUp(number)
        }
        await withCheckedContinuation { waiting[number] = $0 }
        patience.cancel()
        return trouble
    }

    /// How the library is, in numbers.
    var metrics: [MetricFamily] {
        var photos = MetricFamily.gauge("volley_library_copies", "How many photos have a second copy in a place.")
        var readings = MetricFamily.gauge(
            "volley_library_copies_oldest_time_seconds", "When the least recently verified copy was read back, in UTC.")
        for place in copies {
            photos.add(Double(place.photoCount), ["place": place.place])
            readings.add(Double(place.oldestReadAt.rawValue) / 1e6, ["place": place.place])
        }
        return [
            photos, readings,
            MetricFamily.gauge("volley_library_free_bytes", "What the library's disk may still take.")
                .with(freeBytes.map(Double.init)),
            MetricFamily.gauge("volley_library_trouble", "1 where the library takes nothing: full, read-only or lost.")
                .with(trouble == nil ? 0 : 1),
            MetricFamily.gauge("volley_library_verified_time_seconds", "When it was verified last, in UTC.")
                .with((verdict?.checkedAt.rawValue).map { Double($0) / 1e6 }),
            MetricFamily.gauge("volley_library_problems", "What its last verification found and left.")
                .with((verdict?.problemCount).map(Double.init)),
        ]
    }

    private func begin() {
        isLooking = true
        // The catalogue may refuse what its disk would take.
        let isOnTrial = trouble?.kind == .failing
        Task {
            let look = try? await OSThread.run(name: "disk") { [watch] in
                let look = watch.look()
                if isOnTrial, case .fine = look, !watch.canWrite() { return nil as LibraryWatch.Look? }
                return look
            }
            end(look ?? nil, await storeFailure())
        }
    }

    private func giveUp(_ number: Int) {
        guard let waiter = waiting.removeValue(forKey: number) else { return }
        note(watch.hangs)
        waiter.resume()
    }

    private func end(_ look: LibraryWatch.Look?, _ failure: StoreFailure?) {
        switch look {
        case .fine(let free)?:
            freeBytes = free
            Task { await library.keepReserve() }
            // What is open on a disk that was away stays away.
            let isBroken = failure.map { $0.cause == .brokenDisk && $0.times >= Self.mostRefusals } ?? false
            if trouble?.kind == .lost || trouble?.kind == .failing && isBroken {
                beginAnew()
            } else {
                note(failure.map { watch.failing($0.words) })
            }
        case .trouble(let found)?: note(found)
        case .returned?: beginAnew()
        case nil: break
        }
        isLooking = false
        for waiter in waiting.values { waiter.resume() }
        waiting = [:]
    }

    private func beginAnew() {
        logger.notice("the library's disk is there again; this program begins anew to open it")
        onReturn()
        note(nil)
    }

    private func note(_ found: LibraryTrouble?) {
        guard found?.kind != trouble?.kind else { return }
        if let found { logger.error("\(found.words)") } else { logger.notice("The library takes photos again.") }
        trouble = found
    }
}
