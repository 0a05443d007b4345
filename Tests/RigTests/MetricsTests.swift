import Foundation
import TestSupport
import Testing

/// Judged by Debian's Prometheus and its promtool, on the files that are shipped for them.
@Suite("A rig's numbers", .rigTimeLimit)
struct MetricsTests {
    private struct Family: Codable {
        let name: String
    }

    private let rig: LocalRig
    private let shipped = BuiltPrograms.repository.appendingPathComponent("deploy").path

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator()
        try rig.keygen("watcher", into: "watchers")
    }

    private func promtool(_ arguments: String...) throws -> ProgramResult {
        try run("/usr/bin/env", ["promtool"] + arguments)
    }

    /// What Prometheus has for a question; nil for nothing.
    private func ask(_ expression: String) throws -> String? {
        let answer = try promtool("query", "instant", "http://127.0.0.4:\(rig.controlPort)", expression)
        guard answer.status == 0, !answer.output.isEmpty else { return nil }
        return answer.output
    }

    private func start(_ name: String, _ program: String, _ arguments: [String], until sign: String) throws {
        try rig.start(name, program, arguments, rig.operatorEnvironment("watcher"))
        try rig.wait("\(name) to begin") { try rig.log(name).contains(sign) }
    }

    @Test("are scraped by Prometheus, which notices when the coordinator is gone")
    func scraped() throws {
        try rig.startNode("top", seed: 1)
        try rig.awaitReady(1)
        #expect(try rig.volley("fire", try rig.write("plan.yaml", "bracket: {burst: 2}\n"), "--wait").status == 0)
        let exporter = "127.0.0.3:\(rig.controlPort)"
        try start("exporter", "volley", ["metrics", "--listen", exporter], until: exporter)
        let configuration = try rig.write(
            "prometheus.yml",
            """
            global: {scrape_interval: 1s, evaluation_interval: 1s}
            rule_files: ['\(shipped)/prometheus/volley.rules.yml']
            scrape_configs: [{job_name: volley, static_configs: [{targets: ['\(exporter)']}]}]
            """)
        try start(
            "prometheus", "/usr/bin/env",
            [
                "prometheus",
                "--config.file=\(configuration)", "--storage.tsdb.path=\(rig.file("tsdb"))",
                "--web.listen-address=127.0.0.4:\(rig.controlPort)",
            ], until: "Server is ready")
        try rig.wait("the numbers to arrive") {
            try ask(#"volley_nodes{state="ready"} == 1 and on() volley_photos_stored_total == 2"#) != nil
        }
        for condition in [
            #"volley_node_frames_total{node="top"} > 2"#, #"volley_captures_ended_total{state="complete"} == 1"#,
            "volley_node_clock_bound_seconds < 1", "volley_node_clock_synchronized == 1",
            "volley_node_spool_free_bytes > 0", "volley_library_free_bytes > 0", #"up{job="volley"} == 1"#,
            "time() - volley_coordinator_start_time_seconds < 3600",
        ] {
            #expect(try ask(condition) != nil, "\(condition)")
        }
        // Each question of the dashboard is one that Prometheus understands.
        let dashboard = try String(contentsOfFile: shipped + "/grafana/volley.json", encoding: .utf8)
        let panels = try JSONDecoder().decode(Dashboard.self, from: Data(dashboard.utf8)).panels
        for target in panels.flatMap(\.targets) {
            let answer = try promtool("query", "instant", "http://127.0.0.4:\(rig.controlPort)", target.expr)
            #expect(answer.status == 0, "\(target.expr): \(answer.errors)")
        }
        rig.kill9("coordinator")
        try rig.wait("the alarm") { try ask(#"ALERTS{alertname="VolleyCoordinatorDown"}"#) != nil }
        #expect(rig.terminate("exporter") == 0)
    }

    private struct Dashboard: Codable {
        struct Panel: Codable {
            struct Target: Codable { let expr: String }
            let targets: [Target]
        }
        let panels: [Panel]
    }

    @Test("have the names that promtool's rules and the shipped alarms and dashboard ask for")
    func names() throws {
        try rig.startNode("top", seed: 1)
        try rig.awaitReady(1)
        let printed = try rig.volley(["metrics"], key: "watcher")
        let checked = try run("/bin/bash", ["-c", "promtool check metrics <<<\"$0\"", printed.output])
        #expect(checked.status == 0 && checked.output.isEmpty, "\(checked.output) \(checked.errors)")
        let rules = try promtool("test", "rules", shipped + "/prometheus/volley.rules.test.yml")
        #expect(rules.status == 0, "\(rules.output) \(rules.errors)")

        let json = try rig.volley(["metrics", "--json"], key: "watcher").output
        let names = Set(try JSONDecoder().decode([Family].self, from: Data(json.utf8)).map(\.name))
        for file in ["prometheus/volley.rules.yml", "grafana/volley.json"] {
            let text = try String(contentsOfFile: "\(shipped)/\(file)", encoding: .utf8)
            let asked = Set(text.matches(of: /volley_[a-z_]+/).map { String($0.output) })
            #expect(!asked.isEmpty && asked.isSubset(of: names), "\(file): \(asked.subtracting(names))")
        }
    }

    @Test("are refused to a key that may nothing, at an address that is taken, and in two ways at once")
    func refused() throws {
        try rig.keygen("stranger")
        #expect(try rig.volley(["metrics"], key: "stranger").status == 77)
        #expect(try rig.volley("metrics", "--listen", "nowhere").status == 64)
        #expect(try rig.volley("metrics", "--json", "--listen", "127.0.0.1:9670").status == 64)
        let taken = try rig.volley("metrics", "--listen", "127.0.0.1:\(rig.operatorPort)")
        #expect(taken.status == 69 && taken.errors.contains("another program listens there"), "\(taken.errors)")
    }
}
