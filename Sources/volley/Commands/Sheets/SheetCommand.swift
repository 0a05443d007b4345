import ArgumentParser
import CaptureModel
import Foundation
import Posix
import Programs

/// `volley sheet`.
struct SheetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sheet", abstract: "Puts the photos of a capture on one page, nodes by steps.",
        discussion: "What is missing, or not as it was asked for, is marked. Where a photo is rejected, that is said.")

    @OptionGroup var questions: QuestionOptions
    @OptionGroup var choice: SheetChoice
    @Option(
        name: [.short, .customLong("output")], help: "The JPEG; default: sheet-<uniqueID>.jpg.", completion: .file())
    var output: String?

    func validate() throws {
        guard let output else { return }
        let name = output.lowercased()
        guard name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") else {
            throw ValidationError("A sheet is a JPEG: name it \((output as NSString).deletingPathExtension).jpg.")
        }
    }

    func run() async throws {
        try await Output.reporting {
            try await questions.ask { answers in
                let sheet = try await CaptureSheet(choice, answers)
                let path = output ?? "sheet-\(sheet.uniqueID)\(choice.suffix).jpg"
                try sheet.write(to: path)
                Output.data(path)
            }
        }
    }
}

/// `volley open`.
struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Shows the photos of a capture on the desktop.")

    @OptionGroup var questions: QuestionOptions
    @OptionGroup var choice: SheetChoice

    func run() async throws {
        try await Output.reporting {
            let environment = ProcessInfo.processInfo.environment
            let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0].map { !$0.isEmpty } ?? false }
            guard hasDesktop, try ShellCommand.run("command -v xdg-open >/dev/null") == 0 else {
                Output.words("volley: There is no desktop here; `volley sheet` writes the same page into a file.")
                throw ExitCode(ExitStatus.unavailable)
            }
            try await questions.ask { answers in
                let sheet = try await CaptureSheet(choice, answers)
                // It stays until the next start of this machine, as the program that shows it may read it again.
                let path = FileManager.default.temporaryDirectory.path + "/sheet-\(sheet.uniqueID)\(choice.suffix).jpg"
                try sheet.write(to: path)
                guard try ShellCommand.run("xdg-open \(ShellCommand.quoted(path))") == 0 else {
                    Output.words("volley: The desktop has no program that shows pictures; the page is \(path).")
                    throw ExitCode(ExitStatus.failed)
                }
            }
        }
    }
}

/// Options by which the photos of a sheet are chosen.
struct SheetChoice: ParsableArguments {
    @Argument(help: CaptureReference.help) var capture: CaptureReference
    @Option(name: .customLong("step"), help: "Only this step, 1 for the first; may be repeated.") var steps: [Int] = []
    @Option(name: .customLong("node"), help: "Only this node, or those of top-*; may be repeated.")
    var nodes: [NodePattern] = []

    /// What tells its file from that of the whole capture.
    var suffix: String {
        steps.map { "-step\($0)" }.joined() + nodes.map { "-\($0.rawValue)".replacing("*", with: "_") }.joined()
    }

    func validate() throws {
        if let step = steps.first(where: { $0 < 1 }) { throw ValidationError("Steps begin with 1, not \(step).") }
    }
}
