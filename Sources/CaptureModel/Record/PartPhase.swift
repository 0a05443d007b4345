/// How far a node's part in a capture has come, as the catalogue keeps it for the run after this one.
package enum PartPhase: Sendable, Hashable {
    /// It may have been told to fire since: nodes are told before the catalogue is.
    case preparing
    /// It refused or was put out, and owes nothing.
    case out(CaptureError)
    /// It was told to fire, and owes what the plan promises.
    case owing
    /// It was lost with debts unpaid; what comes all the same is taken.
    case settled(CaptureError)
}
