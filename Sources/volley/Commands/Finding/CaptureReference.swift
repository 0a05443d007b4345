import ArgumentParser
import CaptureModel
import RigProtocol
import RigTransport

/// A capture as an operator names it: its uniqueID, what this begins or ends with, or `last`.
enum CaptureReference: ExpressibleByArgument, Hashable, CustomStringConvertible {
    /// For helps of arguments.
    static let help: ArgumentHelp = "The capture's uniqueID, digits with which it begins or ends, or last."
    /// As many digits as every id has until 2286.
    private static let wholeCount = 16

    case last
    case digits(String)

    static var defaultCompletionKind: CompletionKind { Completions.captures }

    init?(argument: String) {
        if argument == "last" {
            self = .last
        } else if !argument.isEmpty, argument.count <= 19, argument.allSatisfy({ $0.isASCII && $0.isNumber }) {
            self = .digits(argument)
        } else {
            return nil
        }
    }

    /// As it was typed.
    var description: String {
        switch self {
        case .last: "last"
        case .digits(let digits): digits
        }
    }

    /// The capture that is meant.
    ///
    /// - Throws: a refusal if there is none, or more than one.
    func resolve(_ answers: Answers) async throws -> UniqueID {
        if case .digits(let digits) = self, digits.count >= Self.wholeCount, let id = Int64(digits) {
            return UniqueID(rawValue: id)
        }
        var filter = CaptureFilter()
        filter.limit = 1
        if case .digits(let digits) = self { (filter.digits, filter.limit) = (digits, 6) }
        let found = try await answers.captures(filter)
        guard let id = found.items.first?.uniqueID else {
            throw OperatorClient.ClientError.refused(Refusal(.notFound, nothing))
        }
        guard found.items.count == 1 else {
            let ids = found.items.prefix(5).map(\.uniqueID.description)
            let more = found.matchCount > ids.count ? ["and \(found.matchCount - ids.count) more"] : []
            throw OperatorClient.ClientError.refused(
                Refusal(.invalid, "Several captures are meant; give more digits.", details: ids + more))
        }
        return id
    }

    private var nothing: String {
        switch self {
        case .last: "There is no capture yet."
        case .digits(let digits): "No capture's id begins or ends with \(digits)."
        }
    }
}
