import CaptureModel
import Programs
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

    /// What is kept of a result, and why not all of it.
    struct Keeping {
        /// What is added to the stamps of cameras, in nanoseconds.
        var moves: [NodeName: Int64] = [:]
        /// How well their starts are then known.
        var lamps: [NodeName: LampMeasurement] = [:]
        /// Why nothing is kept for the others, in words that follow their names.
        var left: [NodeName: String] = [:]
    }

    /// What of a result makes starts better known than they are.
    func keeping(_ result: FlashAnalysis.Result) -> Keeping {
        let lamps = lamps(result)
        var keeping = Keeping()
        for (name, offset) in result.offsets {
            switch Self.verdict(offset, lamps[name], stated: statedUncertainty(name)) {
            case .kept(let nanoseconds, let lamp): (keeping.moves[name], keeping.lamps[name]) = (nanoseconds, lamp)
            case .left(let reason): keeping.left[name] = reason
            }
        }
        return keeping
    }

    /// What becomes of what was found of a camera.
    enum Verdict: Hashable {
        case kept(nanoseconds: Int64, LampMeasurement)
        /// Why not, in words that follow the camera's name.
        case left(String)
    }

    /// A correction counts only where it is larger than its own uncertainty, and a measurement only where the camera's
    /// stamps state less, or are shown to be wrong.
    ///
    /// - Parameters:
    ///   - lamp: how well the starts are then known; nil where that cannot be said.
    ///   - stated: how well the stamps say that they are known, in nanoseconds.
    static func verdict(_ offset: FlashAnalysis.Offset, _ lamp: LampMeasurement?, stated: Int64) -> Verdict {
        guard offset.edgeCount >= fewestEdges, var lamp, let uncertainty = offset.correctionUncertainty else {
            return .left(
                "caught too few changes of the light; try a longer --exposure, close to the frame duration, or more "
                    + "--rounds")
        }
        let size = abs(offset.nanoseconds)
        let isReal = size > uncertainty
        // What is not corrected is off by as much as before.
        if !isReal { lamp.uncertaintyNanoseconds += size }
        guard lamp.uncertaintyNanoseconds < stated || isReal && size > stated + uncertainty else {
            let then = Sentences.milliseconds(lamp.uncertaintyNanoseconds)
            return .left("is known to ±\(Sentences.milliseconds(stated)) without this, and would be to ±\(then)")
        }
        return .kept(nanoseconds: isReal ? offset.nanoseconds : 0, lamp)
    }

    /// How well the starts of a camera are known by themselves, in nanoseconds: the median.
    private func statedUncertainty(_ name: NodeName) -> Int64 {
        let all = samples.flatMap { $0[name] ?? [] }.map(\.uncertainty).sorted()
        return all.isEmpty ? .seconds(60) : all[all.count / 2]
    }
}
