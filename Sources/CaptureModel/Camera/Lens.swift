/// What is known of a camera's lens, for its photos to say; nothing is made up where nothing is known.
public struct Lens: Hashable, Sendable, Codable {
    /// The focal length over the aperture's diameter: 2.8 for f/2.8.
    public var fNumber: Double?
    /// In millimetres.
    public var focalLength: Double?
    /// The focal length with the same diagonal view on 35 mm film, in millimetres.
    public var focalLengthIn35mmFilm: Double?
    /// The lens's name.
    public var model: String?

    /// A lens by what is known of it.
    public init(
        fNumber: Double? = nil, focalLength: Double? = nil, focalLengthIn35mmFilm: Double? = nil, model: String? = nil
    ) {
        (self.fNumber, self.focalLength) = (fNumber, focalLength)
        (self.focalLengthIn35mmFilm, self.model) = (focalLengthIn35mmFilm, model)
    }

    /// What is known of two sources, of which this one counts for more.
    package func over(_ other: Lens?) -> Lens {
        Lens(
            fNumber: fNumber ?? other?.fNumber, focalLength: focalLength ?? other?.focalLength,
            focalLengthIn35mmFilm: focalLengthIn35mmFilm ?? other?.focalLengthIn35mmFilm, model: model ?? other?.model)
    }
}
