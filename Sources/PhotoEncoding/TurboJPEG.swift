import CTurboJPEG

/// The owner of a turbojpeg instance.
struct TurboJPEG: ~Copyable {
    let pointer: tjhandle

    init(compressing: Bool) throws(EncodingError) {
        guard let pointer = compressing ? tjInitCompress() : tjInitDecompress() else {
            throw EncodingError(call: "tjInit", message: String(cString: tjGetErrorStr2(nil)))
        }
        self.pointer = pointer
    }

    deinit {
        tjDestroy(pointer)
    }

    func error(_ call: String) -> EncodingError {
        EncodingError(call: call, message: String(cString: tjGetErrorStr2(pointer)))
    }
}
