import NIOSSL

/// What the console shows browsers that want to know who it is, and with which they talk so that nobody listens.
package struct ServerCertificate: Sendable {
    let configuration: TLSConfiguration

    /// Why it cannot be used, for a person.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads both files, in PEM.
    ///
    /// - Parameters:
    ///   - chain: the certificate's file, with those that lead to one that browsers trust.
    ///   - key: its private key's file.
    package init(chain: String, key: String) throws(Problem) {
        let certificates: [NIOSSLCertificate]
        do { certificates = try NIOSSLCertificate.fromPEMFile(chain) } catch {
            throw Problem(description: "\(chain): there is no certificate in it that can be read")
        }
        let privateKey: NIOSSLPrivateKey
        do { privateKey = try NIOSSLPrivateKey(file: key, format: .pem) } catch {
            throw Problem(description: "\(key): there is no private key in it that can be read, or it has a passphrase")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw Problem(description: "\(key) is not the key of the certificate in \(chain)")
        }
        self.configuration = configuration
    }
}
