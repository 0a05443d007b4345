import Foundation
import HTTPTypes
import RigConfiguration

/// The library of plans: the YAML files of a folder, read when somebody asks for them.
struct PlanShelf {
    /// Nil where nobody named one.
    let folder: String?

    /// The names of its plans, without what follows the dot.
    var names: [String] {
        let files = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
        // What is no file, such as a pipe, would be read without an end.
        return files.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") && isFile($0) }.map { String($0.dropLast(5)) }
            .sorted { $0.localizedStandardCompare($1) == .orderedAscending }
    }

    private func isFile(_ name: String) -> Bool {
        let file = URL(fileURLWithPath: (folder ?? "") + "/" + name).resolvingSymlinksInPath()
        return (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
    }

    /// A plan as it was written.
    ///
    /// - Throws: ``ConsoleError`` where there is none of that name, or where it cannot be read.
    func text(of name: String) throws(ConsoleError) -> String {
        // A name with a slash is none of these.
        guard let folder, names.contains(name) else {
            throw ConsoleError(.notFound, "There is no plan '\(name)' in the library of plans.")
        }
        do {
            return try ConfigurationFile.read("\(folder)/\(name).yaml").text
        } catch {
            throw ConsoleError(.notFound, "\(error)")
        }
    }
}
