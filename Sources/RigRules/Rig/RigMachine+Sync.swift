import CaptureModel
import RigClock
import RigProtocol

/// What keeps the nodes together: one grid, one schedule, one exposure.
extension RigMachine {
    // MARK: The grid

    /// How much slower a grid is than the cameras' own pace, so that each can be made both quicker and slower.
    private static let headroom = 0.002
    /// Cameras whose paces differ by less than this are of one kind.
    private static let paceTolerance = 0.001

    /// What decides a camera's grid.
    private struct Pace: Hashable {
        let frameDuration: Int64
        let canFollow: Bool

        init(_ camera: CameraCapabilities) {
            (frameDuration, canFollow) = (camera.frameDurationNanoseconds, camera.frameDurationRange != nil)
        }

        func isOfOneKind(with other: Pace) -> Bool {
            canFollow == other.canFollow
                && abs(Double(other.frameDuration) / Double(frameDuration) - 1) < RigMachine.paceTolerance
        }
    }

    /// The grid that the frames of each node are to begin on: one for all cameras of a pace whose frames can be made
    /// longer, and one for those whose frames cannot.
    ///
    /// The latter would drift across a slower grid; on one without headroom the former could catch up only by a whole
    /// frame, and would miss the order to fire by as much.
    func grids() -> [NodeName: FrameGrid] {
        let paces = nodes.compactMapValues { $0.capabilities.map(Pace.init) }
        // Most of a thousand nodes share one pace.
        let kinds = Set(paces.values)
        let grids = kinds.map { pace -> (Pace, FrameGrid) in
            let slowest = kinds.filter(pace.isOfOneKind).map(\.frameDuration).max() ?? pace.frameDuration
            let period = pace.canFollow ? Int64(clamped: Double(slowest) * (1 + Self.headroom)) : slowest
            return (pace, FrameGrid(period: period))
        }
        let gridOfPace = Dictionary(uniqueKeysWithValues: grids)
        return paces.compactMapValues { gridOfPace[$0] }
    }

    // MARK: The schedule

    /// The first instant at which all nodes can fire, on the grid of the slowest.
    func fireTime(of record: CaptureRecord, _ ready: [NodeName]) -> RigTime {
        let earliest = now + lead(of: record, ready)
        // An appointment is kept, or missed by as much as the nodes then say.
        let wanted = record.fireAt.map { record.isPatient ? max($0, earliest) : $0 } ?? earliest
        let grids = grids()
        return ready.compactMap { grids[$0] }.max { $0.period < $1.period }?.next(from: wanted) ?? wanted
    }

    /// How long the nodes need to be ready: the longest lead that any of them asks for, and the order's way to them.
    func lead(of record: CaptureRecord, _ ready: [NodeName]) -> Int64 {
        if let lead = record.plan.lead { return lead }
        let timings = ready.compactMap { record.parts[$0]?.timing }
        let probes = ready.compactMap { nodes[$0]?.clock?.probes }
        // An order travels as the probes' answers do. With somebody waiting at the shutter, no more is allowed for.
        let isArmed = record.phase.isArmed
        let ways = probes.map { isArmed ? $0.longestAnswer ?? $0.longest : 2 * $0.longest }
        let margin = isArmed ? Self.armedMargin : Self.fireMargin
        return (timings.map(\.leadNanoseconds).max() ?? 0) + margin + min(ways.max() ?? 0, .seconds(2))
    }

    /// How far apart the nodes will begin, judging by how their frames lie on the grid now, in nanoseconds; nil where a
    /// node does not say.
    func predictedSpread(_ ready: [NodeName]) -> Int64? {
        // Phases on different grids cannot be compared.
        let grids = grids()
        guard Set(ready.map { grids[$0] }).count == 1 else { return nil }
        let phases = ready.compactMap { nodes[$0]?.clock?.phaseNanoseconds }
        guard phases.count == ready.count, ready.count > 1, let low = phases.min(), let high = phases.max() else {
            return nil
        }
        return high - low
    }

