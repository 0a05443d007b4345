/// Something that a first frame can be read into.
package protocol WireReadable: Sendable {
    /// Reads the fields that follow the header's.
    ///
    /// - Throws: ``WireError`` with ``WireError/Code-swift.enum/unknownType`` when it is of another type.
    init(_ header: Header, from decoder: any Decoder) throws
}
