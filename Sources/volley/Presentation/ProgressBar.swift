import Foundation

/// A progress bar for work that takes longer than a second, on a terminal only.
struct ProgressBar {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let began = Date()
    private var isShown = false

    mutating func show(_ done: Int, of total: Int, _ word: String, of things: String = "photos") {
        guard isTerminal, isShown || Date().timeIntervalSince(began) > 1 else { return }
        isShown = true
        let width = 30
        let filled = total > 0 ? min(width, done * width / total) : 0
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
        write("\r[\(bar)] \(done)/\(total) \(things), \(word)\u{1B}[K")
    }

    mutating func finish() {
        if isShown { write("\r\u{1B}[K") }
        isShown = false
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
