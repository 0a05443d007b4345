/// An open file; closed with its last reference.
package protocol OpenFile: AnyObject, Sendable {
    /// The path it was opened at.
    var path: String { get }

    /// The size of the file now.
    func byteCount() throws(SystemError) -> Int

    /// Appends all of the bytes, or throws.
    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError)

    /// Makes the bytes durable. A failure means that they are lost; never retry it on the same file.
    func sync() throws(SystemError)

    /// Cuts the file to its first `byteCount` bytes.
    func truncate(to byteCount: Int) throws(SystemError)

    /// Reserves room for this many bytes, so that they can be written when the disk is full.
    func reserve(_ byteCount: Int) throws(SystemError)

    /// Reads a piece of the file; shorter than `length` if the file ends first.
    func read(offset: Int, length: Int) throws(SystemError) -> [UInt8]
}

extension OpenFile {
    /// Appends all of the bytes, or throws; copies them first if they are not contiguous.
    package func append(_ bytes: some Collection<UInt8>) throws(SystemError) {
        let failure = bytes.withContiguous { buffer -> SystemError? in
            do throws(SystemError) {
                try append(UnsafeRawBufferPointer(buffer))
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }
}

extension Collection<UInt8> {
    fileprivate func withContiguous<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
    }
}
