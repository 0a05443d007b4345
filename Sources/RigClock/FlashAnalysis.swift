package import CaptureModel
import Glibc

/// When each camera saw one light go on and off, against what its timestamps say; pure.
///
/// A frame that is exposed while the light goes on is partly bright; how bright says when, within the exposure:
///
/// ```
/// light            ______|¯¯¯¯¯¯¯¯¯¯¯¯¯¯¯¯¯¯¯¯
/// exposures    [----]  [----]  [----]  [----]
/// brightness     0      0.7      1       1        on at its start + (1 - 0.7) of its exposure
/// ```
///
/// All cameras see the same light: who sees it constantly later than the others has timestamps that are early by as much.
/// What a timestamp cannot show (readout, a driver's own queue, a rolling shutter's middle) is in there.
package struct FlashAnalysis: Sendable {
    /// A frame of one camera.
    package struct Sample: Sendable, Hashable {
        package let start: RigTime
        /// In nanoseconds.
        package let exposure: Int64
        /// Linear, in any unit that stays the same for the camera.
        package let brightness: Double
        /// How well the start is known by itself, in nanoseconds.
        package let uncertainty: Int64
        /// From the first line to the last, in nanoseconds; which of them the light falls on nobody knows.
        package let readout: Int64

        package init(start: RigTime, exposure: Int64, brightness: Double, uncertainty: Int64, readout: Int64) {
            self.start = start
            self.readout = readout
            self.uncertainty = uncertainty
            self.exposure = exposure
            self.brightness = brightness
        }
    }

    /// What one camera's timestamps are off by.
    package struct Offset: Sendable, Hashable {
        /// To be added to its timestamps, in nanoseconds.
        package let nanoseconds: Int64
        /// How far single edges are from it, root mean square, in nanoseconds.
        package let scatter: Int64
        package let edgeCount: Int
        /// Another start of the camera lies within this of its corrected stamp, against the other cameras, in
        /// nanoseconds; nil where too few edges were seen to say.
        package let uncertainty: Int64?
    }

    /// What a light showed of all cameras.
    package struct Result: Sendable, Hashable {
        /// Of each camera that saw it.
        package var offsets: [String: Offset] = [:]
        /// From one going on of the light to the next it took less than this, in nanoseconds, by which the cameras may
        /// have taken one for the next: nothing that was found holds. Nil where it was slow enough.
        package var neededPeriod: Int64?
        /// How well the starts of the one that the others were measured against are known by themselves, in
        /// nanoseconds.
        package var referenceUncertainty: Int64 = 0
    }

    private struct Edge {
        let camera: String
        let time: Int64
        let isOn: Bool
    }

    /// One change of the light, as each camera saw it.
    private typealias Change = [String: Double]

    /// The least share by which a camera must see the light change its brightness.
    private static let leastContrast = 0.15
    /// The distance from which on edges of two cameras are not the same one, in nanoseconds; or as far as their stamps may be
    /// off, if that is more.
    private static let reach = Int64.milliseconds(40)
    /// So few edges say nothing of what the next one may be.
    private static let fewestForUncertainty = 5
    /// Of a bounded jitter so many show half on either side of their mean, but for one time in 256; fewer show a third.
    private static let fewestForHalf = 8
    /// Steps of the fit; each leaves a small share of what the one before was off.
    private static let iterations = 50

    /// What each camera is off against one of them; one that did not see the light is left out.
    ///
    /// - Parameter rounds: each without a gap, of the same cameras.
    package static func result(of rounds: [[String: [Sample]]]) -> Result {
        let cameras = rounds.reduce(into: [String: [Sample]]()) { $0.merge($1, uniquingKeysWith: +) }
        let edges = rounds.map { $0.mapValues(Self.edges) }
            .reduce(into: [String: [(time: Int64, isOn: Bool)]]()) { $0.merge($1, uniquingKeysWith: +) }
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
    private static func reference(_ known: [String: Int64], _ late: [String: Double]) -> String? {
        let best = known.values.min() ?? 0
        let candidates = known.keys.filter { known[$0, default: 0] <= 2 * best }
            .sorted { (late[$0, default: 0], $0) < (late[$1, default: 0], $1) }
        return candidates[safe: candidates.count / 2]
    }

    /// Edges near each other, of more than half of all cameras.
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

    /// How late each camera sees every change, and what single edges are off from that: least squares of
    /// edge = change + lateness, each in turn, since not every camera sees every change.
    private static func lateness(_ changes: [Change]) -> (late: [String: Double], residuals: [String: [Double]]) {
        var late: [String: Double] = [:]
        for change in changes { for camera in change.keys { late[camera] = 0 } }
        var residuals: [String: [Double]] = [:]
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

    /// - Parameter readout: the lines that the light falls on begin that much after the first at most.
    private static func offset(_ late: Double, _ residuals: [Double], _ readout: Int64) -> Offset {
        let square = residuals.reduce(0) { $0 + $1 * $1 } / Double(max(1, residuals.count))
        let farthest = residuals.map(abs).max() ?? 0
        let widening = residuals.count < fewestForHalf ? 3.0 : 2
        let uncertainty =
            residuals.count < fewestForUncertainty
            ? nil : Int64(widening * farthest) + .milliseconds(1) + (readout + 1) / 2
        // Seen late by its own stamps: the stamps are too late.
        return Offset(
            nanoseconds: -Int64(late.rounded()), scatter: Int64(square.squareRoot()), edgeCount: residuals.count,
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
            // Only a frame that has both tells when.
            guard (0.05...0.95).contains(here), abs(after - before) > 0.7 else { continue }
            let isOn = after > before
            // The frame before one that has nearly all of a change looks like one that has a little of it.
            if let last = edges.last, last.index == index - 1, last.isOn == isOn {
                guard abs(here - 0.5) < abs(shares[last.index] - 0.5) else { continue }
                edges.removeLast()
            }
            let share = isOn ? 1 - here : here
            let middle = sorted[index].start.nanoseconds + sorted[index].readout / 2
            edges.append((index, middle + Int64(share * Double(sorted[index].exposure)), isOn))
        }
        return edges.map { ($0.time, $0.isOn) }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
