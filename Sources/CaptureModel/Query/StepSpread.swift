/// How far apart the nodes began one step.
package struct StepSpread: Codable, Sendable, Hashable {
    /// The step, 1 for the first.
    package var sequenceCount: Int
    /// How many nodes exposed the step at a known time.
    package var nodeCount: Int
    /// Latest start minus earliest start.
    package var spreadNanoseconds: Int64
    /// The spread is known to within this.
    package var uncertaintyNanoseconds: Int64

    package init(sequenceCount: Int, nodeCount: Int, spreadNanoseconds: Int64, uncertaintyNanoseconds: Int64) {
        self.sequenceCount = sequenceCount
        self.nodeCount = nodeCount
        self.spreadNanoseconds = spreadNanoseconds
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
    }
}
