import ArgumentParser
import LibraryCare
import Programs

/// `volley rebuild`.
struct RebuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild", abstract: "Rebuilds a library's catalogue from its photos and their archives.",
        discussion: """
            For a catalogue that is lost or damaged. Needs the coordinator stopped. An existing catalogue is kept \
            beside the new one. What nodes have not delivered yet comes when the coordinator is back. Exit status: 0 \
            done; 1 something could not be read and was left as it is; 2 photos were lost.
            """)

    @Argument(help: "The library.") var library: String

    func run() async throws {
        try await Output.reporting {
            var bar = ProgressBar()
            let replacement = try await LibraryMaintenance(library).rebuild { done, total in
                bar.show(done, of: total, "checked", of: "captures")
            }
            bar.finish()
            replacement.tell()
            try replacement.repairs.exit()
        }
    }
}
