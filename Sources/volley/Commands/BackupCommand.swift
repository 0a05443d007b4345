import ArgumentParser
import LibraryCare
import Programs

/// `volley backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies a library's catalogue as of one instant.",
        discussion: """
            Works while the rig runs. The copy is one SQLite file; photos are ordinary files, and any tool copies \
            them. `volley restore` goes back to the copy.
            """)

    @Argument(help: "The library.") var library: String
    @Argument(help: "The file to create.") var copy: String

    func validate() throws {
        if copy == "-" { throw ValidationError("A copy is a file: name one.") }
    }

    func run() async throws {
        try await Output.reporting {
            if let objection = libraryObjection(toFile: copy) { throw LibraryProblem(.wrongPlace, objection) }
            let count = try await LibraryMaintenance(library).backUp(to: copy)
            Output.words("\(Sentences.count(count, "capture")) copied to \(copy).")
        }
    }
}
