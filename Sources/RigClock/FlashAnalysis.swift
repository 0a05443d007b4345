package import CaptureModel
import Glibc

/// When each camera saw one light go on and off, compared with what its timestamps say; pure.
///
/// A frame that is exposed while the light goes on is partly bright; how bright shows when, within the exposure:
///
/// ```
/// light            ______|¯¯¯¯¯¯¯¯¯¯¯¯¯¯¯¯¯¯¯¯
/// exposures    [----]  [----]  [----]  [----]
/// brightness     0      0.7      1       1        on at its start + (1 - 0.7) of its exposure
/// ```
///
/// All cameras see the same light: a camera that consistently sees it later than the others has timestamps that are
/// late by as much. That includes what a timestamp cannot show: readout, a driver's own queue, a rolling shutter's
/// middle.
package struct FlashAnalysis: Sendable {
    /// A frame of one camera.
    package struct Sample: Sendable, Hashable {
        /// When its exposure began, by the camera's own timestamp.
        package let start: RigTime
        /// In nanoseconds.
        package let exposure: Int64
        /// Linear, in any unit that stays the same for the camera.
        package let brightness: Double
        /// How well the start is known on its own, in nanoseconds.
        package let uncertainty: Int64
        /// From the first line to the last, in nanoseconds; nobody knows which of them the light falls on.
        package let readout: Int64

        package init(start: RigTime, exposure: Int64, brightness: Double, uncertainty: Int64, readout: Int64) {
            self.start = start
            self.readout = readout
            self.uncertainty = uncertainty
            self.exposure = exposure
            self.brightness = brightness
        }
    }

    /// How far one camera's timestamps are off.
    package struct Offset: Sendable, Hashable {
        /// To be added to its timestamps, in nanoseconds.
        package let nanoseconds: Int64
        /// How far single edges are from it, root mean square, in nanoseconds.
        package let scatter: Int64
        /// How many changes of the light it was measured at.
        package let edgeCount: Int
        /// How far any other start of the camera can lie from its corrected timestamp, relative to the other cameras,
        /// in nanoseconds; nil where too few edges were seen to say.
        package let uncertainty: Int64?
    }

    /// What a light showed about all cameras.
    package struct Result: Sendable, Hashable {
        /// For each camera that saw it.
        package var offsets: [NodeName: Offset] = [:]
        /// The least period that the light needed, in nanoseconds, where its own was shorter: the cameras may have
        /// taken one flash for the next, and none of the results holds. Nil where it was slow enough.
        package var neededPeriod: Int64?
        /// How well the starts of the camera that the others were measured against are known on their own, in
        /// nanoseconds.
        package var referenceUncertainty: Int64 = 0
    }

    private struct Edge {
        let camera: NodeName
        let time: Int64
        let isOn: Bool
    }

    /// One change of the light, as each camera saw it.
    private typealias Change = [NodeName: Double]

    /// The least change in brightness, as a share of the brightest frame, at which a camera has seen the light.
    private static let leastContrast = 0.15
    /// Edges of two cameras that are this far apart, in nanoseconds, are not the same one; where their timestamps may
    /// be off by more, that distance counts instead.
    private static let reach = Int64.milliseconds(40)
    /// Fewer edges than this say nothing about where the next one may lie.
    private static let fewestForUncertainty = 5
    /// This many samples of a bounded jitter show half of it on either side of their mean, but for one time in 256;
    /// fewer show a third.
    private static let fewestForHalf = 8
    /// Steps of the fit; each leaves a small share of the error of the one before.
    private static let iterations = 50

    /// How far each camera is off relative to one of them; a camera that did not see the light is left out.
    ///
    /// - Parameter rounds: each without a gap, all with the same cameras.
    package static func result(of rounds: [[NodeName: [Sample]]]) -> Result {
        let cameras = rounds.reduce(into: [NodeName: [Sample]]()) { $0.merge($1, uniquingKeysWith: +) }
        let edges = rounds.map { $0.mapValues(Self.edges) }
            .reduce(into: [NodeName: [(time: Int64, isOn: Bool)]]()) { $0.merge($1, uniquingKeysWith: +) }
            .filter { !$0.value.isEmpty }
        guard edges.count > 1 else { return Result() }
        let known = cameras.filter { edges[$0.key] != nil }.compactMapValues { $0.map(\.uncertainty).max() }
        let reach = max(reach, known.values.sorted().suffix(2).reduce(0, +))
        let all = edges.flatMap { name, edges in edges.map { Edge(camera: name, time: $0.time, isOn: $0.isOn) } }
        let (late, residuals) = lateness(changes(all, of: edges.count, within: reach))
        guard let reference = reference(known.filter { late[$0.key] != nil }, late), let zero = late[reference] else {
            return Result()
        }
        var result = Result()
        for (name, late) in late {
            let readout = cameras[name]?.map(\.readout).max() ?? 0
            result.offsets[name] = offset(late - zero, residuals[name] ?? [], readout)
        }
        result.referenceUncertainty = (known[reference] ?? 0) + (result.offsets[reference]?.uncertainty ?? 0)
        if edges.values.contains(where: { shortestPeriod($0) < 2 * reach }) { result.neededPeriod = 2 * reach }
        return result
    }

    /// The shortest time from one change to the next one of its kind, in nanoseconds.
    private static func shortestPeriod(_ edges: [(time: Int64, isOn: Bool)]) -> Int64 {
        [true, false].flatMap { isOn in
            let times = edges.filter { $0.isOn == isOn }.map(\.time).sorted()
            return zip(times.dropFirst(), times).map { $0 - $1 }
        }.min() ?? .max
    }

    /// The one that the others are measured against: in the middle of those whose starts are known best.
    private static func reference(_ known: [NodeName: Int64], _ late: [NodeName: Double]) -> NodeName? {
        let best = known.values.min() ?? 0
        let candidates = known.keys.filter { known[$0, default: 0] <= 2 * best }
            .sorted { (late[$0, default: 0], $0) < (late[$1, default: 0], $1) }
        return candidates[safe: candidates.count / 2]
    }

    /// Groups of edges close to each other that more than half of all cameras saw.
    private static func changes(_ all: [Edge], of cameraCount: Int, within reach: Int64) -> [Change] {
        [true, false].flatMap { isOn in
            var groups: [[Edge]] = []
            for edge in all.filter({ $0.isOn == isOn }).sorted(by: { ($0.time, $0.camera) < ($1.time, $1.camera) }) {
                if let first = groups.last?.first, edge.time - first.time < reach {
                    groups[groups.count - 1].append(edge)
                } else {
                    groups.append([edge])
                }
            }
            return groups.map { Change($0.map { ($0.camera, Double($0.time)) }) { first, _ in first } }
                .filter { $0.count > max(1, cameraCount / 2) }
        }
    }

    /// How late each camera sees the changes, and how far single edges are off from that: least squares of
    /// edge = change + lateness, for each of the two in turn, since not every camera sees every change.
    private static func lateness(_ changes: [Change]) -> (late: [NodeName: Double], residuals: [NodeName: [Double]]) {
        var late: [NodeName: Double] = [:]
        for change in changes { for camera in change.keys { late[camera] = 0 } }
        var residuals: [NodeName: [Double]] = [:]
        for _ in 0..<iterations {
            residuals = [:]
            for change in changes {
                let time = change.reduce(0) { $0 + $1.value - (late[$1.key] ?? 0) } / Double(change.count)
                for (camera, edge) in change {
                    residuals[camera, default: []].append(edge - time - (late[camera] ?? 0))
                }
            }
            for (camera, off) in residuals { late[camera, default: 0] += off.reduce(0, +) / Double(off.count) }
        }
        return (late, residuals)
    }

    /// - Parameter readout: how long after the first line the lines that the light falls on may begin.
    private static func offset(_ late: Double, _ residuals: [Double], _ readout: Int64) -> Offset {
        let square = residuals.reduce(0) { $0 + $1 * $1 } / Double(max(1, residuals.count))
        let farthest = residuals.map(abs).max() ?? 0
        let widening = residuals.count < fewestForHalf ? 3.0 : 2
        let uncertainty =
            residuals.count < fewestForUncertainty
            ? nil : Int64(clamped: min(widening * farthest, 1e18)) + .milliseconds(1) + (readout + 1) / 2
        // Seen late by its own stamps: the stamps are too late.
        return Offset(
            nanoseconds: -Int64(clamped: max(late.rounded(), -9e18)), scatter: Int64(clamped: square.squareRoot()),
            edgeCount: residuals.count,
            uncertainty: uncertainty)
    }

    private static func edges(_ samples: [Sample]) -> [(time: Int64, isOn: Bool)] {
        let sorted = samples.sorted { $0.start < $1.start }
        let levels = sorted.map(\.brightness).sorted()
        guard let dark = levels.first, let bright = levels.last, bright - dark > leastContrast * bright else {
            return []
        }
        let shares = sorted.map { ($0.brightness - dark) / (bright - dark) }
        var edges: [(index: Int, time: Int64, isOn: Bool)] = []
        for index in 1..<max(1, sorted.count - 1) {
            let (before, here, after) = (shares[index - 1], shares[index], shares[index + 1])
            // Only a frame that has both dark and light shows when.
            guard (0.05...0.95).contains(here), abs(after - before) > 0.7 else { continue }
            let isOn = after > before
            // The frame before one that has nearly all of a change looks like one that has a little of it.
            if let last = edges.last, last.index == index - 1, last.isOn == isOn {
                guard abs(here - 0.5) < abs(shares[last.index] - 0.5) else { continue }
                edges.removeLast()
            }
            let share = isOn ? 1 - here : here
            let middle = sorted[index].start.nanoseconds + sorted[index].readout / 2
            edges.append((index, middle + Int64(clamped: min(share * Double(sorted[index].exposure), 1e18)), isOn))
        }
        return edges.map { ($0.time, $0.isOn) }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
