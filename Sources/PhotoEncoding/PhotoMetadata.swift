package import CaptureModel

/// What is written into a photo's file about it.
package struct PhotoMetadata: Sendable, Hashable {
    /// The camera's maker, as far as the driver names one.
    package var make: String
    /// The camera's model.
    package var model: String
    /// Nil where the camera has none: the place where it is plugged in is not the camera's.
    package var bodySerialNumber: String?
    /// Nil where nothing is known of it.
    package var lens: Lens?
    /// How the picture is to be turned.
    package var orientation = PictureOrientation.up
    /// The program that took the photo.
    package var software: String
    /// When the exposure began.
    package var takenAt: UTCTime
    /// How well that is known in rig time, in nanoseconds; nil outside a rig.
    package var takenAtUncertaintyNanoseconds: Int64?
    /// What the photo was exposed with, as far as is known.
    package var exposure: Exposure
    /// What was asked for, what was written to the camera, and what the frame itself reports.
    package var requested, applied, verified: Exposure?
    /// Whether the frame was proved to be exposed as asked.
    package var verification: Verification?
    /// In EV, for a step of an automatic bracket.
    package var exposureBias: Double?
    /// Whether the photo belongs to a bracket that varies the exposure.
    package var isBracketed: Bool
    /// The gains that the picture has; nil where nobody chose them.
    package var whiteBalanceGains: WhiteBalanceGains?
    /// The capture that the photo belongs to.
    package var captureID: UniqueID
    /// Which exposure of its bracket it is, counted from 1; 0 outside a bracket.
    package var sequenceCount: Int
    /// What the capture was given by its operator.
    package var tags = PhotoTags()
    /// 32 hexadecimal digits.
    package var imageUniqueID: String

    package init(
        make: String, model: String, bodySerialNumber: String?, software: String, takenAt: UTCTime, exposure: Exposure,
        exposureBias: Double?, isBracketed: Bool, captureID: UniqueID, sequenceCount: Int, imageUniqueID: String
    ) {
        self.make = make
        self.model = model
        self.bodySerialNumber = bodySerialNumber
        self.software = software
        self.takenAt = takenAt
        self.exposure = exposure
        self.exposureBias = exposureBias
        self.isBracketed = isBracketed
        self.captureID = captureID
        self.sequenceCount = sequenceCount
        self.imageUniqueID = imageUniqueID
    }

    /// `2026:11:21 03:00:00`, UTC.
    var exifDateTime: String {
        takenAt.day.text(separator: ":") + " " + takenAt.timeOfDay
    }

    /// Six digits: microseconds.
    var exifSubSeconds: String {
        let digits = "\(takenAt.subSecond)"
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// Seconds as a fraction that EXIF can hold: a whole number of microseconds over a million, reduced to 1/n where
    /// it is one.
    var exposureTimeRational: (numerator: UInt32, denominator: UInt32)? {
        guard let nanoseconds = exposure.duration?.nanoseconds, nanoseconds > 0 else { return nil }
        let inverse = 1_000_000_000 / nanoseconds
        if inverse > 1, 1_000_000_000 % nanoseconds == 0 { return (1, UInt32(inverse)) }
        let micros = (nanoseconds + 500) / 1000
        guard micros > 0 else { return (UInt32(nanoseconds), 1_000_000_000) }
        var (a, b) = (micros, Int64(1_000_000))
        while b != 0 { (a, b) = (b, a % b) }
        return (UInt32(clamping: micros / a), UInt32(1_000_000 / a))
    }

    /// The fields that EXIF has no place for, as an XMP packet.
    var xmpPacket: String { XMPPacket.text(self) }
}
