import ArgumentParser
import LibraryCare
import Programs

/// `volley restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Goes back to a copy of a library's catalogue.",
        discussion: """
            Needs the coordinator stopped. The present catalogue is kept under another name, and the copy is left as \
            it is. When the coordinator starts again, it takes whatever is newer than the copy from the archives \
            beside the photos and from its nodes.
            """)

    @Argument(help: "A copy made by `volley backup`.") var copy: String
    @Option(help: "The library.") var library: String

    func run() async throws {
        try await Output.reporting {
            let replacement = try await LibraryMaintenance(library).restore(from: copy)
            replacement.tell()
        }
    }
}
