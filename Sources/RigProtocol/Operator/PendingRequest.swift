package import CaptureModel

/// operator -> coordinator: what is still to be fired?
package struct PendingRequest: OperatorMessage, Hashable {
    package typealias Reply = PendingReply
    package static let type = "pendingRequest"

    package init() {}
}

/// coordinator -> operator: the captures that were accepted and not fired yet.
package struct PendingReply: WireMessage, Hashable {
    package static let type = "pendingReply"

    /// One of them.
    package struct Capture: Codable, Sendable, Hashable {
        /// What it waits for.
        package enum Standing: String, Codable, Sendable, CaseIterable {
            /// Its time.
            case appointed
            /// Nodes that other captures have.
            case queued
            /// Its nodes, which make ready.
            case preparing
            /// The shutter.
            case armed
        }

        /// The capture to release or to cancel.
        package var uniqueID: UniqueID
        /// How it stands.
        package var standing: Standing
        /// ``Plan/name``, which need not be unique.
        package var planName: String
        /// As they were asked for; the catalogue has what was said since.
        package var session: String?
        package var subject: String?
        /// The operator who asked for it.
        package var firedBy: NodeName?
        /// Those that are to take part, in order.
        package var nodes: [NodeName]
        /// When its first exposure begins, by its appointment; nil where it has none.
        package var at: UTCTime?
        /// Until when its nodes hold it; nil where it is not armed.
        package var armedUntil: UTCTime?
        /// From the shutter to the first exposure, in nanoseconds, as in ``ArmReply``; nil where it is not armed.
        package var leadNanoseconds: Int64?
        /// The capture that comes before it, where it is queued.
        package var waitsFor: UniqueID?

        package init(
            uniqueID: UniqueID, standing: Standing, planName: String, session: String? = nil, subject: String? = nil,
            firedBy: NodeName? = nil, nodes: [NodeName], at: UTCTime? = nil, armedUntil: UTCTime? = nil,
            leadNanoseconds: Int64? = nil, waitsFor: UniqueID? = nil
        ) {
            (self.uniqueID, self.standing, self.planName) = (uniqueID, standing, planName)
            (self.session, self.subject, self.firedBy, self.nodes) = (session, subject, firedBy, nodes)
            (self.at, self.armedUntil) = (at, armedUntil)
            (self.leadNanoseconds, self.waitsFor) = (leadNanoseconds, waitsFor)
        }
    }

    /// In the order in which they were asked for.
    package var captures: [Capture]

    package init(captures: [Capture]) { self.captures = captures }
}
