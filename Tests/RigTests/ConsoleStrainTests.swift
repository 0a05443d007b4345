import CaptureModel
import Foundation
import TestSupport
import Testing

/// Judged by sockets of Python's, which read as much as they like.
@Suite("The console under strain", .rigTimeLimit)
struct ConsoleStrainTests {
    @Test("serves fifty browsers beside those that read nothing, and lets go of a file of 20,000 photos half-way")
    func strain() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        for (index, name) in ["left", "right"].enumerated() { try rig.startNode(name, seed: index + 1) }
        try rig.awaitReady(2)
        let fired = try rig.volley("fire", "--burst", "10", "--format", "jpeg", "--wait")
        try #require(fired.status == 0, "\(fired.errors)")
        #expect(rig.terminate("coordinator") == 0)
        let multiplied = try run("/usr/bin/python3", [try rig.write("multiply.py", Self.multiply), rig.library])
        try #require(multiplied.status == 0 && multiplied.output == "20000\n", "\(multiplied)")
        try rig.startCoordinator()
        try rig.awaitReady(2)
        let (link, volley) = (try rig.startConsole(), BuiltPrograms.folder.appendingPathComponent("volley").path)
        let told = try run(
            "/usr/bin/python3",
            [try rig.write("strain.py", Self.strain), link, "\(rig.processID("console"))", volley],
            environment: rig.operatorEnvironment())
        #expect(told.status == 0 && told.output == "all is well\n", "\(told)")
        #expect(rig.terminate("console") == 0)
    }

    /// Makes a thousand captures of one, with photos of their own by hard links.
    private static let multiply = """
        import os, sqlite3, sys
        library = sys.argv[1]
        base = sqlite3.connect(f"{library}/catalogue.sqlite")
        base.row_factory = sqlite3.Row
        (first,) = base.execute("SELECT unique_id FROM capture").fetchone()
        for table in ["capture", "capture_node", "photo"]:
            rows = [dict(row) for row in base.execute(f"SELECT * FROM {table}")]
            for number in range(1, 1000):
                for row in rows:
                    other = row | {"unique_id": first + number}
                    if table == "capture": other["request_id"] += f"-{number}"
                    if table == "photo":
                        other["path"] = row["path"].replace(str(first), str(first + number))
                        other["image_unique_id"] = None
                        os.makedirs(os.path.dirname(f"{library}/{other['path']}"), exist_ok=True)
                        os.link(f"{library}/{row['path']}", f"{library}/{other['path']}")
                    names = ", ".join(other)
                    base.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(other))})", list(other.values()))
        base.commit()
        print(base.execute("SELECT count(*) FROM photo").fetchone()[0])
        """

    private static let strain = """
        import http.client, json, socket, subprocess, sys, threading, time
        link, console, volley = sys.argv[1:]
        place = link.split("/")[2]
        port = int(place.split(":")[1])

        def ask(path, cookie=None):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

        cookie = ask(link[link.index("/enter"):])[1]["Set-Cookie"].split(";")[0]

        def memory():
            with open(f"/proc/{console}/status") as status:
                return [int(line.split()[1]) for line in status if line.startswith("VmRSS")][0] / 1024

        def download(buffer=None):
            one = socket.socket()
            if buffer: one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            one.settimeout(60)
            one.connect(("127.0.0.1", port))
            one.send(f"GET /photos.zip?limit=1000 HTTP/1.1\\r\\nHost: {place}\\r\\nCookie: {cookie}\\r\\n\\r\\n".encode())
            return one, int(one.recv(12).split()[1])

        before = memory()
        deaf = [download(4096) for _ in range(15)]
        slow, status = download(1 << 18)
        assert status == 200 and all(status == 200 for _, status in deaf), (status, [status for _, status in deaf])
        one, status = download()
        assert status == 503, "as many as there may be"
        one.close()

        # As slow as the link of a tablet that is far away.
        taken = []
        def sip():
            while True:
                taken.append(len(slow.recv(1 << 15)))
                if not taken[-1]: break
                time.sleep(0.5)
        sipping = threading.Thread(target=sip, daemon=True)
        sipping.start()

        # Fifty browsers, each of which is told of the capture, and looks at it.
        looked, listening = [], []
        def browse():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            connection.request("GET", "/api/v1/events", headers={"Cookie": cookie})
            answer = connection.getresponse()
            listening.append(answer.status)
            while True:
                line = answer.readline().decode()
                assert line, "the stream has no end"
                if not line.startswith("data: "): continue
                told = json.loads(line[6:])
                if told.get("state") == "complete": break
            page = ask(f"/captures/{told['uniqueID']}", cookie)
            looked.append((told["uniqueID"], page[0], ask("/", cookie)[0], ask("/nodes", cookie)[0]))
        browsers = [threading.Thread(target=browse, daemon=True) for _ in range(50)]
        for one in browsers: one.start()
        end = time.time() + 120
        while len(listening) < 50:
            assert time.time() < end, len(listening)
            time.sleep(0.05)
        id = int(subprocess.run([volley, "fire", "--auto", "0", "--format", "jpeg", "--wait"], capture_output=True, check=True).stdout)
        for one in browsers: one.join(120)
        assert looked == [(id, 200, 200, 200)] * 50, looked

        # Those that read nothing give up their places; one that reads slowly keeps its own.
        end = time.time() + 120
        while True:
            half, status = download()
            if status == 200: break
            assert status == 503 and time.time() < end, "those that read nothing are still there"
            half.close()
            time.sleep(1)
        count = len(taken)
        time.sleep(2)
        assert len(taken) > count and sipping.is_alive(), "whoever reads slowly is not cut off"

        # Half of some 20,000 photos.
        data, photos = 0, 0
        while photos < 10_000:
            piece = half.recv(1 << 20)
            assert piece, "it ended by itself"
            data, photos = data + len(piece), photos + piece.count(b"PK\\3\\4")
            assert memory() < before + 100, (before, memory())
        half.close()
        slow.shutdown(socket.SHUT_RDWR)
        for one, _ in deaf: one.close()
        # Their places are free again, all of them.
        end = time.time() + 60
        while True:
            places = [download(4096) for _ in range(16)]
            for one, _ in places: one.close()
            if all(status == 200 for _, status in places): break
            assert time.time() < end, [status for _, status in places]
            time.sleep(0.5)
        print("all is well")
        """
}
