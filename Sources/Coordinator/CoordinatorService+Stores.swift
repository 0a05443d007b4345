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
        guard !isCommitting else { return }
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
            try await library.keep(id, as: catalogue)
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
                    logger.error("the catalogue cannot be written: \(error)")
                    if let id = job.accepting {
                        take(.acceptFailed(id, reason: "\(error)"))
                        break
                    }
                    if Catalogue.isPermanent(error) {
                        take(.commitRefused(job.changes))
                        break
                    }
                    if isEnding { break }
                    // A full disk, for example: it is tried until there is room again.
                    try? await Task.sleep(for: .seconds(1))
                }
            }
        }
    }

    // MARK: Archives beside the photos

    func archive(_ id: UniqueID, then effects: [RigEffect]) {
        archives[id, default: []] += effects
        guard !isArchiving else { return }
        isArchiving = true
        Task { await self.drainArchives() }
    }

    /// One after the other, the newest state of each.
    private func drainArchives() async {
        while let (id, effects) = archives.min(by: { $0.key < $1.key }) {
            archives[id] = nil
            do {
                try await library.keep(id, as: catalogue)
                Failpoint.captureArchived.pass()
                apply(effects)
            } catch {
                logger.warning("capture \(id) cannot be archived beside its photos: \(error)")
                if isEnding { break }
                // The catalogue has it; it is tried until there is room again.
                archives[id, default: []] += effects
                try? await Task.sleep(for: .seconds(1))
            }
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
                    apply(transfers.written(key, byteCount: bytes.count))
                } catch {
                    logger.error("\(error)")
                    let failure = CaptureError(.transferFailed, "The photo could not be stored: \(error)")
                    apply(transfers.finished(key, error: failure, now: now))
                }
            case .look(let pull):
                // A catalogue that was restored from a backup has forgotten what the library has.
                let isThere = await library.has(pull.path, byteCount: pull.file.byteCount, sha256: pull.file.sha256)
                if isThere {
                    take(.photoArrived(pull.key, path: pull.path))
                } else {
                    apply(transfers.enqueue(pull, now: now))
                }
            case .finish(let pull):
                finishing += 1
                Task { await self.finish(pull) }
            case .discard(let key):
                await library.discard(key)
            }
        }
        isWriting = false
    }

    private func finish(_ pull: PhotoPull) async {
        defer { finishing -= 1 }
        do throws(Library.Failure) {
            try await library.finish(
                pull.key, sha256: pull.file.sha256, byteCount: pull.file.byteCount, path: pull.path)
            Failpoint.photoPublished.pass()
            take(.photoArrived(pull.key, path: pull.path))
            apply(transfers.finished(pull.key, error: nil, now: now))
        } catch {
            logger.error("\(error)")
            let failure = CaptureError(.transferFailed, "The photo could not be stored: \(error)")
            apply(transfers.finished(pull.key, error: failure, now: now))
        }
    }
}
