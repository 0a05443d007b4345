import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("A rig that is updated", .rigTimeLimit)
struct UpdateTests {
    private let rig: LocalRig

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator()
        for (index, name) in ["a", "b", "c"].enumerated() { try rig.startNode(name, seed: index + 1) }
        try rig.awaitReady(3)
    }

    /// Stops a node as an upgrade does, fires with the others, and starts it again.
    private func script(_ end: String = "") throws -> String {
        let node = BuiltPrograms.folder.appendingPathComponent("volley-node").path
        let volley = BuiltPrograms.folder.appendingPathComponent("volley").path
        for name in ["a", "b", "c"] { _ = try rig.write("\(name).pid", "\(rig.processID(name))") }
        return try rig.write(
            "update.sh",
            """
            cd "$(dirname "$0")"
            kill -TERM "$(cat $1.pid)" && while kill -0 "$(cat $1.pid)" 2>/dev/null; do sleep 0.05; done
            \(volley) fire two.yaml --wait >>fired.txt; test $? = 2 || exit 3
            \(end)
            # The settings of whoever updates are not the node's, nor are the files by which the test waits for this.
            (
                for number in $(ls /proc/self/fd); do ((number < 3)) || eval "exec $number>&-"; done
                unset VOLLEY_KEY VOLLEY_COORDINATOR_KEY VOLLEY_COORDINATOR
                exec setsid \(node) --config $1.yaml >$1.again.log 2>&1 </dev/null
            ) &
            echo $! >$1.pid
            """)
    }

    private func stop(_ nodes: String...) {
        for node in nodes {
            let text = try? String(contentsOfFile: rig.file("\(node).pid"), encoding: .utf8)
            guard let id = text.flatMap({ pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) else { continue }
            kill(id, SIGKILL)
        }
    }

    @Test("fires on with its quorum, node by node, and says what runs where")
    func rolls() throws {
        _ = try rig.write("two.yaml", "bracket: {burst: 2}\npolicy: {atLeast: 2}\n")
        let script = try script()
        defer { stop("a", "b", "c") }
        let updated = try rig.volley("nodes", "update", "bash \(script) {node}")
        #expect(updated.status == 0, "\(updated.errors)")
        for name in ["a", "b", "c"] {
            #expect(updated.errors.contains("\(name): 0.1.0, as before"), "\(updated.errors)")
        }
        let fired = try String(contentsOfFile: rig.file("fired.txt"), encoding: .utf8).split(separator: "\n")
        #expect(fired.count == 3)
        for id in fired {
            let capture = try rig.capture(String(id))
            #expect(capture.nodes.filter { $0.state == .complete }.count == 2, "\(capture.nodes)")
        }
        let versions = try rig.volley("nodes", "versions")
        #expect(versions.output.matches(of: /0\.1\.0/).count == 5, "\(versions.output)")
    }

    @Test("is left as it is when a node fails, or when too few others are ready")
    func fails() throws {
        _ = try rig.write("two.yaml", "bracket: {burst: 2}\npolicy: {atLeast: 2}\n")
        let script = try script("exit 7")
        defer { stop("a") }
        let failed = try rig.volley("nodes", "update", "bash \(script) {node}")
        #expect(
            failed.status == 1 && failed.errors.contains("status 7 for node a. Not updated: b, c."), "\(failed.errors)")
        try rig.wait("a to be missed") { try !rig.isReady(3) }
        // The rest of the rig is below its quorum already.
        let waits = try rig.volley("nodes", "update", "true {node}", "--nodes", "b", "--patience", "1s")
        #expect(waits.status == 75 && waits.errors.contains("which are not: a"), "\(waits.errors)")
        #expect(try rig.volley("nodes", "update", "true {node}", "--nodes", "b", "--keep", "1").status == 0)
        for wrong in [["true"], ["true {node}", "--nodes", "ghost"], ["true {node}", "--keep", "3"]] {
            #expect(try rig.volley(["nodes", "update"] + wrong).status == 64, "\(wrong)")
        }
    }
}
