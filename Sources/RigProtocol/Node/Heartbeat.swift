/// Both ways, every second: I am here.
package struct Heartbeat: WireMessage, Hashable {
    package static let type = "heartbeat"
    /// The node's view of rig time; the coordinator sends none.
    package var clock: ClockReport?
    /// The grid that the node's frames are to begin on; only the coordinator sends one.
    package var grid: FrameGrid?
    /// How much more the node's spool may take, in bytes; only a node sends it.
    package var spoolFreeBytes: Int64?
    /// The number of captures of which the node's spool holds something; only a node sends it.
    package var keepsCount: Int?
    /// How the node's board and camera are; only a node sends it.
    package var board: BoardReport?

    package init(
        clock: ClockReport? = nil, grid: FrameGrid? = nil, spoolFreeBytes: Int64? = nil, keepsCount: Int? = nil,
        board: BoardReport? = nil
    ) {
        self.clock = clock
        self.grid = grid
        self.spoolFreeBytes = spoolFreeBytes
        self.keepsCount = keepsCount
        self.board = board
    }
}
