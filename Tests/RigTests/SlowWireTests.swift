import Foundation
import TestSupport
import Testing

private enum SlowWire {
    /// Containers seldom may, and kernels for them seldom have the bucket.
    static let isPossible: Bool = {
        let wire = "ip link set lo up && tc qdisc add dev lo root tbf rate 1mbit burst 32kbit latency 400ms"
        return (try? run("/usr/bin/unshare", ["--net", "/bin/sh", "-c", wire]))?.status == 0
    }()
}

/// A network of its own that carries little, by the kernel's token bucket.
@Suite("A slow wire", .enabled(if: SlowWire.isPossible, "it has a network of its own"), .rigTimeLimit)
struct SlowWireTests {
    @Test("brings every photo, each byte about once")
    func complete() throws {
        let scratch = try Scratch()
        let ran = try run(
            "/usr/bin/timeout",
            ["--signal=KILL", "300", "/usr/bin/unshare", "--net", "--pid", "--fork", "--mount-proc", "--kill-child"]
                + ["/bin/bash", "-c", Self.script],
            environment: [
                "PATH": BuiltPrograms.folder.path + ":/usr/bin:/bin:/usr/sbin:/sbin", "HOME": scratch.path,
            ], folder: scratch.url)
        #expect(ran.status == 0, "\(ran.output)\n\(ran.errors)")
        #expect(ran.errors.contains("complete: 6 of 6 photos of 1 node"), "\(ran.output)\n\(ran.errors)")
        let words = ran.output.split(separator: "\n").last?.split(separator: " ") ?? []
        let (wire, photos) = (words.first.flatMap { Double($0) } ?? 0, words.last.flatMap { Double($0) } ?? 1)
        // Both ways, with the clock's probes and this command's questions; it was 2.5 times as much.
        #expect(photos > 500_000 && wire < 1.5 * photos, "\(wire) of \(photos)")
    }

    private static let script = """
        set -eu
        ip link set lo up mtu 1500
        volley-coordinator --state state --library library >/dev/null 2>coordinator.log &
        until [ -e state/coordinator.pub ] && [ -d state/administrators ]; do sleep 0.2; done
        volley keygen me 2>/dev/null
        cp me.pub state/administrators/
        volley-node --coordinator 127.0.0.1 --name north --camera simulated:1 --spool spool >/dev/null 2>node.log &
        export VOLLEY_KEY=$PWD/me.key VOLLEY_COORDINATOR_KEY=$PWD/state/coordinator.pub
        until volley nodes admit north 2>/dev/null; do sleep 0.5; done
        until [ "$(volley nodes | grep -c ' ready ')" = 1 ]; do sleep 0.5; done
        tc qdisc add dev lo root tbf rate 800kbit burst 32kbit latency 400ms
        volley fire --auto -2,0,2 --format jpeg --format dng --wait
        wire=$(tc -s qdisc show dev lo | sed -n 's/.*Sent \\([0-9]*\\) bytes.*/\\1/p' | head -n 1)
        echo "$wire $(find library/photos -name '*.jpg' -o -name '*.dng' | xargs cat | wc -c)"
        """
}
