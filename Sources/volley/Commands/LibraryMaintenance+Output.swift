import ArgumentParser
import CaptureModel
import Catalogue
import LibraryCare
import Programs

extension LibraryMaintenance.Replacement {
    func tell() {
        // A long list of successes is only counted.
        let doneCount = repairs.count { $0.outcome == .done }
        let isShort = doneCount <= 10
        for repair in repairs where isShort || repair.outcome != .done { Output.words("\(repair)") }
        if !isShort { Output.words("\(doneCount) captures and files were restored or put right.") }
        for remark in remarks { Output.words(remark.printableLine) }
        if let former { Output.words("The old catalogue is now \(former).") }
        Output.words(Sentences.count(captureCount, "capture") + ".")
    }
}

extension [LibraryInspection.Repair] {
    /// Ends the command with an error status if something was left or lost.
    func exit() throws {
        if contains(where: { $0.outcome == .left }) { throw ExitCode(ExitStatus.failed) }
        if contains(where: { $0.outcome == .loss }) { throw ExitCode(ExitStatus.partial) }
    }
}
