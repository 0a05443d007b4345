import CaptureModel
import Programs
import RigProtocol
import RigTransport

/// Says to whoever waits that the library takes nothing, and that it does again.
struct LibraryTeller {
    private var told: LibraryTrouble.Kind?

    /// Asks once; a coordinator that does not answer is told of elsewhere.
    mutating func look(_ client: OperatorClient) async {
        guard let status = try? await client.ask(StatusRequest()) else { return }
        if let trouble = status.trouble, trouble.kind != told {
            Output.words(trouble.words.printableLine)
        } else if status.trouble == nil, told != nil {
            Output.words("The library takes photos again.")
        }
        told = status.trouble?.kind
    }

    /// Goes on asking, until it is cancelled.
    static func run(_ client: OperatorClient) async {
        var teller = LibraryTeller()
        while (try? await Task.sleep(for: .seconds(3))) != nil { await teller.look(client) }
    }
}
