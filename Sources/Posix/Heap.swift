import CPosix

/// The heap of this process (glibc's).
package enum Heap {
    /// Gives every freed block of a megabyte or more back to the system at once.
    ///
    /// By itself glibc learns from each large block that is freed to keep the next one: photos of 20 MB would stay in
    /// its arenas, as many as there are threads (mallopt(3), M_MMAP_THRESHOLD). Call it once, when a program starts.
    package static func returnLargeBlocks() {
        mallopt(M_MMAP_THRESHOLD, 1 << 20)
        // Told the one, glibc no longer learns the other: it would give back what the next chunk wants again.
        mallopt(M_TRIM_THRESHOLD, 4 << 20)
    }
}
