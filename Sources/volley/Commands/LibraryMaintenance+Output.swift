import ArgumentParser
import Catalogue
import LibraryCare
import Programs

extension LibraryMaintenance.Replacement {
    func tell() {
        for repair in repairs { Output.words("\(repair)") }
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
