import CaptureModel
import RigClock
import RigProtocol

/// What a rig's cameras saw of a lamp, in one or more series of frames.
struct LampSeries {
    /// An offset found from fewer changes than this is luck.
    private static let fewestEdges = 4

    /// For each series, the frames of each camera.
    let samples: [[NodeName: [FlashAnalysis.Sample]]]
    /// The last series.
    let capture: UniqueID
    let cameras: [NodeName]
    /// The source of each camera's starts; if there are several, that of most of its frames.
    private let sources: [NodeName: TimestampSource]
    /// The worst bound of each node's clock, in nanoseconds; nil if it was unknown at some point.
    private let clockBounds: [NodeName: Int64?]

    /// - Parameter series: at least one.
    init(_ series: [CaptureDetail], _ nodes: [NodeSummary]) {
        guard let last = series.last else { preconditionFailure("no series") }
        (capture, cameras) = (last.summary.uniqueID, last.nodes.map(\.node))
        let starts = series.flatMap(\.photos).compactMap { photo in
            photo.record.exposureStartSource.map { (photo.node, $0) }
        }
        let sources = Dictionary(grouping: starts, by: \.0).compactMapValues { Self.mostCommon($0.map(\.1)) }
        let known = Dictionary(nodes.map { ($0.name, $0.capabilities) }) { first, _ in first }
        samples = series.map { Self.samples($0, known, sources) }
        self.sources = sources
        clockBounds = series.flatMap(\.nodes).reduce(into: [:]) { bounds, node in
            let former = bounds[node.node] ?? .some(0)
            bounds[node.node] = .some(node.clockBound.flatMap { bound in former.map { max($0, bound) } })
        }
    }

    private static func mostCommon(_ sources: [TimestampSource]) -> TimestampSource? {
        Dictionary(grouping: sources) { $0 }.max {
            ($0.value.count, $0.key.rawValue) < ($1.value.count, $1.key.rawValue)
        }?
        .key
    }

    private static func samples(
        _ detail: CaptureDetail, _ cameras: [NodeName: CameraCapabilities?], _ sources: [NodeName: TimestampSource]
    ) -> [NodeName: [FlashAnalysis.Sample]] {
        var samples: [NodeName: [FlashAnalysis.Sample]] = [:]
        for photo in detail.photos where photo.record.exposureStartSource == sources[photo.node] {
            guard let start = photo.record.exposureStartRigTime, let brightness = photo.record.brightness,
                let uncertainty = photo.record.exposureStartUncertaintyNanoseconds,
                let exposure = photo.record.applied?.duration ?? photo.record.requested.duration
            else { continue }
            // An unknown readout takes at most a frame.
            let camera = cameras[photo.node] ?? nil
            samples[photo.node, default: []].append(
                FlashAnalysis.Sample(
                    start: start, exposure: exposure.nanoseconds, brightness: brightness, uncertainty: uncertainty,
                    readout: camera?.readoutNanoseconds ?? camera?.frameDurationNanoseconds ?? 0))
        }
        return samples
    }

    /// How well starts will be known with what was found, as far as the nodes' clocks allow. A camera for which that
    /// cannot be said is left out.
    func lamps(_ result: FlashAnalysis.Result) -> [NodeName: LampMeasurement] {
        // A clock of unknown quality proves nothing.
        let bound = result.offsets.keys.map { clockBounds[$0].flatMap { $0 } ?? .seconds(60) }.max() ?? 0
        return result.offsets.reduce(into: [:]) { lamps, node in
            let exposures = samples.flatMap { $0[node.key] ?? [] }.map(\.exposure).sorted()
            guard let uncertainty = node.value.uncertainty, let source = sources[node.key], !exposures.isEmpty else {
                return
            }
            let lamp = LampMeasurement(
                capture: capture, uncertaintyNanoseconds: uncertainty + bound,
                referenceUncertaintyNanoseconds: result.referenceUncertainty,
                exposureDuration: ExposureDuration(nanoseconds: exposures[exposures.count / 2]), source: source)
            if lamp.isPlausible { lamps[node.key] = lamp }
        }
    }

    /// Why what was found must not be kept; nil if it may be.
    func objection(to result: FlashAnalysis.Result) -> String? {
        let lamps = lamps(result)
        // The offset of a camera's own clock is kept together with its uncertainty, or not at all.
        let few = result.offsets.filter { name, offset in
            offset.edgeCount < Self.fewestEdges || sources[name] == .deviceClock && lamps[name] == nil
        }
        return few.keys.min().map { name in
            "\(name) caught too few changes of the light, so nothing was kept; try a longer --exposure, close to the "
                + "frame duration, or more --rounds."
        }
    }
}
