package import CaptureModel

/// What is written into a photo's file about it.
package struct PhotoMetadata: Sendable, Hashable {
    package var make: String
    package var model: String
    /// The camera's serial, or what stands in for it; differs between the cameras of a rig.
    package var bodySerialNumber: String?
    package var software: String
    /// Start of the exposure, microseconds since the Unix epoch, UTC.
    package var takenAt: Int64
    package var exposure: Exposure
    /// In EV, for a step of an automatic bracket.
    package var exposureBias: Double?
    /// Whether the photo belongs to a bracket that varies the exposure.
    package var isBracketed: Bool
    package var captureID: UniqueID
    package var sequenceCount: Int
    /// 32 hexadecimal digits.
    package var imageUniqueID: String

    package init(
        make: String, model: String, bodySerialNumber: String?, software: String, takenAt: Int64, exposure: Exposure,
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
        let (date, time) = CivilTime.split(secondsSinceEpoch: takenAt.quotientFloor(1_000_000))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(date.year):\(two(date.month)):\(two(date.day)) \(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60))"
    }

    /// Six digits: microseconds.
    var exifSubSeconds: String {
        let micros = takenAt - takenAt.quotientFloor(1_000_000) * 1_000_000
        let digits = "\(micros)"
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

    /// The fields that EXIF has no place for, as an XMP packet with attributes.
    var xmpPacket: String {
        var attributes = "volley:CaptureID=\"\(captureID)\" volley:SequenceCount=\"\(sequenceCount)\""
        if let gain = exposure.gain { attributes += " volley:Gain=\"\(gain)\"" }
        return """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about="" xmlns:volley="urn:volley:xmp:1.0:" \(attributes)/>
            </rdf:RDF></x:xmpmeta>
            <?xpacket end="w"?>
            """
    }
}

extension Int64 {
    fileprivate func quotientFloor(_ divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

/// The proleptic Gregorian calendar without Foundation's weight on a node.
enum CivilTime {
    /// Days to a date after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    static func split(secondsSinceEpoch seconds: Int64) -> (date: (year: Int, month: Int, day: Int), secondOfDay: Int) {
        let days = Int(seconds.quotientFloor(86_400))
        let secondOfDay = Int(seconds) - days * 86_400
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return ((year, month, day), secondOfDay)
    }
}
