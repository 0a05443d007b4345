import Glibc

/// What is fuzzed, by the name that `FUZZ` has in the environment; each has a folder of that name in `Corpus`.
private let targets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
    "node": { RigTarget.node($0) },
    "operator": { RigTarget.operator($0) },
    "coordinator": { NodeTarget.coordinator($0) },
    "answers": { ReaderTargets.answers($0) },
    "join": { ReaderTargets.join($0) },
    "plan": { ReaderTargets.plan($0) },
    "settings": { ReaderTargets.settings($0) },
    "zap": { ReaderTargets.zap($0) },
    "jpeg": { PictureTargets.jpeg($0) },
    "uvc": { PictureTargets.uvc($0) },
]

private let target: @Sendable (UnsafeRawBufferPointer) -> Void = {
    let name = getenv("FUZZ").map { String(cString: $0) } ?? ""
    guard let target = targets[name] else {
        fatalError("FUZZ must be one of \(targets.keys.sorted().joined(separator: ", ")).")
    }
    return target
}()

/// Called by libFuzzer; whatever it is given, nothing here may trap, hang or reach beyond its memory.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(UnsafeRawBufferPointer(start: data, count: count))
    return 0
}
