package import CaptureModel
import Glibc

/// Names by a template, such as `{session}/{subject}/{node}_{take}_{step}.{ext}`.
package struct FileTemplate: Sendable {
    private enum Part: Sendable {
        case text(String)
        case field(Field)
    }

    private enum Field: String, Sendable, CaseIterable {
        case session, subject, take, node, camera, capture, step, format, date, time, ext
    }

    private let parts: [Part]
    private let secondsAhead: @Sendable (UTCTime) -> Int

    /// The fields that there are, in words.
    package static var fields: String { Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ") }

    /// - Parameter secondsAhead: how far the clock on the wall is ahead of UTC at an instant.
    /// - Throws: where a field is none, or a brace has no other.
    package init(
        _ text: String, secondsAhead: @escaping @Sendable (UTCTime) -> Int = FileTemplate.secondsAhead(at:)
    ) throws(ExportPlan.Problem) {
        guard !text.isEmpty else { throw ExportPlan.Problem(message: "The template is empty.") }
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
                throw ExportPlan.Problem(
                    message: "The template '\(text)' has a '\(rest[open])' without its other.")
            }
            let name = String(rest[rest.index(after: open)..<close])
            guard let field = Field(rawValue: name) else {
                throw ExportPlan.Problem(message: "There is no field {\(name)}; there are \(Self.fields).")
            }
            parts += [.text(String(rest[..<open])), .field(field)]
            rest = rest[rest.index(after: close)...]
        }
        (self.parts, self.secondsAhead) = (parts + [.text(String(rest))], secondsAhead)
    }

    /// As this machine's time zone has it.
    package static func secondsAhead(at time: UTCTime) -> Int {
        var (seconds, parts) = (time_t(time.rawValue / 1_000_000), tm())
        localtime_r(&seconds, &parts)
        return parts.tm_gmtoff
    }

    func arrange(_ photos: [ExportPhoto]) throws(ExportPlan.Problem) -> [ExportPlan.Entry] {
        var entries: [ExportPlan.Entry] = []
        for photo in photos { entries.append(ExportPlan.Entry(photo, try path(of: photo))) }
        return entries
    }

    private func path(of photo: ExportPhoto) throws(ExportPlan.Problem) -> String {
        var path = ""
        for part in parts {
            switch part {
            case .text(let text): path += text
            case .field(let field):
                guard let value = value(field, photo), !value.isEmpty else {
                    throw ExportPlan.Problem(
                        message:
                            "Capture \(photo.capture.uniqueID) has no \(field.rawValue), which the template names; "
                            + "leave {\(field.rawValue)} out\(Self.remedy(field)).")
                }
                path += PathRules.part(value)
            }
        }
        return path
    }

    private static func remedy(_ field: Field) -> String {
        switch field {
        case .session, .subject, .take: ", or give it one with `volley rename`"
        case .node, .camera, .capture, .step, .format, .date, .time, .ext: ""
        }
    }

    private func value(_ field: Field, _ photo: ExportPhoto) -> String? {
        let capture = photo.capture
        let local = capture.createdAt + .seconds(Int64(secondsAhead(capture.createdAt)))
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return switch field {
        case .session: capture.session
        case .subject: capture.subject
        case .take: capture.take.map(padded)
        case .node: photo.node.rawValue
        case .camera: photo.camera?.serialNumber
        case .capture: "\(capture.uniqueID)"
        case .step: photo.shot.stepName
        case .format: photo.photo.record.format.rawValue
        case .date: local.day.text(separator: "-")
        case .time: local.timeOfDay.replacing(":", with: "-")
        case .ext: photo.fileExtension
        }
    }
}
