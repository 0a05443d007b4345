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
        // The intermediate profile of Mozilla's server side TLS, 5.7: forward secrecy and authenticated ciphers alone. TLS 1.3
        // has no others.
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw Problem(description: "\(key) is not the key of the certificate in \(chain)")
        }
        self.configuration = configuration
    }
}
