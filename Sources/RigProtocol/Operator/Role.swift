/// What an operator may do; each role may do what those below it may.
package enum Role: String, Codable, Sendable, CaseIterable, Comparable {
    /// Ask, and listen.
    case watch
    /// Fire, cancel, and correct what cameras say of time.
    case operate
    /// Say who belongs to the rig, and who may do what.
    case administer

    package static func < (one: Role, other: Role) -> Bool {
        (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
}
