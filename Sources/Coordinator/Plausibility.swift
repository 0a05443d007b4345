import CaptureModel
import RigClock
import RigProtocol

// What comes over the wire may be anything: these are the ranges in which no arithmetic overflows.

extension FireRequest {
    private static let most = Int64.seconds(60)

    /// Why it is refused before anything is done; nil where it can be looked at.
    func refusal(_ wallClock: Int64) -> Refusal? {
        let times = [plan.lead, plan.maxSpread].compactMap { $0 } + (plan.offsets ?? []).map(\.nanoseconds)
        guard times.allSatisfy({ (0...Self.most).contains($0) }) else {
            return Refusal(exitCode: 65, message: "lead, maxSpread and offsets are 0 to 60 s.")
        }
        guard let at else { return nil }
        let (ahead, overflow) = at.subtractingReportingOverflow(wallClock)
        if !overflow, ahead < 0 {
            let late = -ahead
            let ago = late < 10_000_000 ? "\(Double(late) / 1000) ms" : "\(late / 1_000_000) s"
            return Refusal(exitCode: 65, message: "Nothing was fired: the time to fire was \(ago) ago.")
        }
        guard !overflow, ahead <= RigMachine.furthestFire / 1000 else {
            return Refusal(exitCode: 65, message: "Nothing was fired: the time to fire is more than a day ahead.")
        }
        return nil
    }
}

extension ClockReport {
    /// Whether its numbers can be meant.
    var isPlausible: Bool {
        let most = Int64(1) << 60
        let times = [probes.shortest, probes.median, probes.longest]
        return abs(estimate.offsetNanoseconds / 2) < most && estimate.boundNanoseconds >= 0
            && abs(estimate.asOf.nanoseconds / 2) < most && abs(estimate.rate) < 1e-2
            && times.allSatisfy { (0...Int64.seconds(3600)).contains($0) }
            && phaseNanoseconds.map { abs($0 / 2) < .seconds(3600) } ?? true
    }
}

extension SharedSettings {
    /// Whether other cameras may be told to use it.
    var isPlausible: Bool {
        let durations = exposure?.duration.map { (0...Int64.seconds(3600)).contains($0.nanoseconds) } ?? true
        return durations && whiteBalance?.isPlausible ?? true
            && [exposure?.iso, exposure?.gain].allSatisfy { $0.map { abs($0) < 1e9 } ?? true }
    }
}
