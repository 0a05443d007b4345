import CaptureModel
import RigConfiguration
import RigProtocol
import ZeroMQ

/// What reads bytes, and keeps nothing.
enum ReaderTargets {
    /// What a coordinator answers an operator, and publishes.
    static func answers(_ bytes: UnsafeRawBufferPointer) {
        _ = try? Codec.decode(Notice.self, from: bytes)
        _ = try? Codec.decode(NodesReply.self, from: bytes)
        _ = try? Codec.decode(ShowReply.self, from: bytes)
        if let reply = try? Codec.decode(MetricsReply.self, from: bytes) { _ = reply.families.text }
        if let refusal = try? Codec.decode(Refusal.self, from: bytes) { _ = refusal.message.printable }
    }

    /// What anybody may send by UDP, and what somebody may type.
    static func join(_ bytes: UnsafeRawBufferPointer) {
        _ = try? Codec.decode(Join.self, from: bytes)
        _ = try? Codec.decode(JoinReply.self, from: bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        if let key = CurvePublicKey(text) {
            precondition(CurvePublicKey(key.text) == key, "a key reads as it was written")
        }
    }

    static func plan(_ bytes: UnsafeRawBufferPointer) {
        guard let plan = try? PlanFile.parse(String(decoding: bytes, as: UTF8.self), name: "plan") else { return }
        _ = plan.problem
    }

    static func settings(_ bytes: UnsafeRawBufferPointer) {
        let known = ["name", "camera", "port", "format.width", "timing.readout", "controls.*"]
        guard
            let settings = try? Settings(
                known: known, files: [(String(decoding: bytes, as: UTF8.self), "file")], environment: [:], flags: [:])
        else { return }
        _ = try? settings.integer("port", in: 0...65_535)
        _ = try? settings.integers(of: "controls")
        _ = settings.text("timing.readout").flatMap(TimeSpan.nanoseconds)
        _ = settings.text("name").flatMap { Address($0, defaultPort: 1) }
    }

    /// Frames of a request, each as long as the byte before it says.
    static func zap(_ bytes: UnsafeRawBufferPointer) {
        var frames: [Frame] = []
        var rest = bytes[...]
        while let length = rest.popFirst() {
            frames.append(Frame(Array(rest.prefix(Int(length)))))
            rest = rest.dropFirst(Int(length))
        }
        let answer = ZAPHandler.reply(to: frames) { _ in
        } userID: { _, _ in
            nil
        }
        precondition(answer.count == 6 && answer[2].bytes == Array("400".utf8), "nobody is let in")
    }
}
