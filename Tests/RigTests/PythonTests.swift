import Foundation
import TestSupport
import Testing

@Suite("A script in Python", .rigTimeLimit)
struct PythonTests {
    private func script(_ rig: LocalRig, _ text: String) throws -> (status: Int32, output: String, errors: String) {
        let module =
            URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/") + "/deploy/python"
        let start = """
            import volley
            rig = volley.Rig("127.0.0.1:\(rig.operatorPort)", key="operator.key", coordinator="coordinator.pub")

            """
        let result = try run(
            "/usr/bin/python3", ["-c", start + text],
            environment: ["PYTHONPATH": String(module.dropFirst()), "PYTHONDONTWRITEBYTECODE": "1"],
            folder: rig.scratch.url)
        return (result.status, result.output, result.errors)
    }

    @Test("does the same over HTTP, with nothing but Python")
    func http() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/").dropFirst()
        let link = try rig.startConsole()
        let (script, photos) = ("\(root)/deploy/python/http_shoot.py", rig.file("vase.zip"))
        let fired = try run("/usr/bin/python3", [script, link, photos])
        #expect(fired.status == 0 && fired.output.contains("complete: 3 of 3 photos"), "\(fired)")
        let listed = try run("/usr/bin/python3", ["-m", "zipfile", "--list", photos])
        #expect(listed.status == 0 && listed.output.contains("_north_3.jpg"), "\(listed)")
        // The link is used up, and that is said.
        let again = try run("/usr/bin/python3", [script, link, photos])
        #expect(again.status == 1 && again.errors.contains("has the link been used"), "\(again)")
    }

    @Test("fires, waits and finds its photos in a few lines")
    func fire() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let fired = try script(
            rig,
            """
            capture = rig.wait(rig.fire(volley.auto(-1, 0, +1), session="monday"))
            for photo in rig.photos(capture=capture["summary"]["uniqueID"]):
                print(photo["file"])
            """)
        #expect(fired.status == 0, "\(fired.errors)")
        let files = fired.output.split(separator: "\n").map(String.init)
        #expect(files.count == 3 && files.allSatisfy { FileManager.default.fileExists(atPath: $0) }, "\(files)")
        let more = try script(
            rig,
            """
            manual = rig.wait(rig.fire(volley.manual((1/250, 100), (1/125, None), formats=["jpeg", "dng"])), patience=60)
            print(manual["summary"]["state"], len(manual["photos"]))
            print(len(rig.captures(session="monday")), [node["name"] for node in rig.nodes()])
            later = rig.fire(volley.burst(2), at=None, queue=True)
            print(rig.wait(later)["summary"]["state"], len(rig.photos(capture=later, steps=[2])))
            """)
        #expect(more.output == "complete 4\n1 ['north']\ncomplete 1\n", "\(more.output)\(more.errors)")
    }

    @Test("hears why it was refused, and that nobody answers")
    func refused() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let refused = try script(
            rig,
            """
            for plan in volley.manual((2, 100)), volley.burst(1, nodes=["south"]):
                try:
                    rig.fire(plan)
                except volley.Refused as refusal:
                    print(refusal.code, "south" in str(refusal), len(refusal.details))
            """)
        #expect(refused.output == "invalid False 1\ninvalid True 0\n", "\(refused.output)\(refused.errors)")
        #expect(rig.terminate("coordinator") == 0)
        let alone = try script(
            rig,
            """
            rig.patience = 1
            try:
                rig.nodes()
            except volley.Unreachable as error:
                print(error)
            """)
        #expect(alone.output.hasPrefix("No coordinator answers at tcp://127.0.0.1:"), "\(alone.output)\(alone.errors)")
    }
}
