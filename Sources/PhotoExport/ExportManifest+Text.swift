import CaptureModel

extension ExportManifest {
    /// What is written: JSON, with a line for each file.
    ///
    /// There may be many thousand, and each takes JSONEncoder several times as long as its photo takes to be linked.
    var text: String {
        var head = self
        (head.files, head.pending) = ([], [])
        var text = JSONText.of(head)
        // In the order in which each is found near the beginning.
        for (key, files) in [("pending", pending), ("files", files)] {
            guard let list = text.firstRange(of: "\"\(key)\" : [") else { preconditionFailure("all keys are written") }
            text.insert(contentsOf: files.lazy.map(\.line).joined(separator: ","), at: list.upperBound)
        }
        return text
    }
}

extension ExportManifest.File {
    /// Nothing in it needs to be escaped: see ``PathRules`` and ``NodeName``.
    fileprivate var line: String {
        var line =
            "\n    {\"path\":\"\(path)\",\"uniqueID\":\(uniqueID),\"node\":\"\(node)\",\"photoCount\":\(photoCount)"
        line += ",\"step\":\(step),\"byteCount\":\(byteCount),\"sha256\":\"\(sha256)\""
        if let exposureSeconds { line += ",\"exposureSeconds\":\(exposureSeconds)" }
        if let iso { line += ",\"iso\":\(iso)" }
        if let gain { line += ",\"gain\":\(gain)" }
        if let widthPixels { line += ",\"widthPixels\":\(widthPixels)" }
        if let heightPixels { line += ",\"heightPixels\":\(heightPixels)" }
        if let verification { line += ",\"verification\":\"\(verification)\"" }
        if let originalSHA256 { line += ",\"originalSHA256\":\"\(originalSHA256)\"" }
        return line + "}"
    }
}
