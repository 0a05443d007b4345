import CPosix

/// Turns on a processor that are short, and therefore come soon.
///
/// Linux (6.12 and later; to former kernels it makes no difference) lets a thread that asks for little at a time go before those
/// that would keep the processor for long, as soon as it wakes, without giving it more of the processor than others have.
/// It is for threads that wait for the network or a camera: a probe of the clocks or an order to fire does not wait for a
/// hundred threads that write files. Anybody may ask for it. See "EEVDF Scheduler" in the kernel's documentation.
package enum ShortTurns {
    /// The shortest that the kernel grants, in nanoseconds.
    private static let length: UInt64 = 100_000

    /// Asks for them for the calling thread.
    ///
    /// - Parameter areInherited: whether the threads that it starts have them too.
    package static func begin(areInherited: Bool) {
        cposix_set_slice(length, areInherited ? 1 : 0)
    }
}
