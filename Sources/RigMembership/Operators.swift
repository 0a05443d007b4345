package import CaptureModel
package import RigProtocol
import Synchronization
package import ZeroMQ

/// The people whom a coordinator admits: a folder of public keys for each role.
package final class Operators: Sendable {
    private let lists: [(role: Role, list: AllowList)]
    /// Held while anything is changed.
    private let changing = Mutex(())

    /// - Parameter list: that of a role.
    package init(_ list: (Role) throws -> AllowList) rethrows {
        lists = try Role.allCases.map { ($0, try list($0)) }
    }

    /// The names of all of them, by their keys.
    package var namesByKey: [CurvePublicKey: NodeName] {
        lists.reduce(into: [:]) { names, entry in names.merge(entry.list.namesByKey) { _, higher in higher } }
    }

    /// The name that a key belongs to; nil for a key that is not admitted.
    package func name(of key: CurvePublicKey) -> NodeName? {
        lists.reversed().lazy.compactMap { $0.list.name(of: key) }.first
    }

    /// What somebody may do; nil for nothing.
    package func role(of name: NodeName) -> Role? {
        let known = all.filter { $0.name == name }
        // One key in two folders has the higher role. Of two keys that share a name, neither gets more than the other has.
        return Set(known.map(\.key)).count == 1 ? known.map(\.role).max() : known.map(\.role).min()
    }

    /// All of them, in order of their names.
    package var all: [OperatorsReply.Operator] {
        lists.flatMap { role, list in
            list.namesByKey.map { OperatorsReply.Operator(name: $0.value, role: role, key: $0.key.text) }
        }.sorted { ($0.name, $0.role, $0.key) < ($1.name, $1.role, $1.key) }
    }

    /// Admits somebody, gives somebody another role, or takes every role away.
    ///
    /// - Parameter user: who wants it.
    package func change(_ request: OperatorChangeRequest, by user: NodeName) throws(Refusal) {
        try changing.withLock { _ throws(Refusal) in
            // Somebody must be left to undo it.
            guard request.name != user else {
                throw Refusal(.invalid, "Nobody changes their own role; ask another administrator.")
            }
            let holding = lists.filter { $0.list.names.contains(request.name) }
            guard let role = request.role else {
                guard !holding.isEmpty else { throw Self.unknown(request.name) }
                for (_, list) in holding { try list.remove(request.name) }
                return
            }
            guard let wanted = lists.first(where: { $0.role == role })?.list else { return }
            if let text = request.key {
                guard let key = CurvePublicKey(text) else {
                    throw Refusal(.invalid, "That is no public key: 40 characters of Z85.")
                }
                if let owner = name(of: key) { throw Refusal(.invalid, "That is the key of \(owner) already.") }
                // Windows, macOS, exFAT and SMB take the two for one.
                let folded = request.name.rawValue.lowercased()
                if let other = all.first(where: { $0.name != request.name && $0.name.rawValue.lowercased() == folded })
                {
                    throw Refusal(
                        .invalid,
                        "There is an operator \(other.name) already, and on many disks \(request.name) is the same name: "
                            + "choose another one.")
                }
                guard holding.isEmpty else {
                    throw Refusal(.invalid, "There is an operator \(request.name) already, with another key.")
                }
                return try wanted.add(key, as: request.name)
            }
            guard let (_, list) = holding.first, holding.count == 1 else { throw Self.unknown(request.name) }
            if list !== wanted { try list.move(request.name, to: wanted, as: request.name) }
        }
    }

    private static func unknown(_ name: NodeName) -> Refusal {
        Refusal(.notFound, "There is no operator \(name), or more than one; `volley operators` lists them.")
    }
}
