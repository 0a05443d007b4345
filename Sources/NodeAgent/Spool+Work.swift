import CaptureModel
import Posix
package import RigRules
import Spool

/// How a spool does the work that a ``SpoolQueue`` gives it.
extension Spool {
    /// Does a piece of work.
    ///
    /// - Returns: how it ended, as the machine's next input.
    package func perform(_ work: SpoolQueue.Work) -> BoardMachine.Input {
        switch work {
        case .keep(let delivery): .kept(kept(delivery))
        case .append(let event):
            .appended(
                event,
                failure { () throws(SystemError) in
                    try append(event)
                    Failpoint.eventKept.pass()
                })
        case .keepEpoch(let epoch): .epochKept(failure { () throws(SystemError) in try keep(epoch: epoch) })
        case .reclaimPhoto(let id, let photoCount):
            .reclaimed(
                failure { () throws(SystemError) in
                    try reclaim(id, photoCount: photoCount)
                    Failpoint.photoReclaimed.pass()
                })
        case .reclaimCapture(let id):
            .reclaimed(
                failure { () throws(SystemError) in
                    try reclaim(id)
                    Failpoint.captureReclaimed.pass()
                })
        case .recall: recalled()
        case .measure:
            .measured(Result { () throws(SystemError) in try freeBytes() }.mapError { StoreFailure("\($0)") })
        }
    }

    private func failure(_ work: () throws(SystemError) -> Void) -> StoreFailure? {
        do throws(SystemError) {
            try work()
            return nil
        } catch {
            return StoreFailure("\(error)")
        }
    }

    private func kept(_ delivery: SpoolQueue.Delivery) -> NodeMachine.CapturedEvent {
        var event = delivery.event
        guard let file = delivery.file, let record = event.photo else { return event }
        do throws(SystemError) {
            let kept = try store(
                file.bytes, uniqueID: event.uniqueID, photoCount: record.photoCount, format: record.format)
            event.photo?.file = PhotoFile(
                byteCount: kept.byteCount, sha256: kept.sha256, dimensions: file.dimensions,
                imageUniqueID: file.imageUniqueID)
            Failpoint.photoKept.pass()
        } catch {
            event.photo?.exposureStart = nil
            event.photo?.error = CaptureError(.storageFailed, "The node could not keep the photo: \(error)")
        }
        return event
    }

    /// Reads all journals again; one that cannot be read does not hold up the others.
    private func recalled() -> BoardMachine.Input {
        var journals: [[CaptureEvent]] = []
        let problem = failure { () throws(SystemError) in
            var problem: SystemError?
            for id in try captures() {
                do throws(SystemError) { journals.append(try events(of: id)) } catch { problem = error }
            }
            if let problem { throw problem }
        }
        return .recalled(journals, problem)
    }
}
