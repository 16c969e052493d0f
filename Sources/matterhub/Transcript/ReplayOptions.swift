import Foundation
import HubClient
import HubControl
import NetIO
import Transcript

/// Options that the subcommands of `transcript` share.
enum ReplayOptions {
    static let substitutions: [CommandOption] = [
        .value(
            "grant-file", "FILE", configurable: true,
            "the grant for <grant-text-…> (default: admin.grant of --state-dir)"),
        .value("code", "CODE", "the onboarding code for <code-…>, and for codes in the transcript"),
        .value("address", "HOST:PORT", "the device's address for <address-…>, and for addresses in the transcript"),
        .value("set", "NAME=VALUE", "for the placeholder <NAME>; @FILE reads a file. May be given several times"),
    ]

    /// What stands for placeholders; a file is read for `@FILE`, so that secrets stay off the command line.
    static func values(_ invocation: Invocation, needsGrant: Bool) throws -> ReplaySubstitutions {
        let options = invocation.options
        var values: [String: String] = [:]
        values["code"] = try options.string("code")
        values["address"] = try options.string("address")
        for text in options.strings("set") {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw UsageError("--set must be NAME=VALUE, not “\(text)”")
            }
            let value = String(text[text.index(after: equals)...])
            values[String(text[..<equals])] = value.hasPrefix("@") ? try file(String(value.dropFirst())) : value
        }
        if let path = try options.string("grant-file") {
            values["grant-text"] = try file(path)
        } else if needsGrant, !values.keys.contains(where: { $0.hasPrefix("grant-text") }) {
            let folder = HubClient.StateFolder(path: try StateFolder.path(options, invocation.console))
            if let grant = try folder.adminGrant() { values["grant-text"] = grant.text }
        }
        return ReplaySubstitutions(values)
    }

    private static func file(_ path: String) throws -> String {
        let grant: String
        do {
            grant = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw CommandFailure("\(path) cannot be read: \(error.localizedDescription)")
        }
        return grant.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func hub(_ options: ParsedOptions) throws -> [SocketAddress] {
        let text = try options.string("hub") ?? "localhost"
        guard let parts = HostAndPort(text, defaultPort: HubAddress.defaultPort) else {
            throw UsageError("--hub must be host or host:port, not “\(text)”")
        }
        do throws(NetError) {
            return try parts.resolveBlocking()
        } catch {
            throw CommandFailure("the hub \(text) cannot be found: \(error)", status: .unreachable)
        }
    }

    static func listener(_ options: ParsedOptions) throws -> TCPListener {
        let text = try options.string("listen") ?? "127.0.0.1:0"
        guard let parts = HostAndPort(text), let address = SocketAddress(host: parts.host, port: parts.port) else {
            throw UsageError("--listen must be a numeric address and a port, such as 127.0.0.1:5543, not “\(text)”")
        }
        do throws(NetError) {
            return try TCPListener(port: address.port, addresses: [address.ip])
        } catch {
            throw CommandFailure("\(text): \(error)")
        }
    }
}
