import Glibc
package import Posix

/// Whether what is written into a folder is there after a power cut, and how much fits.
package struct FolderChecks: Sendable {
    private let system: SystemFiles
    private let files = PosixFileSystem()

    /// What `/proc/self/mountinfo` says of a mount.
    private struct Mount {
        let device: String
        let place: String
        let options: Set<Substring>
        let type: String

        /// See proc(5).
        init?(_ line: Substring) {
            let halves = line.split(separator: " - ", maxSplits: 1)
            guard halves.count == 2 else { return nil }
            let (first, second) = (halves[0].split(separator: " "), halves[1].split(separator: " "))
            guard first.count >= 6, second.count >= 3 else { return nil }
            (device, type) = (String(first[2]), String(second[0]))
            // A space in a path is written as an octal number.
            place = String(first[4]).split(separator: "\\040", omittingEmptySubsequences: false).joined(separator: " ")
            options = Set(first[5].split(separator: ",") + second[2].split(separator: ","))
        }
    }

    package init(_ system: SystemFiles = SystemFiles()) { self.system = system }

    /// - Parameters:
    ///   - folder: one that is there, or will be made.
    ///   - what: what it is to the program, such as `spool`.
    package func findings(of folder: String, _ what: String) -> [Finding] {
        let path = existing(folder)
        guard access(path, W_OK | X_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            return [
                .problem(
                    what, "Nothing can be written into \(path): \(reason).",
                    advice: "Run this as the user of the service, or as root; or give the folder to that user.")
            ]
        }
        return [medium(path, what), room(path, what), sync(path, what)].compactMap { $0 }
    }

    /// The folder itself, or the nearest above it that exists.
    private func existing(_ folder: String) -> String {
        var path = folder
        while access(path, F_OK) != 0, path.contains("/"), path != "/" { path = files.parent(of: path) }
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private func mount(of path: String) -> Mount? {
        let mounts = (system.text("/proc/self/mountinfo") ?? "").split(separator: "\n").compactMap { Mount($0) }
        // Of two at one place the later one is on top.
        return mounts.filter { path == $0.place || path.hasPrefix($0.place == "/" ? "/" : $0.place + "/") }
            .enumerated().max { ($0.element.place.count, $0.offset) < ($1.element.place.count, $1.offset) }?.element
    }

    private func medium(_ path: String, _ what: String) -> Finding? {
        guard let mount = mount(of: path) else { return nil }
        let place = "\(path) is on \(mount.type) at \(mount.place)"
        if ["tmpfs", "ramfs"].contains(mount.type) {
            return .problem(
                what, place + ", in memory: a power cut takes what is there.",
                advice: "Choose a folder on a disk, a card or a flash module.")
        }
        if mount.type == "overlay" {
            return .warning(
                what, place + ", which may be in memory.",
                advice: "Choose a folder on a file system of its own, if the upper layer is not on a disk.")
        }
        if !mount.options.isDisjoint(with: ["nobarrier", "barrier=0"]) {
            return .problem(
                what, place + ", mounted without barriers: a power cut may take what was synced.",
                advice: "Take 'nobarrier' or 'barrier=0' out of /etc/fstab.")
        }
        let queue = ["/queue", "/../queue"].lazy.compactMap {
            system.line("/sys/dev/block/\(mount.device)\($0)/write_cache")
        }.first
        let cache =
            switch queue {
            case "write back": ", with a write cache that is flushed at each sync"
            case "write through": ", without a write cache"
            case _: ""
            }
        return .ok(what, place + cache + ".")
    }

    private func room(_ path: String, _ what: String) -> Finding? {
        guard let free = try? files.freeBytes(at: path) else { return nil }
        let amount = free < 10 << 30 ? "\(free >> 20) MiB" : "\(free >> 30) GiB"
        guard free < 2 << 30 else { return .ok(what, "\(amount) is free.") }
        let advice = "Make room; a capture that does not fit is refused."
        return free < 256 << 20
            ? .problem(what, "Only \(amount) is free.", advice: advice)
            : .warning(what, "Only \(amount) is free.", advice: advice)
    }

    /// How long a sync takes: each capture waits for a few.
    private func sync(_ path: String, _ what: String) -> Finding? {
        let probe = path + "/.volley-doctor-\(getpid())"
        defer { try? files.remove(probe) }
        do {
            let file = try files.open(probe, .create)
            var times: [Int64] = []
            for _ in 0..<5 {
                let start = Clocks.monotonicNanoseconds()
                try file.append([UInt8](repeating: 0x55, count: 4096))
                try file.sync()
                times.append(Clocks.monotonicNanoseconds() - start)
            }
            let median = times.sorted()[times.count / 2]
            let took = median < 1_000_000 ? "\(median / 1000) µs" : "\(median / 1_000_000) ms"
            guard median > 100_000_000 else { return .ok(what, "A sync takes \(took).") }
            return .warning(
                what, "A sync takes \(took).",
                advice:
                    "Photos will be slow to be stored: use a faster card or disk, or find out what else writes to it.")
        } catch {
            return .problem(what, "Nothing can be kept there: \(error).", advice: "Look at the disk, and `dmesg`.")
        }
    }
}
