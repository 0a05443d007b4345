import ArgumentParser
import CaptureModel
import Foundation
import LibraryCare
import Posix
import Programs
import RigConfiguration
import RigMembership

/// `volley-coordinator backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies all that a coordinator is, but for the photos, into a new folder.",
        discussion: """
            Its key, who belongs to the rig, its configuration, and its catalogue as of one instant; the coordinator may \
            run meanwhile. Photos are ordinary files, which rsync copies, and a folder on a NAS needs no copy. \
            `volley-coordinator restore` puts the rest onto another machine. Default configuration: \
            \(CoordinatorOptions.usualPath).
            """)

    @Argument(help: "The folder to make. It will hold the coordinator's secret key.") var folder: String
    @OptionGroup var places: PlaceOptions

    func run() async throws {
        try await CoordinatorOptions.reporting {
            let (config, library, state) = try places.read()
            guard StateFolder(state).isThere else {
                throw ConfigurationError(place: state, message: "there is no coordinator's key in this folder")
            }
            let files = PosixFileSystem()
            try StateFolder(state).check()
            guard mkdir(folder, 0o700) == 0 else {
                if errno == ENOENT {
                    throw ConfigurationError(
                        place: folder, message: "there is no folder \(files.parent(of: folder)) to make it in")
                }
                guard errno != EEXIST else {
                    throw ConfigurationError(place: folder, message: "it exists already; name a new folder")
                }
                throw SystemError.last("mkdir", folder)
            }
            let count: Int
            do {
                try StateFolder(state).copy(to: folder + "/state")
                if let config {
                    try files.writeDurably(try files.read(config), to: folder + "/coordinator.yaml")
                }
                count = try await LibraryMaintenance(library).backUp(to: folder + "/catalogue.sqlite")
            } catch {
                // Half a backup, with the key in it, helps nobody.
                try? FileManager.default.removeItem(atPath: folder)
                throw error
            }
            Output.words(
                "\(count == 1 ? "1 capture" : "\(count) captures"), the coordinator's key and its rig are in \(folder); keep it as you would the key. "
                    + "The photos are in \(library)/photos.")
        }
    }
}

/// `volley-coordinator restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restores a coordinator from a backup.",
        discussion: """
            Stop the coordinator here, and see that the one that it replaces never starts again. Copy or mount the photos \
            into the library first. Boards follow as soon as they find this machine under the name or the address in their \
            configuration: the key that they know comes along. What was here is kept under another name. Default \
            configuration: \(CoordinatorOptions.usualPath).
            """)

    @Argument(help: "A folder made by `volley-coordinator backup`.") var folder: String
    @OptionGroup var places: PlaceOptions

    func run() async throws {
        try await CoordinatorOptions.reporting {
            let (_, library, state) = try places.read()
            let copy = StateFolder(folder + "/state")
            guard copy.isThere else {
                throw ConfigurationError(place: folder, message: "this is no folder of `volley-coordinator backup`")
            }
            guard access(library + "/photos", F_OK) == 0 || errno != ENOENT else {
                throw ConfigurationError(
                    place: library,
                    message: "there is no folder 'photos' in it; copy or mount the photos of the rig there first")
            }
            try copy.check()
            // This lock and the library's are refused while a coordinator runs, before anything is changed.
            let (files, nodes) = (PosixFileSystem(), state + "/nodes")
            let lock = files.isFolder(nodes) ? try files.lock(nodes) : nil
            defer { withExtendedLifetime(lock) {} }
            let catalogue = try await LibraryMaintenance(library).restore(from: folder + "/catalogue.sqlite")
            let former = try StateFolder(state).replace(with: copy, ownedLike: library)
            for place in [catalogue.former, former].compactMap(\.self) {
                Output.words("What was here is now \(place).")
            }
            Output.words(
                "The catalogue has \(catalogue.captureCount) of the captures. Start the coordinator: it takes what is newer from the photos' folders "
                    + "and from its nodes.")
            Output.words(
                "Who belongs to the rig, and who may do what, is as it was at the backup: repeat what was changed since, "
                    + "what was revoked first. Until then a revoked key counts again.")
        }
    }
}
