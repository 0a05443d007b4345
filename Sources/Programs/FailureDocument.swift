/// Why a program ends, as JSON, where its data would have been JSON.
package struct FailureDocument: Encodable {
    private struct Failure: Encodable {
        let code: String
        let message: String
        let details: [String]
        let exitStatus: Int32
    }

    private let error: Failure

    /// - Parameters:
    ///   - code: a word for programs to act on; default: what the exit status is called.
    ///   - details: one line for each node or step that objects.
    package init(_ message: String, exitStatus: Int32, code: String? = nil, details: [String] = []) {
        error = Failure(
            code: code ?? ExitStatus.name(exitStatus), message: message, details: details, exitStatus: exitStatus)
    }

    /// Writes it to standard output if JSON was asked for.
    package func write() {
        // Before a bare --, which ends the options.
        let options = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
        if options.contains("--json") { try? Output.json(self) }
        if options.contains("--jsonl") { try? Output.json(self, isLine: true) }
    }
}
