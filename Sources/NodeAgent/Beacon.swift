import CaptureModel
import Posix

/// The light by which somebody finds the board.
///
/// What it does by itself is kept in a file while it blinks, so that a program that is started after one that was killed
/// puts that back. It has a thread of its own, as a light's driver may wait for the hardware.
actor Beacon {
    private struct Blinking: ~Copyable {
        let light: BoardLight
        let habit: BoardLight.Habit
        let lock: OwnedFileDescriptor
    }

    private let name: String?
    private let note: String
    private let files = PosixFileSystem()
    private let executor = ThreadExecutor(name: "light")
    private var blinking: Blinking?
    private var until = ContinuousClock.now
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - name: what the kernel calls the light; nil for the usual one.
    ///   - folder: where the note is kept.
    init(light name: String?, folder: String) {
        self.name = name
        note = folder + "/light"
    }

    /// What the light is called; nil where there is none that can be switched.
    var light: String? { BoardLight(named: name)?.name }

    /// Puts back what a former run left blinking.
    func recover() {
        guard let bytes = try? files.read(note) else { return }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        // One that blinks still, for another node of this board, is that one's to put back.
        if lines.count == 3, let light = BoardLight(named: lines[0]), let lock = light.lock() {
            light.resume(BoardLight.Habit(trigger: lines[1] == "none" ? nil : lines[1], brightness: lines[2]))
            _ = consume lock
        }
        try? files.remove(note)
    }

    /// Has it blink for this long from now; the newest order counts.
    ///
    /// - Returns: why it does not; nil where it does.
    func blink(for seconds: Int) -> String? {
        guard !isClosed else { return "This node is stopping." }
        until = .now + .seconds(seconds)
        guard blinking == nil else { return nil }
        guard let light = BoardLight(named: name) else { return "There is no light that can be switched." }
        guard let lock = light.lock() else { return "The light \(light.name) blinks for another node already." }
        let habit = light.habit
        // On a full disk it blinks all the same.
        try? files.writeDurably(
            Array("\(light.name)\n\(habit.trigger ?? "none")\n\(habit.brightness)".utf8), to: note)
        guard light.forsake() else {
            try? files.remove(note)
            return "The light \(light.name) cannot be switched."
        }
        blinking = Blinking(light: light, habit: habit, lock: lock)
        Task { await self.blink(light) }
        return nil
    }

    private func blink(_ light: BoardLight) async {
        var isOn = false
        while ContinuousClock.now < until, !isClosed {
            isOn.toggle()
            light.shine(isOn)
            // The pace that catches an eye; nothing waits for it.
            try? await Task.sleep(for: .milliseconds(250))
        }
        end()
    }

    /// Puts back what it did before, and takes no more orders.
    func close() {
        isClosed = true
        end()
    }

    private func end() {
        guard let ended = blinking.take() else { return }
        ended.light.resume(ended.habit)
        try? files.remove(note)
    }
}
