import Glibc

/// Whether what DNS-SD needs is running on this machine.
package enum DNSServiceAvailability: Hashable, Sendable {
    case available
    /// D-Bus's system bus doesn't answer at its socket.
    case noBus(socket: String)
    /// The bus runs, but Avahi's daemon doesn't.
    case noDaemon(installed: Bool)

    /// Where Avahi's daemon listens, which tells that it runs.
    private static let daemonSockets = ["/run/avahi-daemon/socket", "/var/run/avahi-daemon/socket"]
    private static let daemonProgram = "/usr/sbin/avahi-daemon"

    /// Looks now; takes microseconds and starts nothing.
    package static func current() -> DNSServiceAvailability {
        let bus = busSocket()
        if !answers(bus) { return .noBus(socket: bus) }
        if !daemonSockets.contains(where: answers) { return .noDaemon(installed: access(daemonProgram, X_OK) == 0) }
        return .available
    }

    /// What is missing and the command that mends it, in plain words; `nil` when nothing is.
    package var explanation: String? {
        switch self {
        case .available: nil
        case .noBus(let socket):
            "no D-Bus system bus answers at \(socket), which Avahi (DNS-SD) needs. "
                + "Start it: sudo systemctl start dbus (or: sudo apt install dbus)"
        case .noDaemon(installed: true):
            "avahi-daemon (DNS-SD) isn't running. Start it: sudo systemctl start avahi-daemon"
        case .noDaemon(installed: false):
            "avahi-daemon (DNS-SD) isn't installed. Install and start it: sudo apt install avahi-daemon"
        }
    }

    /// From `DBUS_SYSTEM_BUS_ADDRESS` when it names a path, else the usual place.
    private static func busSocket() -> String {
        let usual = "/run/dbus/system_bus_socket"
        guard let value = getenv("DBUS_SYSTEM_BUS_ADDRESS") else { return usual }
        let address = String(cString: value)
        guard let start = address.range(of: "unix:path=") else { return usual }
        return String(address[start...].prefix { $0 != "," && $0 != ";" })
    }

    private static func answers(_ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withUnsafeBytes(of: &address) { raw in
            connect(descriptor, raw.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(raw.count)) == 0
        }
    }
}

extension String {
    /// The index behind the first occurrence of the text.
    fileprivate func range(of text: String) -> Index? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
