import Foundation
import Posix

/// A key at a time, from a terminal; from anything else, a line at a time.
struct Keyboard {
    /// How the terminal is set outside ``next()``; nil where there is none.
    private let usual: termios?

    init() {
        var settings = termios()
        usual = tcgetattr(STDIN_FILENO, &settings) == 0 ? settings : nil
    }

    /// Whether somebody can be asked.
    static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Waits for a key that is pressed from now on, whatever was pressed before; nil where there are no more.
    func next() async throws -> String? {
        guard let usual else { return readLine() }
        defer { restore() }
        return try await OSThread.run(name: "keys") {
            var settings = usual
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            // A key may be several bytes, which come together.
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
        }
    }

    /// Sets the terminal back.
    func restore() {
        guard var usual else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &usual)
    }
}
