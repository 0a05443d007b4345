package import CaptureModel
package import RigProtocol
package import RigRules

/// A rig, as far as operators have to do with it.
package protocol OperatedRig: Sendable {
    /// Where its news is published, and the number of the last of it.
    func status() async -> StatusReply
    /// Looks at the library's disk now, after something failed there; nil where nothing is wrong with it.
    func lookAtLibrary() async -> LibraryTrouble?
    /// How it is, in numbers.
    func metrics() async -> [MetricFamily]
    /// Whether a request to fire is one that the rules remember.
    func knows(_ requestID: String) async -> Bool
    /// What is free for new captures, in bytes.
    func freeBytes() async throws -> Int64
    /// Whether a capture's photos are where they belong, and the names of those that belong in the trash and are nowhere.
    func trash(
        _ places: [PhotoPlace], of id: UniqueID, createdAt: UTCTime
    ) throws -> (isArranged: Bool, lost: [String])
    /// Those of captures that are left as they are, as more may be known of them beside their photos than in the catalogue.
    func withheld(of ids: [UniqueID]) async -> Set<UniqueID>
    /// Those of captures of which nothing is thrown away by itself now.
    func spared(of ids: [UniqueID]) async -> Set<UniqueID>
    /// Lets the rules decide; they answer by themselves.
    func take(_ input: RigInput) async
    /// Answers what its cameras see, by itself.
    func take(_ request: PreviewsRequest, _ caller: Caller) async
    /// The boards that ask to join.
    func boards() -> BoardsReply
    /// Makes a join code.
    func invite(_ request: InviteRequest) throws(Refusal) -> InviteReply
    /// Changes who belongs to it; at once, whatever is under way.
    func change(_ request: MemberRequest) async throws -> MemberReply
    /// What somebody may do; nil for nothing.
    func role(of user: NodeName) -> Role?
    /// The people whom its coordinator admits.
    func operators() -> OperatorsReply
    /// Changes who they are, or what they may do.
    func change(_ request: OperatorChangeRequest, by user: NodeName) throws(Refusal)
    /// Keeps where its cameras stand, in its catalogue and beside its photos.
    ///
    /// - Returns: the same, with its version.
    func keep(_ geometry: RigGeometry) async throws -> RigGeometry
    /// A piece of a file of the library; it waits for a disk.
    func piece(of path: String, offset: Int, length: Int) throws -> [UInt8]
    /// Sends an operator an answer.
    ///
    /// - Parameter bytes: what follows it; nil for nothing.
    func reply(_ message: any WireMessage, bytes: [UInt8]?, to caller: Caller)
}

extension OperatedRig {
    /// Sends an operator an answer that nothing follows.
    package func reply(_ message: any WireMessage, to caller: Caller) { reply(message, bytes: nil, to: caller) }
}
