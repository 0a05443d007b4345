import CaptureModel
package import Catalogue
package import Library
import LibraryCare
import Posix
package import RigRules

/// A coordinator's catalogue and library, which do the work that a ``StoreQueue`` gives them.
package struct Stores: Sendable {
    private let catalogue: Catalogue
    private let library: Library
    private let disk: DiskWatch?

    package init(_ catalogue: Catalogue, _ library: Library) { self.init(catalogue, library, disk: nil) }

    /// - Parameter disk: asked whether what looks like damage is its fault.
    init(_ catalogue: Catalogue, _ library: Library, disk: DiskWatch?) {
        (self.catalogue, self.library, self.disk) = (catalogue, library, disk)
    }

    /// Does a piece of work.
    ///
    /// - Returns: how it ended, as the machine's next input.
    package func perform(_ work: StoreQueue.Work) async -> CoordinatorMachine.Input {
        switch work {
        case .commit(let changes):
            .committed(
                await failure {
                    if !changes.isEmpty { try await commit(changes) }
                    Failpoint.changesCommitted.pass()
                })
        case .accept(let id):
            .accepted(
                await failure {
                    Failpoint.captureCommitted.pass()
                    try await library.accept(id, as: catalogue)
                    Failpoint.captureAccepted.pass()
                })
        case .archive(let id):
            .archived(
                await failure {
                    try await library.keep(id, as: catalogue)
                    Failpoint.captureArchived.pass()
                })
        case .publish(let key, let path):
            .published(
                key, path: path,
                await failure {
                    try await library.publish(key, as: path)
                    Failpoint.photoPublished.pass()
                })
        case .append, .locate, .complete, .discard: .wrote(await write(work))
        }
    }

    /// What makes room goes into the room that is kept for it.
    private func commit(_ changes: [CatalogueChange]) async throws {
        do {
            try await catalogue.commit(changes)
        } catch  where Catalogue.isFull(error) && changes.contains(where: \.makesRoom) {
            guard await library.releaseReserve() else { throw error }
            try await catalogue.commit(changes)
        }
    }

    private func write(_ work: StoreQueue.Work) async -> StoreQueue.Written {
        do {
            switch work {
            case .append(let bytes, let key, let offset):
                try await library.append(bytes, to: key, at: offset)
                Failpoint.chunkWritten.pass()
                return .appended
            case .locate(let pull):
                return .located(
                    await library.has(pull.path, byteCount: pull.file.byteCount, sha256: pull.file.sha256))
            case .complete(let pull):
                try await library.complete(
                    pull.key, sha256: pull.file.sha256, byteCount: pull.file.byteCount,
                    format: pull.path.split(separator: ".").last.flatMap(PhotoFormat.init(pathExtension:)))
                return .completed
            case .discard(let key):
                await library.discard(key)
                return .discarded
            case .commit, .accept, .archive, .publish: preconditionFailure("\(work) is not written in turn")
            }
        } catch {
            return .failed(await failure(of: error))
        }
    }

    private func failure(_ work: () async throws -> Void) async -> StoreFailure? {
        do {
            try await work()
            return nil
        } catch {
            return await failure(of: error)
        }
    }

    private func failure(of error: any Error) async -> StoreFailure {
        // What the disk refuses to read looks like damage.
        if Catalogue.isDamage(error), let trouble = await disk?.look(), trouble.kind != .failing {
            return StoreFailure(trouble.words, .brokenDisk)
        }
        let cause: StoreFailure.Cause =
            if Catalogue.isPermanent(error) {
                .schema
            } else if Catalogue.isOfDisk(error) {
                .brokenDisk
            } else if let error = error as? Library.Failure, error.stopsAll {
                .closedDisk
            } else {
                .passing
            }
        return StoreFailure(Catalogue.sentence(for: error), cause)
    }
}
