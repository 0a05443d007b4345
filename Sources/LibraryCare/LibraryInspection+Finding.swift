package import CaptureModel

extension LibraryInspection {
    /// Something on which library and catalogue disagree.
    package enum Finding: Hashable, Sendable, CustomStringConvertible {
        case unknownCapture(UniqueID, folder: String)
        case behind(UniqueID, folder: String)
        case unarchived(UniqueID, folder: String)
        case waiting(UniqueID, node: NodeName, photoCount: Int, path: String)
        case missing(UniqueID, node: NodeName, photoCount: Int, path: String)
        case damaged(UniqueID, node: NodeName, photoCount: Int, path: String)
        case stray(UniqueID, path: String)
        /// Photos that were deleted and are not in the trash, or that are in the trash and do not belong there.
        case unarranged(UniqueID, folder: String)
        case misplaced(UniqueID, folder: String, home: String)
        /// A capture, or the folder of a day.
        case unreadable(UniqueID?, place: String, problem: String)

        /// The capture that it concerns; nil for a day's folder.
        package var uniqueID: UniqueID? {
            switch self {
            case .unknownCapture(let id, _), .behind(let id, _), .unarchived(let id, _), .waiting(let id, _, _, _),
                .missing(let id, _, _, _), .damaged(let id, _, _, _), .stray(let id, _), .unarranged(let id, _),
                .misplaced(let id, _, _):
                id
            case .unreadable(let id, _, _): id
            }
        }

        /// Whether the library may hold more than the catalogue knows.
        var isAhead: Bool {
            switch self {
            case .unknownCapture, .behind, .unreadable: true
            case .unarchived, .waiting, .missing, .damaged, .stray, .unarranged, .misplaced: false
            }
        }

        package var description: String {
            switch self {
            case .unknownCapture(let id, let folder): "\(folder): the catalogue does not know capture \(id)"
            case .behind(let id, let folder): "\(folder): the catalogue knows less of capture \(id) than its archive"
            case .unarchived(let id, let folder): "\(folder): capture \(id) has no archive that can be read"
            case .waiting(_, _, _, let path): "\(path): the file is there, but its row does not say so"
            case .missing(_, _, _, let path): "\(path): the file is missing"
            case .damaged(_, _, _, let path): "\(path): the file is not what was stored; its SHA-256 differs"
            case .stray(_, let path): "\(path): the catalogue knows no such file"
            case .unarranged(_, let folder): "\(folder): photos belong in the trash, or those in the trash here"
            case .misplaced(let id, let folder, let home): "\(folder): capture \(id) belongs in \(home)"
            case .unreadable(_, let place, let problem): "\(place): could not be read: \(problem)"
            }
        }
    }

    /// What was done about a finding.
    package struct Repair: Sendable, CustomStringConvertible {
        /// What was done, as a sentence.
        package let description: String
        /// How it ended.
        package let outcome: Outcome
        /// A capture that must not be resumed, as the library may hold more of it than the catalogue knows; otherwise
        /// nil.
        package let withheld: UniqueID?

        /// How a repair ended.
        package enum Outcome: Hashable, Sendable {
            /// It was put right, or moved aside.
            case done
            /// A stored photo is gone, or is no longer what it was.
            case loss
            /// Nothing could be done; a person has to act.
            case left
        }

        init(_ description: String, _ outcome: Outcome = .done, withheld: UniqueID? = nil) {
            (self.description, self.outcome, self.withheld) = (description, outcome, withheld)
        }
    }

    /// The folder of photos is not there, or holds no days, although the catalogue has stored photos: more likely an unmounted disk than
    /// a loss.
    package struct PhotosAway: Error, CustomStringConvertible {
        /// How many stored photos the catalogue has.
        let storedCount: Int
        let root: String
        /// Whether the folder is there, and empty.
        let isEmpty: Bool

        package var description: String {
            """
            The catalogue has \(storedCount) stored photos, but \(root)/photos is \(isEmpty ? "empty" : "missing"). Is the \
            disk that holds them mounted, or was the folder moved? Bring it back. If they are gone for good, `volley \
            verify \(root) --repair --photos-gone` counts them as lost
            """
        }
    }
}
