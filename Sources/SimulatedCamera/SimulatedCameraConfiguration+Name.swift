extension SimulatedCameraConfiguration {
    /// What its name is written like.
    package static let form = "simulated:SEED[@DEGREES][+flash][+spot][+k1=NUMBER]"

    /// The camera of a name such as `simulated:7`, `simulated:7@45` (at 45 degrees on the ring around the table),
    /// `simulated:7+flash` (it looks at a lamp that goes on and off), `simulated:7+spot` (a lamp lights the scene) or
    /// `simulated:7+k1=-0.1` (its lens distorts); nil where the name is none.
    package init?(name: String) {
        let parts = name.split(separator: "+", omittingEmptySubsequences: false)
        let place = parts[0].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard place[0].hasPrefix("simulated:"), let seed = UInt64(place[0].dropFirst(10)) else { return nil }
        self.init(seed: seed)
        if place.count > 1 {
            guard let degrees = Double(place[1]), (-360...360).contains(degrees) else { return nil }
            self.degrees = degrees
        }
        for part in parts.dropFirst() {
            if part == "flash" {
                seesFlash = true
            } else if part == "spot" {
                isSpotlit = true
            } else if part.hasPrefix("k1="), let k1 = Double(part.dropFirst(3)), (-0.3...0.3).contains(k1) {
                self.k1 = k1
            } else {
                return nil
            }
        }
    }
}
