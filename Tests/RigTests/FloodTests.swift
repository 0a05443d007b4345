import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("A peer that is admitted and broken", .rigTimeLimit)
struct FloodTests {
    /// libzmq's own client, without heartbeats, that asks and does not read, and goes with all of it under way.
    private static let flood = """
        import sys, time, zmq, zmq.auth
        place, key, server = sys.argv[1:]
        secret = open(key).read().strip().encode()
        context = zmq.Context()
        socket = context.socket(zmq.DEALER)
        socket.linger = 0
        socket.rcvhwm = 1
        socket.curve_secretkey, socket.curve_publickey = secret, zmq.curve_public(secret)
        socket.curve_serverkey = open(server).read().strip().encode()
        socket.connect("tcp://" + place)
        end = time.monotonic() + 4
        asked = 0
        while time.monotonic() < end:
            try:
                socket.send(b'{"v":6,"type":"nodesRequest","sequence":1}', zmq.DONTWAIT)
                asked += 1
            except zmq.Again:
                time.sleep(0.001)
        print(asked, flush=True)
        # As a process that is killed: the connection is reset with answers unread.
        import os; os._exit(0)
        """

    @Test("floods and leaves, and the rig goes on")
    func floodsAndLeaves() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let script = try rig.write("flood.py", Self.flood)
        for _ in 1...3 {
            let peer = try run(
                "/usr/bin/python3",
                [script, "127.0.0.1:\(rig.operatorPort)", rig.file("operator.key"), rig.file("coordinator.pub")])
            #expect(peer.status == 0, "\(peer.errors)")
            #expect(Int(peer.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 > 5000, "\(peer.output)")
            // It was the next ZMTP heartbeat of that connection that ended the coordinator.
            sleep(3)
            let log = try rig.log("coordinator").suffix(500)
            try #require(rig.isRunning("coordinator"), "\(log)")
        }
        let plan = try rig.write("burst.yaml", "bracket: {burst: 3}\n")
        try rig.wait("a capture to fire as before") { try rig.volley("fire", plan, "--wait").status == 0 }
    }

    /// Somebody without a key who holds as many connections as can be, and makes each anew that ends.
    private static let strangers = """
        import resource, selectors, socket, sys
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        ports = [int(port) for port in sys.argv[1:]]
        doors = selectors.DefaultSelector()
        def knock(number):
            stranger = socket.create_connection(("127.0.0.1", ports[number % len(ports)]), None, ("127.0.0.2", 0))
            stranger.setblocking(False)
            doors.register(stranger, selectors.EVENT_READ, number)
        for number in range(2500):
            knock(number)
        while True:
            for key, _ in doors.select():
                try:
                    if key.fileobj.recv(4096):
                        continue
                except OSError:
                    pass
                doors.unregister(key.fileobj)
                key.fileobj.close()
                knock(key.data)
        """

    @Test("is a stranger at one address who takes all connections, and the rig goes on, and who has a key gets in")
    func strangers() throws {
        let rig = try LocalRig()
        try rig.startCoordinator(through: ["/usr/bin/prlimit", "--nofile=2048"])
        for (seed, name) in ["north", "south"].enumerated() { try rig.startNode(name, seed: seed) }
        try rig.awaitReady(2)
        let script = try rig.write("strangers.py", Self.strangers)
        let ports = (0..<5).map { String(rig.controlPort + $0) }
        try rig.start("strangers", "/usr/bin/python3", [script] + ports)
        let plan = try rig.write("burst.yaml", "bracket: {burst: 3}\n")
        try rig.wait("strangers to be turned away") {
            try rig.log("coordinator").contains("turned connections away")
        }
        for _ in 1...3 {
            let fired = try rig.volley("fire", plan, "--wait")
            #expect(fired.status == 0, "\(fired.errors)")
        }
        try rig.startNode("late", seed: 3)
        try rig.awaitReady(3)
        #expect(rig.isRunning("strangers"), "they were there all the time")
        rig.kill9("strangers")
    }

    /// A node's client that says what nobody can use, as fast as the wire takes it, and stays.
    private static let chatter = """
        import sys, time, json, zmq, zmq.auth
        place, key, server, kind = sys.argv[1:]
        secret = open(key).read().strip().encode()
        socket = zmq.Context().socket(zmq.DEALER)
        socket.linger = 0
        socket.curve_secretkey, socket.curve_publickey = secret, zmq.curve_public(secret)
        socket.curve_serverkey = open(server).read().strip().encode()
        socket.connect("tcp://" + place)
        def hello(versions):
            return json.dumps(dict(v=5, type="hello", sequence=1, node="chatter", instance="i", lastUniqueID=0,
                                   epoch=0, versions=versions)).encode()
        long = hello([5] * 20000)
        event = json.dumps(dict(v=5, type="event", sequence=1, event=dict(
            uniqueID=17, sequence=1, kind="didCapturePhoto", time=1))).encode()
        end = time.monotonic() + 20
        number = 0
        socket.send(hello([5, 5]))
        while time.monotonic() < end:
            number += 1
            text = long if kind == "hellos" else event.replace(b"17", b"%d" % (1700000000000000 + number))
            try:
                socket.send(text, zmq.DONTWAIT)
            except zmq.Again:
                time.sleep(0.001)
        """

    @Test("holds up nobody with what it says, and is not kept in memory", arguments: ["hellos", "events"])
    func chatters(kind: String) throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.keygen("chatter", into: "nodes")
        try rig.startNode("north", seed: 1)
        try rig.startNode("south", seed: 2)
        try rig.awaitReady(2)
        let script = try rig.write("chatter.py", Self.chatter)
        try rig.start(
            "chatter", "/usr/bin/python3",
            [script, "127.0.0.1:\(rig.controlPort)", rig.file("chatter.key"), rig.file("coordinator.pub"), kind])
        let plan = try rig.write("burst.yaml", "bracket: {burst: 3}\npolicy: {atLeast: 2}\n")
        sleep(3)
        for _ in 1...5 {
            let fired = try rig.volley("fire", plan, "--wait")
            let id = fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
            try #require(!id.isEmpty, "\(fired.errors)")
            let whole = try rig.capture(id).nodes.filter { $0.state == .complete }.map(\.node)
            #expect(whole == ["north", "south"], "\(fired.errors)")
        }
        let memory = try String(contentsOfFile: "/proc/\(rig.processID("coordinator"))/status", encoding: .utf8)
        let peak = memory.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
        let kibibytes = peak.flatMap { Int($0.filter(\.isNumber)) } ?? .max
        #expect(kibibytes < 120_000, "\(peak ?? "")")
        let log = try rig.log("coordinator")
        #expect(log.utf8.count < 200_000 && log.contains("is partial"), "\(log.suffix(500))")
    }
}
