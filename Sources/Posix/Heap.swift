import CPosix

/// The heap of this process (glibc's).
package enum Heap {
    /// Makes glibc return every freed block of a megabyte or more to the system at once.
    ///
    /// Left alone, glibc learns from each large block that is freed to keep the next one: 20 MB photos would stay in
    /// its arenas, one per thread (mallopt(3), M_MMAP_THRESHOLD). Call it once, when a program starts.
    package static func returnLargeBlocks() {
        mallopt(M_MMAP_THRESHOLD, 1 << 20)
        // With the first threshold fixed, glibc no longer adapts the second: it would return what the next chunk needs.
        mallopt(M_TRIM_THRESHOLD, 4 << 20)
    }
}
