import CaptureModel
import PhotoCapture
import Synchronization
import Testing

/// AVCaptureSession and AVCaptureVideoDataOutput.
@Suite("AVCaptureSession", .timeLimit(.minutes(1)))
struct SessionRules {
    @Test("start and stop between begin and commit of a configuration are refused")
    func configuring() throws {
        let studio = try Studio(isRunning: false)
        studio.session.beginConfiguration()
        studio.session.beginConfiguration()
        #expect(throws: CaptureError.self) { try studio.session.startRunning() }
        try studio.session.commitConfiguration()
        #expect(throws: CaptureError.self) { try studio.session.startRunning() }
        try studio.session.commitConfiguration()
        try studio.session.startRunning()
        #expect(studio.session.isRunning)
    }

    @Test("changes are made at the outermost commit")
    func commit() throws {
        let studio = try Studio()
        studio.session.beginConfiguration()
        try studio.session.setActiveFormat(studio.camera.formats[1])
        #expect(studio.camera.capabilities.dimensions.width == 64)
        try studio.session.commitConfiguration()
        #expect(studio.camera.capabilities.dimensions.width == 128 && studio.session.isRunning)
    }

    @Test("a lost camera interrupts the session; when it is back, the interruption ends and captures go on")
    func interruption() async throws {
        let studio = try Studio()
        var events = studio.session.events.makeAsyncIterator()
        #expect(await events.next() == .didStartRunning)
        studio.camera.unplug()
        guard case .wasInterrupted(let error) = await events.next() else {
            Issue.record("no interruption")
            return
        }
        #expect(error.code == .deviceWasDisconnected && studio.session.isInterrupted)
        await #expect(throws: CaptureError.self) { try await studio.output.prepare(PhotoSettings()) }
        studio.camera.plug()
        #expect(await events.next() == .interruptionEnded)
        studio.camera.deliver(12)
        #expect(photos(try await studio.capture(try manual([1, 2]))).count == 2)
    }

    @Test("the settings of the device outlive an interruption")
    func settingsOutlive() async throws {
        let studio = try Studio()
        let device = studio.device
        try device.lockForConfiguration()
        _ = try await studio.frames { try await device.setExposureModeCustom(iso: .value(800)) }
        try device.setExposureTargetBias(.value(1))
        let before = (studio.camera.written.count, studio.camera.automatics.count)
        studio.camera.unplug()
        studio.camera.plug()
        for await event in studio.session.events where event == .interruptionEnded { break }
        let after = studio.camera.written.dropFirst(before.0)
        #expect(after.last?.iso == 800, "written anew")
        #expect(after.allSatisfy { $0.lensPosition == nil && $0.whiteBalance == nil }, "automatics stay automatic")
        #expect(studio.camera.automatics.dropFirst(before.1).contains(.focus(isOn: true, .none)))
        #expect(device.properties.value.exposureMode == .custom && device.properties.value.exposureTargetBias == 1)
    }

    @Test("a reader who takes no frames holds nobody up")
    func slowReader() async throws {
        let studio = try Studio()
        let output = VideoDataOutput(poolSize: 1)
        try studio.session.addOutput(output)
        let frames = output.frames()
        studio.camera.deliver(20)
        var iterator = frames.makeAsyncIterator()
        var held = await iterator.next()
        // News of drops fills what can wait; then the pool's place is free, and there is no room for its frame.
        studio.camera.deliver(20)
        guard case .frame = held else {
            Issue.record("no frame")
            return
        }
        held = nil
        studio.camera.deliver(20)
    }

    @Test("a session that was stopped while it was interrupted does not come back by itself")
    func stopped() async throws {
        let studio = try Studio()
        var events = studio.session.events.makeAsyncIterator()
        studio.camera.unplug()
        try studio.session.stopRunning()
        studio.camera.plug()
        #expect(!studio.session.isRunning && !studio.session.isInterrupted)
        // What it tells next is that it was started by hand.
        try studio.session.startRunning()
        var told: [CaptureSession.Event] = []
        while told.count < 4, let event = await events.next() { told.append(event) }
        #expect(told[0] == .didStartRunning && told[2] == .didStopRunning && told[3] == .didStartRunning)
    }

    @Test("a session that is interrupted can be started by hand")
    func restarted() async throws {
        let studio = try Studio()
        studio.camera.unplug()
        studio.camera.plug()
        try studio.session.startRunning()
        #expect(studio.session.isRunning)
        studio.camera.deliver(12)
        #expect(photos(try await studio.capture(try manual([1, 2]))).count == 2)
    }

    // MARK: Video data

    @Test("video frames come in order; a pool that is held full drops, and says why")
    func video() async throws {
        let studio = try Studio()
        let output = VideoDataOutput(poolSize: 2)
        try studio.session.addOutput(output)
        var frames = output.frames().makeAsyncIterator()
        studio.camera.deliver(3)
        var held: [VideoFrame] = []
        for _ in 0..<2 { if case .frame(let frame) = await frames.next() { held.append(frame) } }
        #expect(held.count == 2 && held[1].info.sequence == held[0].info.sequence + 1)
        guard case .dropped(.outOfBuffers, 1) = await frames.next() else {
            Issue.record("no drop")
            return
        }
        held = []
        studio.camera.deliver()
        guard case .frame = await frames.next() else {
            Issue.record("the pool is not free again")
            return
        }
    }

    @Test("video frames may be dropped for a bracket's sake, as a discontinuity")
    func bracketFirst() async throws {
        let studio = try Studio()
        let output = VideoDataOutput(poolSize: 64)
        try studio.session.addOutput(output)
        let frames = output.frames()
        _ = try await studio.capture(try manual([1, 2, 4]))
        var reasons: Set<VideoDataOutput.DropReason> = []
        for await item in frames {
            if case .dropped(let reason, _) = item {
                reasons.insert(reason)
                break
            }
        }
        #expect(reasons == [.discontinuity])
    }
}
