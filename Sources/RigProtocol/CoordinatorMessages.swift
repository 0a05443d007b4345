package import CaptureModel

/// coordinator -> node: you belong to the rig; here are the other planes.
package struct Welcome: WireMessage, Hashable {
    package static let type = "welcome"
    /// The port of the clock plane, on the host that the node already talks to.
    package var clockPort: Int
    /// The port of the bulk plane.
    package var bulkPort: Int
    /// Grows with each start of a coordinator: if two run at once, a node obeys the one that started later.
    package var epoch: Int64
    /// Changes when the catalogue is no longer the one that acknowledged things before, for example because it was
    /// restored from a backup: a node then sends all that it has again.
    package var history: Int64
    /// An epoch that no coordinator can have but that the node obeys: it is to forget that one in favour of this.
    package var replaces: Int64?

    package init(clockPort: Int, bulkPort: Int, epoch: Int64 = 0, history: Int64 = 0) {
        self.clockPort = clockPort
        self.bulkPort = bulkPort
        self.epoch = epoch
        self.history = history
    }
}

/// coordinator -> node: you do not belong here, for this reason.
package struct Rejected: WireMessage, Hashable {
    package static let type = "rejected"

    /// What stands between the node and the rig.
    package struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The word; one that this release does not know is kept as it came.
        package let rawValue: String

        /// Takes the first 64 characters of a word, which may be new to this release.
        package init(rawValue: String) { self.rawValue = String(rawValue.prefix(64)) }

        /// Another instance of that name is connected and alive.
        package static let nameInUse = Code(rawValue: "nameInUse")
        /// The key belongs to another name.
        package static let nameNotYours = Code(rawValue: "nameNotYours")
        /// The coordinator does not know you (it restarted, or took you for dead): say hello again.
        package static let unknownNode = Code(rawValue: "unknownNode")
        /// The node obeys a coordinator that started later.
        package static let superseded = Code(rawValue: "superseded")
        /// There is no version of the wire that both speak.
        package static let versionMismatch = Code(rawValue: "versionMismatch")
    }

    /// For the node to act on.
    package var code: Code
    /// One sentence for the node's log: what is wrong and what to do.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// coordinator -> node: resolve these settings and hold them ready.
package struct Prepare: WireMessage, Hashable {
    package static let type = "prepare"
    /// The capture to prepare.
    package var uniqueID: UniqueID
    /// What to take: each node finds its own part in it.
    package var plan: Plan
    /// What all nodes are to use: once they have reported what they see, the message comes a second time, with this.
    package var shared: SharedSettings?

    package init(uniqueID: UniqueID, plan: Plan, shared: SharedSettings? = nil) {
        self.uniqueID = uniqueID
        self.plan = plan
        self.shared = shared
    }
}

/// coordinator -> node: the first exposure begins at this instant.
package struct Fire: WireMessage, Hashable {
    package static let type = "fire"
    /// The capture, which the node has prepared.
    package var uniqueID: UniqueID
    /// When the first exposure begins, the node's own offset in the plan included.
    package var rigTime: RigTime
    /// How long after ``rigTime`` each step begins, in nanoseconds.
    package var stepOffsets: [Int64]

    package init(uniqueID: UniqueID, rigTime: RigTime, stepOffsets: [Int64] = []) {
        self.uniqueID = uniqueID
        self.rigTime = rigTime
        self.stepOffsets = stepOffsets
    }
}

/// coordinator -> node: your camera's timestamps are off by this much more than you knew.
package struct MoveStart: WireMessage, Hashable {
    package static let type = "moveStart"
    /// To be added to them, in nanoseconds.
    package var nanoseconds: Int64
    /// How well the camera's starts are known after that; nil where too little was seen to say.
    package var lamp: LampMeasurement?

    package init(nanoseconds: Int64, lamp: LampMeasurement? = nil) {
        self.nanoseconds = nanoseconds
        self.lamp = lamp
    }

    /// Whether the numbers can be genuine.
    package var isPlausible: Bool {
        nanoseconds.magnitude < Int64.seconds(1).magnitude && lamp?.isPlausible ?? true
    }
}

/// coordinator -> node: give up this capture, and deliver what is owed as errors.
package struct Cancel: WireMessage, Hashable {
    package static let type = "cancel"
    /// The capture, prepared or fired.
    package var uniqueID: UniqueID

    package init(uniqueID: UniqueID) {
        self.uniqueID = uniqueID
    }
}

/// coordinator -> node: these events are in the catalogue and their photos in the library, on disk.
package struct Stored: WireMessage, Hashable {
    package static let type = "stored"
    /// The capture that the events belong to.
    package var uniqueID: UniqueID
    /// Sequence numbers of events that need not be sent again.
    package var sequences: [Int]

    package init(uniqueID: UniqueID, sequences: [Int]) {
        self.uniqueID = uniqueID
        self.sequences = sequences
    }
}
