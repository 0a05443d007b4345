import CaptureModel
import PhotoCapture

/// What a way of bracketing made of a sensor.
struct BracketOutcome {
    /// From the start of the first taken frame to the end of the last one, over the sum of the steps' own frames.
    let spanRatio: Double
    /// From the first to the last taken frame.
    let frames: Int
    /// Frames in between that are no step.
    let wasted: Int
    /// Steps whose frame has another exposure than it says.
    let mislabelled: Int
    /// Frames that were lost in between, and shortly before.
    let drops: Int

    init(_ taken: [(step: Exposure, frame: VirtualSensor.Frame)], drops: Int) {
        let frames = taken.map(\.frame).sorted { $0.number < $1.number }
        let bound = taken.reduce(Int64(0)) { sum, item in
            sum + max(VirtualSensor.shortestFrame, (item.step.duration?.nanoseconds ?? 0) + VirtualSensor.margin)
        }
        let span =
            frames.isEmpty ? 0 : frames[frames.count - 1].start + frames[frames.count - 1].length - frames[0].start
        spanRatio = Double(span) / Double(bound)
        self.frames = frames.isEmpty ? 0 : Int(frames[frames.count - 1].number - frames[0].number) + 1
        wasted = self.frames - frames.count
        mislabelled = taken.count { $0.frame.exposure != $0.step }
        self.drops = drops
    }
}

/// The three ways.
enum Contestants {
    /// Volley's machine, with the exposure that each frame tells.
    static func volley(
        _ steps: [Exposure], _ start: VirtualSensor, _ delays: ControlDelays
    ) -> BracketOutcome {
        var sensor = start
        var machine = BracketMachine(
            steps: steps.map(VirtualSensor.values), delays: delays, frameDuration: VirtualSensor.shortestFrame,
            fireTime: nil, retakeLimit: 1000)
        var taken: [(Exposure, VirtualSensor.Frame)] = []
        var drops = 0
        var (isFinished, hasStarted) = (false, false)
        while !isFinished {
            guard let frame = sensor.next() else {
                if hasStarted { drops += 1 }
                continue
            }
            var actions = machine.frame(
                FrameInfo(
                    sequence: frame.number, timestamp: MonotonicTime(nanoseconds: frame.start),
                    stamp: .startOfExposure, exposure: frame.exposure))
            while !actions.isEmpty {
                switch actions.removeFirst() {
                case .write(_, let values):
                    hasStarted = true
                    sensor.write(values)
                case .take(let step):
                    taken.append((steps[step], frame))
                    actions += machine.judged(step, .accepted)
                case .finish: isFinished = true
                case .reference, .willCapture, .fail: continue
                }
            }
        }
        return BracketOutcome(taken, drops: drops)
    }

    /// Volley's machine with its verifier, which has nothing but the pictures.
    static func hidden(
        _ steps: [Exposure], _ start: VirtualSensor, _ delays: ControlDelays, _ oracle: PictureOracle
    ) -> (mislabelled: Int, verified: Int) {
        var (sensor, oracle) = (start, oracle)
        var verifier = ExposureVerifier(profile: PictureOracle.profile(delays))
        var machine = BracketMachine(
            steps: steps.map(VirtualSensor.values), delays: delays, frameDuration: VirtualSensor.shortestFrame,
            fireTime: nil, retakeLimit: 1000)
        var (mislabelled, verified, isFinished) = (0, 0, false)
        while !isFinished {
            guard let frame = sensor.next() else { continue }
            let info = FrameInfo(
                sequence: frame.number, timestamp: MonotonicTime(nanoseconds: frame.start),
                stamp: .startOfExposure)
            var actions = machine.frame(info)
            while !actions.isEmpty {
                switch actions.removeFirst() {
                case .write(_, let values): sensor.write(values)
                case .reference:
                    verifier.addReference(
                        frame.number, oracle.grid(frame.exposure), VirtualSensor.firstExposure)
                case .take(let step):
                    switch verifier.judge(oracle.grid(frame.exposure), wanted: steps[step]) {
                    case .verified:
                        verified += 1
                        if oracle.isOther(frame.exposure, steps[step]) { mislabelled += 1 }
                        actions += machine.judged(step, .accepted)
                    case .unverifiable: actions += machine.judged(step, .accepted)
                    case .mismatch:
                        let error = CaptureError(.exposureMismatch, "its frame has other light")
                        actions += machine.judged(step, .rejected(error))
                    }
                case .finish: isFinished = true
                case .willCapture, .fail: continue
                }
            }
        }
        return (mislabelled, verified)
    }

    /// What scripts do: write, leave three frames out, take the next, whatever it has.
    static func skipThree(_ steps: [Exposure], _ start: VirtualSensor) -> BracketOutcome {
        var sensor = start
        var taken: [(Exposure, VirtualSensor.Frame)] = []
        _ = sensor.next()
        for step in steps {
            sensor.write(VirtualSensor.values(step))
            var skipped = 0
            while skipped < 3 { if sensor.next() != nil { skipped += 1 } }
            while true {
                guard let frame = sensor.next() else { continue }
                taken.append((step, frame))
                break
            }
        }
        return BracketOutcome(taken, drops: 0)
    }

    /// libcamera's DelayedControls (src/ipa/libipa, src/libcamera/delayed_controls.cpp): a ring of 16 control sets,
    /// one pushed each frame; at each frame's start a control is written from the set that is its delay old. Frames
    /// are matched with the set that was pushed for them; what was missed is pushed again at the end.
    static func delayedControls(
        _ steps: [Exposure], _ start: VirtualSensor, _ delays: ControlDelays
    ) -> BracketOutcome {
        var sensor = start
        var taken: [(Exposure, VirtualSensor.Frame)] = []
        var pending = Array(steps.indices)
        while !pending.isEmpty {
            let round = pending
            var sets: [UInt32: Int] = [:]
            var queue: [(frame: UInt32, step: Int)] = []
            var pushed = 0
            while pushed < round.count || !queue.isEmpty {
                guard let frame = sensor.next() else { continue }
                if let step = sets[frame.number], let place = pending.firstIndex(of: step) {
                    taken.append((steps[step], frame))
                    pending.remove(at: place)
                }
                if pushed < round.count {
                    let target = frame.number &+ UInt32(delays.longest)
                    sets[target] = round[pushed]
                    queue.append((target, round[pushed]))
                    pushed += 1
                }
                for item in queue {
                    let values = VirtualSensor.values(steps[item.step])
                    for control in [CameraControl.frameDuration, .exposureDuration, .gain]
                    where item.frame &- UInt32(delays[control]) == frame.number {
                        sensor.write(values.only(control))
                    }
                }
                queue.removeAll { $0.frame <= frame.number }
            }
        }
        return BracketOutcome(taken, drops: 0)
    }
}
