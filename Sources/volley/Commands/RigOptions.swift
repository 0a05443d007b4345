import ArgumentParser
import CaptureModel
import Catalogue
import Foundation
import LibraryCare
import RigConfiguration
import RigMembership
import RigProtocol
import RigTransport
import ZeroMQ

/// Opens a library's catalogue for reading.
func openCatalogue(library: String) throws -> Catalogue {
    let path = library + "/catalogue.sqlite"
    if access(path, R_OK) != 0, errno == EACCES {
        throw OperatorClient.ClientError.refused(Refusal(.notAllowed, "\(path): permission denied"))
    }
    return try LibraryMaintenance.catalogue(of: library)
}

extension CaptureState: ExpressibleByArgument {}

extension NodeName: ExpressibleByArgument {
    /// A name that is new.
    static func typed(_ text: String) throws -> NodeName {
        guard let name = NodeName(text) else {
            throw ValidationError("A name has 1 to 64 letters, digits, - and _.")
        }
        return name
    }
}