    /// Why a plan's limit cannot be kept; nil where it can. Phases on different grids cannot be compared, so each grid
    /// is judged by itself.
    func spreadObjection(_ record: CaptureRecord, _ ready: [NodeName]) -> CaptureError? {
        guard let limit = record.plan.maxSpread else { return nil }
        let known = StartUncertainty.ofSpread(ready.compactMap { record.parts[$0]?.preparedStarts })
        if ready.count > 1, known > limit {
            return CaptureError(
                .spreadTooWide,
                "Nothing was fired: how far apart the nodes begin would be known to "
                    + "±\(Plan.milliseconds(known)) ms only, as no lamp has shown all of them at once, and the plan "
                    + "allows \(Plan.milliseconds(limit)) ms. "
                    + "Run 'volley test-sync --keep' with all of them to measure it.")
        }
        let grids = grids()
        return Dictionary(grouping: ready) { grids[$0]?.period ?? 0 }.sorted { $0.key < $1.key }.lazy
            .compactMap { spreadObjection(limit, of: $0.value) }.first
    }

    private func spreadObjection(_ limit: Int64, of ready: [NodeName]) -> CaptureError? {
        guard ready.count > 1 else { return nil }
        let silent = ready.filter { nodes[$0]?.clock?.phaseNanoseconds == nil }
        guard silent.isEmpty else {
            return CaptureError(
                .spreadTooWide,
                "Nothing was fired: how the frames of \(silent.joined()) lie is not known yet, and the "
                    + "plan allows \(Plan.milliseconds(limit)) ms. Fire again in a few seconds.")
        }
        func phase(_ name: NodeName) -> Int64 { nodes[name]?.clock?.phaseNanoseconds ?? 0 }
        guard let predicted = predictedSpread(ready), predicted > limit,
            let first = ready.min(by: { phase($0) < phase($1) }), let last = ready.max(by: { phase($0) < phase($1) })
        else { return nil }
        return CaptureError(
            .spreadTooWide,
            "Nothing was fired: node \(last) would begin \(Plan.milliseconds(predicted)) ms after node \(first), and the "
                + "plan allows \(Plan.milliseconds(limit)) ms. Their frames do not lie on one grid.")
    }

    // MARK: One exposure and one white balance

    /// What all nodes are to use, from what they have reported; nil where a node that the plan names has not.
    func sharedSettings(_ record: CaptureRecord, _ ready: [NodeName]) -> SharedSettings? {
        func settled(_ name: NodeName) -> SharedSettings? {
            ready.contains(name) ? record.parts[name]?.settled : nil
        }
        var shared = SharedSettings()
        switch record.plan.metering {
        case .rigMedian:
            let exposures = ready.compactMap { settled($0)?.exposure }.filter { $0.duration != nil }
                .sorted { $0.light < $1.light }
            guard !exposures.isEmpty else { return nil }
            shared.exposure = exposures[(exposures.count - 1) / 2]
        case .node(let name):
            shared.exposure = settled(name)?.exposure
            if shared.exposure == nil { return nil }
        case nil: break
        }
        // A gain without unit means something different on every model.
        let models = Set(ready.map { nodes[$0]?.capabilities?.modelID })
        if models.count > 1 { shared.exposure?.gain = nil }
        if let source = record.plan.whiteBalance {
            shared.whiteBalance = settled(source.node)?.whiteBalance
            if shared.whiteBalance == nil { return nil }
        }
        return shared
    }
}

extension Exposure {
    /// The light that it lets in, without unit.
    fileprivate var light: Double { (duration?.seconds ?? 0) * (iso ?? 1) }
}

extension CapturePart {
    /// How well its starts will be known, by its own report; nil where it made none.
    var preparedStarts: StartUncertainty? {
        guard case .prepared(let prepared) = phase else { return nil }
        return prepared.starts
    }

    /// What the node has promised; nil unless it holds the capture ready.
    var timing: CaptureTiming? {
        if case .prepared(let prepared) = phase { prepared.timing } else { nil }
    }

    var settled: SharedSettings? {
        if case .prepared(let prepared) = phase { prepared.settled } else { nil }
    }
}
