import CaptureModel
import Glibc
import PhotoCapture
package import Posix
import SimulatedCamera
import SimulationKit

/// A UVC camera without hardware: the kernel's own `uvcvideo` drives it as if it were in a USB port.
///
/// One loop answers the host, begins and ends frames on time, and takes commands; a second thread draws.
package final class VirtualCamera {
    private let camera: VirtualCameraConfiguration
    private let report: (String) -> Void
    private var device: UVCDevice
    private var sensor: VirtualSensor
    private var link: HostLink?
    private var stream: Stream?
    private var isFrozen = false
    private var lamp: Lamp?
    private var isStalling = false
    private var answerDelay: Int64 = 0
    private var broken = (dropped: 0, truncated: 0, errors: 0)
    /// Payloads on their way to the bus, in order.
    private var onTheWay: [(due: Int64, packet: Packet)] = []
    private let clock = DeviceClockTicks(zero: Clocks.monotonicNanoseconds())
    private var dice: SplitMix64
    private var answers: [(due: Int64, seqnum: UInt32, control: Control, value: Int64)] = []
    private var commandText: [UInt8] = []
    private var isEnded = false

    /// - Parameter report: called with what happens, in words for a person.
    package init(_ camera: VirtualCameraConfiguration, report: @escaping (String) -> Void) {
        self.camera = camera
        self.report = report
        dice = SplitMix64(state: camera.seed)
        device = UVCDevice(camera)
        sensor = VirtualSensor(camera, device.values)
    }

    /// What becomes a payload only when it is sent, as its header says when that was.
    private enum Packet {
        case begin(exposure: ClosedRange<Int64>)
        case end(exposure: ClosedRange<Int64>, [UInt8], isBroken: Bool)
    }

    /// A running stream.
    private struct Stream {
        let mode: VideoMode
        let renderer: FrameRenderer
        let thread: OSThread
        var payload = Payload()
        /// The frame that is being exposed.
        var current: VirtualSensor.Frame?
        var exposureStart: Int64 = 0
        var boundary: Int64
        /// Whether its time is over and it waits for its picture.
        var isDue = false
    }

    /// Plugs the camera in and runs until the commands end.
    ///
    /// - Parameter commands: a descriptor with lines of ``CameraCommand``, read until its end.
    package func run(commands: CInt) throws(SystemError) {
        try plug()
        while !isEnded {
            let ready = wait(commands)
            if ready.contains(.host) { receive() }
            if ready.contains(.command) { try readCommands(commands) }
            let now = Clocks.monotonicNanoseconds()
            answerDue(now)
            advance(now)
            sendDue(now)
        }
        unplug()
    }

    // MARK: The port

    private func plug() throws(SystemError) {
        guard link == nil else { return }
        // A camera that loses its power forgets.
        device = UVCDevice(camera)
        sensor = VirtualSensor(camera, device.values)
        link = HostLink(try .plugIn())
        report("plugged into port \(link?.portNumber ?? -1)")
    }

    private func unplug() {
        endStream()
        link = nil
        answers = []
        report("unplugged")
    }

    // MARK: Waiting

    private struct Ready: OptionSet {
        let rawValue: Int
        static let host = Ready(rawValue: 1)
        static let command = Ready(rawValue: 2)
    }

    private func wait(_ commands: CInt) -> Ready {
        let due = [
            stream.flatMap { $0.isDue || isFrozen ? nil : $0.boundary }, answers.map(\.due).min(), onTheWay.first?.due,
        ]
        let now = Clocks.monotonicNanoseconds()
        let timeout = due.compactMap { $0 }.min().map { max(0, ($0 - now + 999_999) / 1_000_000) }
        // A picture that is finished before its frame ends waits for the boundary.
        let awaited = stream.flatMap { $0.isDue && !isFrozen ? $0.renderer.finished : nil }
        var items = [
            pollfd(fd: link?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: commands, events: Int16(POLLIN), revents: 0),
            pollfd(fd: awaited?.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        poll(&items, 3, timeout.map { CInt(clamping: $0) } ?? -1)
        var ready = Ready()
        if items[0].revents != 0 { ready.insert(.host) }
        if items[1].revents != 0 { ready.insert(.command) }
        return ready
    }

    // MARK: The host

    private func receive() {
        guard let messages = link?.receive() else {
            // The host let go of the port.
            unplug()
            return
        }
        for message in messages { perform(device.receive(message)) }
    }

    private func perform(_ effects: [UVCDevice.Effect]) {
        for effect in effects {
            switch effect {
            case .reply(let reply):
                link?.send(reply)
            case .set(let control, let value, let seqnum):
                answers.append((Clocks.monotonicNanoseconds() + answerDelay, seqnum, control, value))
            case .streamOn(let mode):
                beginStream(mode)
            case .streamOff:
                endStream()
            }
        }
    }

    private func answerDue(_ now: Int64) {
        for answer in answers where answer.due <= now {
            if !isStalling { sensor.wrote(answer.control, answer.value) }
            perform(device.finish(answer.seqnum, length: answer.control.byteCount, isStalled: isStalling))
        }
        answers.removeAll { $0.due <= now }
    }

    // MARK: The stream

    private func beginStream(_ mode: VideoMode) {
        endStream()
        let renderer = FrameRenderer(seed: camera.seed, camera.character)
        let size = device.size(of: mode)
        let thread = OSThread(name: "draw") { renderer.run(size: size) }
        stream = Stream(
            mode: mode, renderer: renderer, thread: thread,
            boundary: Clocks.monotonicNanoseconds() + mode.frameDuration)
    }

    private func endStream() {
        stream?.renderer.stop()
        stream?.thread.join()
        stream = nil
        onTheWay = []
    }

    /// Ends the current frame if its time is over, and begins the next one.
    private func advance(_ now: Int64) {
        guard var current = stream, !isFrozen else { return }
        if now >= current.boundary { current.isDue = true }
        stream = current
        guard current.isDue else { return }
        if current.current != nil {
            // Its picture may not be finished yet; the frame ends when it is.
            guard let picture = current.renderer.take() else { return }
            let began = current.exposureStart
            end(picture, exposure: began...began + picture.frame.exposure.nanoseconds, now)
        }
        let frame = sensor.begin(current.mode)
        let start = Clocks.monotonicNanoseconds()
        // On a grid of its own, unless it fell behind by more than a frame.
        let next = current.boundary + frame.length
        current.boundary = next > start ? next : start + frame.length
        let exposureStart =
            camera.character.exposesLate ? max(start, current.boundary - frame.exposure.nanoseconds) : start
        let light = lamp?.light(from: exposureStart, frame.exposure.nanoseconds) ?? 1
        current.renderer.order(
            FrameRenderer.Order(frame: frame, mode: current.mode, exposureStart: exposureStart, light: light))
        (current.current, current.exposureStart) = (frame, exposureStart)
        current.isDue = false
        stream = current
    }

    /// Reads out a finished frame; none of its bytes was on the bus before.
    private func end(_ picture: FrameRenderer.Picture, exposure: ClosedRange<Int64>, _ now: Int64) {
        for (control, value) in sensor.meter(picture.frame, picture.grid) { perform(device.change(control, to: value)) }
        // No frame overtakes the one before it.
        let due = max(now + camera.latency + holdUp(of: picture.frame.number), onTheWay.last?.due ?? 0)
        onTheWay.append((due, .begin(exposure: exposure)))
        let lost = UInt32(camera.character.lostFrames)
        if broken.dropped > 0 || lost > 0 && picture.frame.number % lost == 0 {
            broken.dropped = max(0, broken.dropped - 1)
            return
        }
        var bytes = picture.bytes
        if broken.truncated > 0 {
            broken.truncated -= 1
            bytes = Array(bytes.prefix(bytes.count / 2))
        }
        let isBroken = broken.errors > 0
        if isBroken { broken.errors -= 1 }
        onTheWay.append((due, .end(exposure: exposure, bytes, isBroken: isBroken)))
    }

    /// How much longer than the latency a frame takes to reach the bus, in nanoseconds.
    private func holdUp(of frame: UInt32) -> Int64 {
        let spread = camera.jitter > 0 ? Int64.random(in: 0...camera.jitter, using: &dice) : 0
        let isStalled = camera.character.stalls > 0 && frame % UInt32(camera.character.stalls) == 0
        return spread + (isStalled ? CameraCharacter.stallLength : 0)
    }

    private func sendDue(_ now: Int64) {
        let due = onTheWay.prefix { $0.due <= now }
        onTheWay.removeFirst(due.count)
        for (_, packet) in due {
            switch packet {
            case .begin(let exposure):
                if let bytes = stream?.payload.begin(times(exposure)) { perform(device.send(bytes)) }
            case .end(let exposure, let bytes, let isBroken):
                let payload = stream?.payload.end(bytes, isBroken: isBroken, times(exposure))
                if let payload { perform(device.send(payload)) }
            }
        }
    }

    /// The times that a header sent now carries.
    private func times(_ exposure: ClosedRange<Int64>) -> DeviceTimes? {
        let now = clock.ticks(at: Clocks.monotonicNanoseconds())
        switch camera.character.clock {
        case .none: return nil
        case .exposureStart: return DeviceTimes(presentation: clock.ticks(at: exposure.lowerBound), source: now)
        case .exposureEnd: return DeviceTimes(presentation: clock.ticks(at: exposure.upperBound), source: now)
        case .frozen: return DeviceTimes(presentation: 0x1234_5678, source: now)
        case .nonsense: return DeviceTimes(presentation: .random(in: 0 ... .max, using: &dice), source: now)
        }
    }

    // MARK: Commands

    private func readCommands(_ descriptor: CInt) throws(SystemError) {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else {
            isEnded = count == 0 || errno != EINTR
            return
        }
        commandText += buffer.prefix(count)
        while let end = commandText.firstIndex(of: 10) {
            let line = String(decoding: commandText[..<end], as: UTF8.self)
            commandText.removeSubrange(...end)
            guard let command = CameraCommand(line) else {
                report("'\(line)' is not a command; the commands are: \(CameraCommand.help)")
                continue
            }
            try obey(command)
            report("done: \(line)")
        }
    }

    private func obey(_ command: CameraCommand) throws(SystemError) {
        switch command {
        case .drop(let count): broken.dropped = count
        case .truncate(let count): broken.truncated = count
        case .error(let count): broken.errors = count
        case .stallControls(let isOn): isStalling = isOn
        case .slowControls(let milliseconds): answerDelay = Int64(milliseconds) * 1_000_000
        case .freeze(let isOn): isFrozen = isOn
        case .lamp(let milliseconds): lamp = milliseconds > 0 ? Lamp(every: .milliseconds(Int64(milliseconds))) : nil
        case .unplug: unplug()
        case .plug: try plug()
        }
    }
}
