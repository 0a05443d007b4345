import ArgumentParser

/// `volley rig`.
struct RigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rig", abstract: "Keeps where the rig's cameras stand, and finds out which was moved.",
        discussion: """
            The geometry of a rig is kept by camera, in versions, each with the captures that it comes from. Exports \
            of captures that were taken since carry its poses.
            """,
        subcommands: [
            CalibrateRigCommand.self, CheckRigCommand.self, ShowRigCommand.self, RigVersionsCommand.self,
            ImportRigCommand.self, ExportRigCommand.self,
        ])
}
