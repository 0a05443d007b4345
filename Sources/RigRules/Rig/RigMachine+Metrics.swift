import CaptureModel
import RigClock
import RigProtocol

extension RigMachine {
    /// How the nodes are, in numbers.
    var metrics: [MetricFamily] {
        let summaries = summaries()
        var states = MetricFamily.gauge("volley_nodes", "Nodes in each state.")
        for state in NodeSummary.State.known {
            states.add(Double(summaries.count { $0.state == state }), ["state": state.rawValue])
        }
        let underWay = captures.values.count { !$0.state.isFinal }
        return [
            states, information(summaries),
            MetricFamily.gauge("volley_captures_under_way", "Captures that are not over, appointments included.")
                .with(Double(underWay)),
        ] + families(Self.presence, of: summaries)
            + families(Self.measurements, of: summaries.filter { nodes[$0.name]?.isConnected == true }) + tally.metrics
    }

    private typealias NodeMetric = (family: MetricFamily, value: (Node, RigTime) -> Double?)

    /// One family for each metric, with a sample of each node.
    private func families(_ metrics: [NodeMetric], of summaries: [NodeSummary]) -> [MetricFamily] {
        metrics.map { metric in
            var family = metric.family
            // Nobody is to be woken up for a retired one.
            for summary in summaries where summary.state != .retired {
                family.add(nodes[summary.name].flatMap { metric.value($0, now) }, ["node": summary.name.rawValue])
            }
            return family
        }
    }

    private func information(_ summaries: [NodeSummary]) -> MetricFamily {
        // What a node says of itself may be of any length.
        func short(_ text: String?) -> String { String((text ?? "").prefix(100)) }
        var family = MetricFamily.gauge("volley_node_info", "What a node is; always 1.")
        for summary in summaries where summary.state != .retired {
            let camera = summary.capabilities
            family.add(
                1,
                [
                    "node": summary.name.rawValue, "release": short(nodes[summary.name]?.software),
                    "camera": short(camera?.cameraID), "model": short(camera?.modelID),
                    "format": short(camera.map { "\($0.pixelFormat) \($0.dimensions)" }),
                ])
        }
        return family
    }

    private static func flag(_ value: Bool?) -> Double? { value.map { $0 ? 1 : 0 } }
    private static func seconds(_ nanoseconds: Int64?) -> Double? { nanoseconds.map { Double($0) / 1e9 } }

    /// What is known of a node that is away, too.
    private static var presence: [NodeMetric] {
        [
            (.gauge("volley_node_up", "Whether the node is connected."), { node, _ in flag(node.isConnected) }),
            (
                .gauge("volley_node_silence_seconds", "The time since the node was last heard."),
                { node, now in seconds(node.lastHeard.map { now - $0 }) }
            ),
            (
                .gauge("volley_node_clock_synchronized", "Whether the node knows rig time well enough to fire."),
                { node, _ in flag(node.isConnected && node.clock?.estimate.isKnown == true) }
            ),
        ]
    }

    /// What a node that is connected reported last; nil where it is not known.
    private static var measurements: [NodeMetric] {
        func counter(_ name: String, _ help: String, _ count: @escaping (CameraCounts) -> Int) -> NodeMetric {
            (
                .counter(name, help + " since the node's program started."),
                { node, _ in node.board?.camera.map { Double(count($0)) } }
            )
        }
        return [
            (
                .gauge("volley_node_clock_bound_seconds", "How far the node's idea of rig time may be off."),
                { node, _ in node.clock?.estimate.isKnown == true ? seconds(node.clock?.estimate.boundNanoseconds) : nil
                }
            ),
            (
                .gauge("volley_node_phase_seconds", "How long after the rig's grid the node's frames begin."),
                { node, _ in seconds(node.clock?.phaseNanoseconds) }
            ),
            (
                .gauge("volley_node_spool_free_bytes", "What the node's spool may still take."),
                { node, _ in node.spoolFreeBytes.map(Double.init) }
            ),
            (
                .gauge("volley_node_spool_captures", "Captures of which the node has not delivered everything."),
                { node, _ in node.keepsCount.map(Double.init) }
            ),
            (
                .gauge("volley_node_uptime_seconds", "The time since the node's program started."),
                { node, _ in (node.board?.uptimeSeconds).map(Double.init) }
            ),
            (
                .gauge("volley_node_temperature_celsius", "The temperature of the board's hottest part."),
                { node, _ in node.board?.temperature }
            ),
            (
                .gauge("volley_node_throttled", "Whether the board runs slower because of heat."),
                { node, _ in flag(node.board?.isThrottled) }
            ),
            (
                .gauge("volley_node_undervolted", "Whether the board's supply voltage is too low."),
                { node, _ in flag(node.board?.isUndervolted) }
            ),
            counter("volley_node_camera_losses_total", "Times that the camera was unplugged, or failed,", \.losses),
            counter("volley_node_frames_total", "Frames that arrived", \.frames),
            counter(
                "volley_node_frames_missing_total", "Frames that the driver counted and nobody got", \.missingFrames),
            counter("volley_node_frames_damaged_total", "Frames that the driver flagged as damaged", \.damagedFrames),
            counter("volley_node_retakes_total", "Exposures that had to be taken again", \.retakes),
        ]
    }
}
