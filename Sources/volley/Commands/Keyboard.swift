import Dispatch
import Foundation
import Posix

/// Keys as they are pressed, from a terminal; from anything else, its characters.
final class Keyboard: Sendable {
    private let former: termios?
    private let keys: AsyncStream<Character>

    init() {
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) == 0 {
            former = settings
            // Each key by itself and unseen. Ctrl-C is a key like others, as the terminal has to be set back.
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        } else {
            former = nil
        }
        let (stream, input) = AsyncStream.makeStream(of: Character.self)
        keys = stream
        _ = OSThread(name: "keys", isDetached: true) {
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) == 1 { input.yield(Character(Unicode.Scalar(byte))) }
            input.finish()
        }
    }

    /// The next key; nil where there are no more.
    func next() async -> Character? {
        for await key in keys { return key }
        return nil
    }

    /// Sets the terminal back.
    func close() {
        guard var former else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &former)
    }
}
