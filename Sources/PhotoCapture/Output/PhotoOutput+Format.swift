import CaptureModel
import Synchronization

/// A larger format than the stream's, for as long as a photo needs it.
extension PhotoOutput {
    /// Switches to the format that a request's dimensions need, unless it is in use already.
    ///
    /// - Returns: the dimensions that the camera has then.
    func useFormat(
        for photo: PhotoSettings, _ id: UniqueID, _ device: CaptureDevice
    ) async throws -> Dimensions {
        let (connection, isBusy) = state.withLock { ($0.connection, !$0.captures.isEmpty) }
        let camera = device.capabilities
        let wanted = photo.maxPhotoDimensions ?? connection?.streamFormat?.format.dimensions ?? camera.dimensions
        guard wanted != camera.dimensions, let connection else { return wanted }
        func find(_ size: Dimensions) -> CameraFormat? {
            device.camera.formats.first { $0.pixelFormat == camera.pixelFormat && $0.dimensions == size }
        }
        guard !isBusy, let format = find(wanted) else {
            throw CaptureError(
                .operationNotAllowed,
                "\(device.uniqueID) can take a photo of \(wanted) only while no other capture is under way; try again.")
        }
        let streamed =
            connection.streamFormat ?? find(camera.dimensions).map { ($0, camera.frameDurationNanoseconds) }
        let isStream = wanted == streamed?.format.dimensions
        state.withLock { state in
            state.connection?.streamFormat = isStream ? nil : streamed
            state.connection?.largePhoto = isStream ? nil : id
        }
        try await connection.switchFormat(format, isStream ? streamed?.frameDuration : nil)
        return wanted
    }

    /// Goes back to the stream's format once the newest large photo has been taken, or will not be.
    package func restoreFormat(after id: UniqueID) async {
        let isLast = state.withLock { state in
            guard state.connection?.largePhoto == id else { return false }
            state.connection?.largePhoto = nil
            return true
        }
        if isLast { await restoreFormat() }
    }

    /// A camera that is gone meanwhile gets its format when it is back.
    func restoreFormat() async {
        let claimed = state.withLock { state -> Connection? in
            guard state.captures.isEmpty, let connection = state.connection, connection.largePhoto == nil,
                connection.streamFormat != nil, !connection.isRestoring
            else { return nil }
            state.connection?.isRestoring = true
            return connection
        }
        guard let claimed, let stream = claimed.streamFormat else { return }
        let isBack = (try? await claimed.switchFormat(stream.format, stream.frameDuration)) != nil
        state.withLock { state in
            state.connection?.isRestoring = false
            // Another large photo may have come meanwhile.
            if isBack, state.connection?.largePhoto == nil { state.connection?.streamFormat = nil }
        }
    }
}
