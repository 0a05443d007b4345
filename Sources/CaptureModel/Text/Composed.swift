import Foundation

/// Texts that look alike are one: `ì` is one character from Linux and two from a Mac. SQL compares bytes, so each text takes
/// the composed form (Unicode's NFC) where it enters.
extension String {
    /// The same text in its composed form.
    package var composed: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }
}

extension [String: String] {
    /// The same with keys and values in their composed form; of two keys that become one, the value of the greater.
    package var composed: [String: String] {
        var composed: [String: String] = [:]
        for (key, value) in sorted(by: { $0.value < $1.value }) { composed[key.composed] = value.composed }
        return composed
    }
}

extension CaptureFilter {
    /// The same with all texts in their composed form, as the catalogue has them.
    package var composed: CaptureFilter {
        var filter = self
        (filter.session, filter.subject, filter.plan) = (session?.composed, subject?.composed, plan?.composed)
        filter.labels = labels.composed
        return filter
    }
}

extension PhotoFilter {
    /// The same with all texts in their composed form, as the catalogue has them.
    package var composed: PhotoFilter {
        var filter = self
        filter.captures = captures.composed
        return filter
    }
}

extension Annotation {
    /// The same with all texts in their composed form.
    package var composed: Annotation {
        var annotation = self
        (annotation.session, annotation.subject) = (session?.composed, subject?.composed)
        (annotation.note, annotation.labels) = (note?.composed, labels?.composed)
        annotation.removedLabels = removedLabels?.map(\.composed)
        return annotation
    }
}
