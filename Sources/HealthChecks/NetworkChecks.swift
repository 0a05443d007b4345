import Glibc
package import Posix

/// Whether machines of a rig reach each other.
package enum NetworkChecks {
    /// - Parameters:
    ///   - isGiven: whether somebody wrote the address down; otherwise it is what nodes try by themselves.
    ///   - connect: connects, hangs up, and answers why it could not.
    package static func coordinator(
        _ host: String, port: Int, isGiven: Bool,
        connect: (String, Int) -> SystemError? = { TCPProbe.connect($0, port: $1) }
    ) -> Finding {
        guard let error = connect(host, port) else {
            return .ok("coordinator", "Something listens at \(host):\(port).")
        }
        let advice =
            switch error.errno {
            case ENOENT where isGiven: "Nobody knows that name: check 'coordinator' in the configuration."
            case ENOENT:
                "Nobody knows that name: write `coordinator: HOST` into the configuration, or have avahi-daemon run "
                    + "on a coordinator's machine that is called volley."
            case EAGAIN: "No name server answers: check /etc/resolv.conf and the network, or write an address."
            case ECONNREFUSED: "The machine is there, the program is not: start volley-coordinator, or check the port."
            case _: "Check cable, addresses and firewalls: TCP \(port) to \(port + 4), and UDP \(port) for joining."
            }
        let reason =
            switch error.errno {
            case ENOENT: "the name is not known"
            case EAGAIN: "the name cannot be looked up now"
            case _: String(cString: strerror(error.errno))
            }
        return .problem("coordinator", "\(host):\(port) cannot be reached: \(reason).", advice: advice)
    }

    /// - Parameter host: where a coordinator listens; `*` for everywhere.
    package static func listening(at host: String) -> Finding {
        guard host == "localhost" || host == "[::1]" || host.hasPrefix("127.") else {
            return .ok("network", "It listens at \(["*", "[::]", "0.0.0.0"].contains(host) ? "all addresses" : host).")
        }
        return .warning(
            "network", "It listens at \(host) alone, where no board on another machine reaches it.",
            advice: "Write `listen: \"*\"`, or the address of the rig's network, into the configuration.")
    }
}
