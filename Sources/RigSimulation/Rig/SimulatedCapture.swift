import CaptureModel
import NodeAgent
import RigProtocol
import RigRules
import SimulatedCamera

/// What a camera delivers of one capture, in virtual time: every debt paid, in photos or in errors.
struct SimulatedCapture {
    private static let frame = Int64.milliseconds(33)
    private static let size = Dimensions(width: 64, height: 48)

    let settings: ResolvedPhotoSettings
    let timing: CaptureTiming
    private let formats: [PhotoFormat]

    init(_ prepare: Prepare) {
        let (plan, size) = (prepare.plan, Self.size)
        formats = plan.formats
        var settings = ResolvedPhotoSettings(
            uniqueID: prepare.uniqueID, photoDimensions: formats.contains { !$0.isRaw } ? size : .zero,
            rawPhotoDimensions: formats.contains(.dng) ? size : .zero, expectedPhotoCount: plan.expectedPhotoCount,
            exposures: (1...plan.bracket.count).map {
                ResolvedExposure(sequenceCount: $0, exposureTargetBias: nil, duration: nil, iso: nil)
            })
        settings.formats = formats
        self.settings = settings
        timing = CaptureTiming(
            leadNanoseconds: 2 * Self.frame, stepNanoseconds: settings.exposures.map { _ in Self.frame },
            frameDurationNanoseconds: Self.frame)
    }

    /// The deliveries after the order to fire, each so many nanoseconds after the first exposure.
    ///
    /// - Parameter brokenFrom: the exposure from which on the camera fails; nil for none.
    func deliveries(
        brokenFrom: Int?, start: MonotonicTime, node: String, _ random: inout SplitMix64
    ) -> [(after: Int64, delivery: SpoolQueue.Delivery)] {
        var all: [(Int64, SpoolQueue.Delivery)] = []
        func add(_ kind: CaptureEventKind, _ after: Int64, _ change: (inout SpoolQueue.Delivery) -> Void) {
            let event = NodeMachine.CapturedEvent(
                uniqueID: settings.uniqueID, kind: kind, time: MonotonicTime(nanoseconds: start.nanoseconds + after))
            var delivery = SpoolQueue.Delivery(event: event)
            change(&delivery)
            all.append((after, delivery))
        }
        add(.willBeginCapture, -Self.frame) { $0.event.resolvedSettings = settings }
        var photoCount = 0
        var ready = Int64(0)
        for exposure in settings.exposures {
            let step = exposure.sequenceCount
            let begin = Int64(step - 1) * Self.frame
            add(.willCapturePhoto, begin) { $0.event.sequenceCount = step }
            add(.didCapturePhoto, begin + Self.frame) { $0.event.sequenceCount = step }
            for format in formats {
                photoCount += 1
                ready = max(ready, begin + Self.frame) + Int64.random(in: 1_000_000...80_000_000, using: &random)
                var record = PhotoRecord(
                    photoCount: photoCount, sequenceCount: step, format: format, requested: exposure)
                let isBroken = brokenFrom.map { step >= $0 } ?? false
                if isBroken {
                    record.error = CaptureError(.deviceWasDisconnected, "The camera was unplugged.")
                } else {
                    record.exposureStart = ExposureStart(
                        time: start + begin, uncertaintyNanoseconds: 1000, source: .startOfExposure)
                }
                let file = isBroken ? nil : Self.file(node, settings.uniqueID, photoCount, &random)
                add(.didFinishProcessingPhoto, ready) { delivery in
                    delivery.event.sequenceCount = step
                    delivery.event.photo = record
                    delivery.file = file
                }
            }
        }
        add(.didFinishCapture, ready + 1_000_000) { _ in }
        return all.sorted { $0.0 < $1.0 }
    }

    /// A file that no other photo has.
    private static func file(
        _ node: String, _ id: UniqueID, _ photoCount: Int, _ random: inout SplitMix64
    ) -> SpoolQueue.File {
        let head = Array("\(node) \(id) \(photoCount) ".utf8)
        return SpoolQueue.File(
            bytes: head + (0..<Int.random(in: 100...2_500, using: &random)).map { UInt8(truncatingIfNeeded: $0) },
            dimensions: size, imageUniqueID: "\(id)-\(photoCount)")
    }
}
