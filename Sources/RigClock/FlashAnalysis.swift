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
/// All cameras see the same light: who sees it constantly later than the others has timestamps that are so much early.
/// What a timestamp cannot show (readout, a driver's own queue, a rolling shutter's middle) is in there.
package struct FlashAnalysis: Sendable {
    /// A frame of one camera.
    package struct Sample: Sendable, Hashable {
        package let start: RigTime
        /// In nanoseconds.
        package let exposure: Int64
        /// Linear, in any unit that stays the same for the camera.
        package let brightness: Double

        package init(start: RigTime, exposure: Int64, brightness: Double) {
            self.start = start
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
    }

    private struct Edge {
        let time: Int64
        let isOn: Bool
    }

    /// A camera must see the light change its brightness by so large a share.
    private static let leastContrast = 0.15
    /// Edges of two cameras that lie so far apart are not the same one, in nanoseconds.
    private static let reach = Int64.milliseconds(120)

    /// What each camera is off against the middle of them all; one that did not see the light is left out.
    package static func offsets(of cameras: [String: [Sample]]) -> [String: Offset] {
        let edges = cameras.mapValues(edges).filter { !$0.value.isEmpty }
        guard edges.count > 1 else { return [:] }
        let common = commonEdges(edges.values.flatMap { $0 }, of: edges.count)
        return edges.compactMapValues { offset(of: $0, common) }
    }

    /// Each edge as most cameras saw it: the median of those near each other.
    private static func commonEdges(_ all: [Edge], of cameraCount: Int) -> [Edge] {
        var groups: [[Edge]] = []
        for edge in all.sorted(by: { $0.time < $1.time }) {
            if let first = groups.last?.first, first.isOn == edge.isOn, edge.time - first.time < reach {
                groups[groups.count - 1].append(edge)
            } else {
                groups.append([edge])
            }
        }
        return groups.filter { $0.count > cameraCount / 2 }.map { group in
            Edge(time: group.map(\.time).sorted()[group.count / 2], isOn: group[0].isOn)
        }
    }

    private static func offset(of own: [Edge], _ common: [Edge]) -> Offset? {
        var late: [Double] = []
        for edge in own {
            let distances = common.filter { $0.isOn == edge.isOn }.map { edge.time - $0.time }
            if let nearest = distances.min(by: { abs($0) < abs($1) }), abs(nearest) < reach {
                late.append(Double(nearest))
            }
        }
        guard !late.isEmpty else { return nil }
        let mean = late.reduce(0, +) / Double(late.count)
        let square = late.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(late.count)
        // Seen late by its own stamps: the stamps are too late.
        return Offset(nanoseconds: -Int64(mean.rounded()), scatter: Int64(square.squareRoot()), edgeCount: late.count)
    }

    private static func edges(_ samples: [Sample]) -> [Edge] {
        let sorted = samples.sorted { $0.start < $1.start }
        let levels = sorted.map(\.brightness).sorted()
        guard let dark = levels.first, let bright = levels.last, bright - dark > leastContrast * bright else {
            return []
        }
        let shares = sorted.map { ($0.brightness - dark) / (bright - dark) }
        var edges: [Edge] = []
        for index in 1..<max(1, sorted.count - 1) {
            let (before, here, after) = (shares[index - 1], shares[index], shares[index + 1])
            // Only a frame that has both tells when.
            guard (0.08...0.92).contains(here), abs(after - before) > 0.7 else { continue }
            let isOn = after > before
            let share = isOn ? 1 - here : here
            let time = sorted[index].start.nanoseconds + Int64(share * Double(sorted[index].exposure))
            edges.append(Edge(time: time, isOn: isOn))
        }
        return edges
    }
}
