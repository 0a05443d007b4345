import CaptureModel
import Catalogue
import Logging
import PhotoStore
import Posix

/// What the catalogue and the library are given to do, each in its turn.
extension CoordinatorService {
    // MARK: The catalogue, in groups

    func commit(_ job: CommitJob) {
        commits.append(job)
        guard !isCommitting, !hasGivenUp else { return }
        isCommitting = true
        Task { await self.drainCommits() }
    }

    /// What waits when a commit begins shares its fsync: the slower the disk, the larger the groups.
    private func drainCommits() async {
        while !commits.isEmpty {
            let jobs = commits
            commits = []
            do {
                let changes = jobs.flatMap(\.changes)
                if !changes.isEmpty { try await catalogue.commit(changes) }
                Failpoint.changesCommitted.pass()
                for job in jobs { await done(job) }
            } catch {
                await commitOneByOne(jobs)
            }
        }
        isCommitting = false
    }

    private func done(_ job: CommitJob) async {
        // No node does anything for a capture that a lost catalogue would not know again.
        guard let id = job.accepting else { return apply(job.then) }
        Failpoint.captureCommitted.pass()
        do {
            try await library.accept(id, as: catalogue)
            Failpoint.captureAccepted.pass()
            take(.accepted(id))
        } catch {
            take(.acceptFailed(id, reason: "\(error)"))
        }
    }

    /// Finds the job that the catalogue refuses. A capture that cannot be accepted is refused; anything else is true
    /// already, and is tried until it is written.
    private func commitOneByOne(_ jobs: [CommitJob]) async {
        for job in jobs {
            while true {
                do {
                    try await catalogue.commit(job.changes)
                    await done(job)
                    break
                } catch {
                    logger.error("the catalogue cannot be written: \(Catalogue.sentence(for: error))")
                    if let id = job.accepting {
                        take(.acceptFailed(id, reason: "\(error)"))
                        break
                    }
                    if Catalogue.isPermanent(error) {
                        take(.commitRefused(job.changes))
                        break
                    }
                    // What comes after it would be a gap's other side.
                    if isEnding { return giveUp() }
                    // A full disk, for example: it is tried until there is room again.
                    try? await Task.sleep(for: .seconds(1))
                }
            }
        }
    }

    /// While the service ends and the disk takes nothing: what is not committed was not acknowledged.
    private func giveUp() {
        hasGivenUp = true
        commits = []
    }

    // MARK: Archives beside the photos

    func archive(_ id: UniqueID, then effects: [RigEffect]) {
        archives[id, default: []].formUnion(effects)
        guard !isArchiving else { return }
        isArchiving = true
        Task { await self.drainArchives() }
    }

    /// One after the other, the newest state of each; one that fails holds up none.
    private func drainArchives() async {
        while !archives.isEmpty {
            var hasFailed = false
            for id in archives.keys.sorted() {
                guard let effects = archives.removeValue(forKey: id) else { continue }
                do {
                    try await library.keep(id, as: catalogue)
                    Failpoint.captureArchived.pass()
                    apply(Array(effects))
                } catch {
                    report("capture \(id) cannot be archived beside its photos: \(error)")
                    hasFailed = true
                    archives[id, default: []].formUnion(effects)
                }
            }
            guard hasFailed else { continue }
            if isEnding { break }
            // The catalogue has it, and the nodes keep theirs: it is tried until there is room again.
            try? await Task.sleep(for: .seconds(1))
        }
        isArchiving = false
    }

    // MARK: The disk, in order

    func write(_ job: DiskJob) {
        diskJobs.append(job)
        guard !isWriting else { return }
        isWriting = true
        Task { await self.drainDisk() }
    }

    private func drainDisk() async {
        while !diskJobs.isEmpty {
            let job = diskJobs.removeFirst()
            switch job {
            case .append(let bytes, let key, let offset):
                do throws(Library.Failure) {
                    try await library.append(bytes, to: key, at: offset)
                    Failpoint.chunkWritten.pass()
                    apply(transfers.written(key, byteCount: bytes.count, now: now))
                } catch {
                    failed(key, error)
                }
            // It comes by itself, or the node says its event again.
            case .look(let pull) where finishing.contains(pull.key): continue
            case .look(let pull):
                // A catalogue that was restored from a backup has forgotten what the library has.
                let isThere = await library.has(pull.path, byteCount: pull.file.byteCount, sha256: pull.file.sha256)
                if isThere {
                    take(.photoArrived(pull.key, path: pull.path))
                } else {
                    apply(transfers.enqueue(pull, now: now))
                }
            case .finish(let pull):
                await finish(pull)
            case .discard(let key):
                await library.discard(key)
            }
        }
        isWriting = false
    }

    private func finish(_ pull: PhotoPull) async {
        do throws(Library.Failure) {
            let arrival = try await library.complete(
                pull.key, sha256: pull.file.sha256, byteCount: pull.file.byteCount, path: pull.path)
            finishing.insert(pull.key)
            Task { await self.publish(arrival, as: pull.path) }
        } catch {
            failed(pull.key, error)
        }
    }

    private func publish(_ arrival: Library.Arrival, as path: String) async {
        defer { finishing.remove(arrival.key) }
        do throws(Library.Failure) {
            try await library.publish(arrival)
            Failpoint.photoPublished.pass()
            take(.photoArrived(arrival.key, path: path))
            apply(transfers.finished(arrival.key, error: nil, now: now))
        } catch {
            failed(arrival.key, error)
        }
    }

    private func failed(_ key: Library.Key, _ error: Library.Failure) {
        // What else has come of this try would fail after it.
        diskJobs.removeAll { $0.isPiece(of: key) }
        report("\(error)", .error)
        let failure = CaptureError(.transferFailed, "The photo could not be stored yet; its node keeps it: \(error)")
        apply(transfers.finished(key, error: failure, now: now))
    }
}
