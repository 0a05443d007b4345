import Glibc
import Synchronization

/// Memory for taken frames, kept between brackets when it was reserved.
///
/// A frame of many megabytes in fresh memory costs a page fault for each 4 KiB, in the middle of a bracket; reserved
/// memory has been touched before.
package final class FramePool: Sendable {
    private struct State {
        /// How many are kept when they come back, and of what size.
        var reserved = 0
        var byteCount = 0
        var free: [FrameBytes.Storage] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Keeps memory for this many frames ready; what was kept before and is no longer wanted goes back to the system.
    package func reserve(_ count: Int, byteCount: Int) {
        let missing = state.withLock { state in
            if state.byteCount != byteCount { state.free = [] }
            (state.reserved, state.byteCount) = (count, byteCount)
            if state.free.count > count { state.free.removeLast(state.free.count - count) }
            return count - state.free.count
        }
        for _ in 0..<max(0, missing) {
            let storage = FrameBytes.Storage(byteCount: byteCount)
            storage.touch()
            giveBack(storage)
        }
    }

    /// A copy of a frame's bytes.
    package func copy(_ bytes: UnsafeRawBufferPointer) -> FrameBytes {
        let kept = state.withLock { state in
            state.byteCount >= bytes.count ? state.free.popLast() : nil
        }
        let storage = kept ?? FrameBytes.Storage(byteCount: bytes.count)
        storage.fill(bytes)
        return FrameBytes(storage, count: bytes.count, pool: self)
    }

    /// The number of frames that memory is ready for.
    package var freeCount: Int { state.withLock { $0.free.count } }

    fileprivate func giveBack(_ storage: FrameBytes.Storage) {
        state.withLock { state in
            guard state.free.count < state.reserved, storage.byteCount == state.byteCount else { return }
            state.free.append(storage)
        }
    }
}

/// The bytes of a frame; their memory goes back to its pool when the last user lets go.
package final class FrameBytes: Sendable {
    /// A piece of memory.
    final class Storage: @unchecked Sendable {
        // Invariant: written by one owner before it is shared as FrameBytes, then only read.
        let memory: UnsafeMutableRawPointer
        let byteCount: Int

        init(byteCount: Int) {
            self.byteCount = byteCount
            memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, byteCount), alignment: 64)
        }

        deinit {
            memory.deallocate()
        }

        func touch() { memset(memory, 0, byteCount) }

        func fill(_ bytes: UnsafeRawBufferPointer) {
            if let source = bytes.baseAddress { memory.copyMemory(from: source, byteCount: bytes.count) }
        }
    }

    private let storage: Storage
    /// In bytes.
    package let count: Int
    private let pool: FramePool?

    init(_ storage: Storage, count: Int, pool: FramePool?) {
        self.storage = storage
        self.count = count
        self.pool = pool
    }

    /// Bytes that belong to no pool.
    package convenience init(_ bytes: [UInt8]) {
        let storage = Storage(byteCount: bytes.count)
        bytes.withUnsafeBytes { storage.fill($0) }
        self.init(storage, count: bytes.count, pool: nil)
    }

    deinit {
        pool?.giveBack(storage)
    }

    /// Lends the bytes; the pointer is valid during the call.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: storage.memory, count: count))
    }
}
