import CaptureModel
import Testing

@Suite("Names and reasons of many nodes")
struct FoldedReasonsTests {
    private func cams(_ numbers: ClosedRange<Int>, width: Int = 2) -> [NodeName] {
        numbers.map { number in
            let digits = "\(number)"
            return NodeName("cam-" + String(repeating: "0", count: max(0, width - digits.count)) + digits) ?? "none"
        }
    }

    @Test(
        "stand in the order in which people count",
        arguments: [
            ("node-2", "node-10"), ("node-9", "node-10"), ("a", "b"), ("a", "a-1"), ("a1b2", "a1b10"), ("01", "1"),
            ("cam", "cam-1"), ("x99999999999999999999", "xa"), ("1", "a"),
        ] as [(NodeName, NodeName)])
    func order(first: NodeName, second: NodeName) {
        #expect(first.precedes(second) && !second.precedes(first) && !first.precedes(first))
    }

    @Test("are folded where they are consecutive")
    func folding() {
        #expect((["door"] + cams(1...2)).folded == "cam-01, cam-02, door")
        #expect(cams(1...3).folded == "cam-01 to cam-03")
        #expect((cams(7...50) + ["door"]).folded == "45 nodes, cam-07 to cam-50, door")
        #expect(cams(8...11, width: 1).folded == "cam-8 to cam-11", "with or without a zero in front")
        #expect((cams(1...3) + cams(5...7)).folded == "6 nodes, cam-01 to cam-03, cam-05 to cam-07")
        #expect((["cam-1", "cam-02", "cam-3"] as [NodeName]).folded == "cam-1, cam-02, cam-3")
        #expect([NodeName]().folded.isEmpty)
    }

    @Test("are told once, with those who say the same")
    func reasons() {
        var said: [NodeName: String] = ["door": "Node door has no camera.", "gate": "The spool is full."]
        for name in cams(1...4) { said[name] = "Node \(name) is unreachable." }
        #expect(
            FoldedReasons.lines(said) == [
                "cam-01 to cam-04: It is unreachable.", "door: Node door has no camera.", "gate: The spool is full.",
            ])
        // What differs by figures is told with what these reach from and to; names, times and captures' numbers are none.
        said = [:]
        for (index, name) in cams(1...3).enumerated() {
            said[name] = "The order to fire reached node \(name) 11\(9 + index).5 ms too late to be met."
        }
        #expect(
            FoldedReasons.lines(said) == [
                "cam-01 to cam-03: The order to fire reached it 119.5 to 1111.5 ms too late to be met."
            ])
        said = ["a": "Until 14:37.", "b": "Until 14:38."]
        #expect(FoldedReasons.lines(said).count == 2)
        said = ["a": "It is busy with capture 1795876626254977.", "b": "It is busy with capture 1795876626254978."]
        #expect(FoldedReasons.lines(said).count == 2)
        // Each node has a camera of its own.
        said = [
            "a": "Step 1 asks for 2.0 s; simulated:7 takes up to 1.0 s.",
            "b": "Step 1 asks for 2.0 s; v4l2:/dev/video0 takes up to 0.5 s.",
        ]
        #expect(FoldedReasons.lines(said) == ["a, b: Step 1 asks for 2.0 s; its camera takes up to 0.5 to 1.0 s."])
        said = ["a": "simulated:7, simulated:8.", "b": "simulated:7, simulated:9."]
        #expect(FoldedReasons.lines(said) == ["a, b: simulated:7, its camera."])
        said = ["a": "v4l2:/dev/video0: iso 9000 is too much.", "b": "v4l2:/dev/video2: iso 9000 is too much."]
        #expect(FoldedReasons.lines(said) == ["a, b: its camera: iso 9000 is too much."])
        said = ["a": "No answer from localhost:5670.", "b": "No answer from localhost:5671."]
        #expect(FoldedReasons.lines(said).count == 2)
        said = ["a": "Look at 14:37: it is late.", "b": "Look at 14:38: it is late."]
        #expect(FoldedReasons.lines(said).count == 2)
        // What another node says of it is something else.
        said = ["a": "Node a is busy.", "b": "Node a is busy."]
        #expect(FoldedReasons.lines(said) == ["a: Node a is busy.", "b: Node a is busy."])
    }
}
