import CaptureModel

extension ExportManifest {
    /// What is written: JSON, with a line for each file.
    ///
    /// There may be many thousand, and each takes JSONEncoder several times as long as its photo takes to be linked.
    var text: [UInt8] {
        var head = self
        (head.files, head.pending) = ([], [])
        var rest = JSONText.of(head)[...]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rest.utf8.count + 400 * (files.count + pending.count))
        // In the order of the keys.
        for (key, files) in [("files", files), ("pending", pending)] {
            guard let list = rest.firstRange(of: "\"\(key)\" : [") else { preconditionFailure("all keys are written") }
            bytes += rest[..<list.upperBound].utf8
            rest = rest[list.upperBound...]
            for (index, file) in files.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                file.write(to: &bytes)
            }
        }
        return bytes + rest.utf8
    }

    /// For `sha256sum -c`.
    var sums: [UInt8] {
        var bytes: [UInt8] = []
        func add(_ hash: String, _ path: String) {
            bytes += hash.utf8
            bytes += "  ".utf8
            bytes += path.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
        for file in files { add(file.sha256, file.path) }
        for (path, picture) in (merged ?? [:]).sorted(by: { $0.key < $1.key }) { add(picture.sha256, path) }
        return bytes
    }
}

extension ExportManifest.File {
    /// Nothing in it needs to be escaped: see ``PathRules`` and ``NodeName``.
    fileprivate func write(to bytes: inout [UInt8]) {
        func add(_ key: StaticString, _ value: (some CustomStringConvertible)?) {
            guard var text = value?.description else { return }
            key.withUTF8Buffer { bytes += $0 }
            text.withUTF8 { bytes += $0 }
        }
        add("\n    {\"path\":\"", path)
        add("\",\"node\":\"", node)
        add("\",\"sha256\":\"", sha256)
        add("\",\"uniqueID\":", uniqueID)
        add(",\"photoCount\":", photoCount)
        add(",\"step\":", step)
        add(",\"exposureSeconds\":", exposureSeconds)
        add(",\"iso\":", iso)
        add(",\"gain\":", gain)
        add(",\"widthPixels\":", widthPixels)
        add(",\"heightPixels\":", heightPixels)
        add(",\"byteCount\":", byteCount)
        add(",\"verification\":", verification.map { "\"\($0)\"" })
        add(",\"originalSHA256\":", originalSHA256.map { "\"\($0)\"" })
        bytes.append(UInt8(ascii: "}"))
    }
}
