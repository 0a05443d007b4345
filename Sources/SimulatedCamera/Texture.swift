/// A pattern in the surfaces of the scene, which repeats nowhere and has detail at every scale, so that programs which
/// match pictures find points to hold on to.
///
/// A sum of octaves of value noise (Perlin, *An Image Synthesizer*, 1985) that is solid: it belongs to the point in
/// space, so that every camera sees the same.
enum Texture {
    private static let coarsest: Float = 0.24
    private static let octaves = 8
    private static let strength: Float = 0.6

    /// What the colour of a surface is multiplied by at a point, around 1.
    ///
    /// - Parameter footprint: how much of the surface a pixel covers; detail that is finer would only flicker.
    static func factor(at point: Vector, footprint: Float) -> Float {
        var (wavelength, sum): (Float, Float) = (coarsest, 0)
        for octave in 0..<UInt32(octaves) {
            // Gone where two pixels no longer fit into one cell.
            let visible = min(wavelength / footprint - 1, 1)
            guard visible > 0 else { break }
            sum += visible * noise(point / wavelength, octave)
            wavelength /= 2
        }
        return min(max(1 + strength * sum, 0.2), 1.8)
    }

    /// Smooth values from -1 to 1, one at each point of a lattice of whole numbers.
    private static func noise(_ point: Vector, _ octave: UInt32) -> Float {
        let corner = point.rounded(.down)
        let part = point - corner
        let weight = part * part * (Vector(repeating: 3) - 2 * part)
        let place = SIMD3<Int32>(corner)
        func value(_ x: Int32, _ y: Int32, _ z: Int32) -> Float {
            var hash = UInt32(bitPattern: place.x &+ x) &* 0x8DA6_B343 ^ UInt32(bitPattern: place.y &+ y) &* 0xD816_3841
            hash ^= UInt32(bitPattern: place.z &+ z) &* 0xCB1A_B31F ^ octave &* 0x9E37_79B1
            hash = (hash ^ hash >> 16) &* 0x7FEB_352D
            hash = (hash ^ hash >> 15) &* 0x846C_A68B
            return Float(hash >> 8) / Float(1 << 23) - 1
        }
        func along(_ y: Int32, _ z: Int32) -> Float {
            let first = value(0, y, z)
            return first + (value(1, y, z) - first) * weight.x
        }
        func across(_ z: Int32) -> Float {
            let first = along(0, z)
            return first + (along(1, z) - first) * weight.y
        }
        let first = across(0)
        return first + (across(1) - first) * weight.z
    }
}
