import MatterCapture
import MatterNode
import NetIO

/// Captures of the Matter side, for commands that run a node.
enum CaptureOptions {
    static let options: [CommandOption] = [
        .value("capture", "FILE", "append the Matter datagrams to a pcapng file (matterhub transcript decode)"),
        .value(
            "capture-keys", "FILE", "with --capture: append session keys; whoever has them can read this run's traffic"),
    ]

    /// What `--capture` and `--capture-keys` ask for, once the node's port is known; `nil` for no capture.
    ///
    /// Warns when keys are written.
    static func capture(
        _ options: ParsedOptions, of node: String, _ console: Console
    ) throws -> (@Sendable (UInt16) throws -> CaptureLog)? {
        let keys = try options.string("capture-keys")
        guard let path = try options.string("capture") else {
            guard keys == nil else { throw UsageError("--capture-keys is for --capture FILE") }
            return nil
        }
        guard keys != path else { throw UsageError("--capture and --capture-keys must be two files") }
        return { port in
            do {
                let log = try CaptureLog(
                    path: path, keys: keys, interface: node, application: "matterhub \(MatterHubCommand.version)",
                    localPort: port, report: { console.note($0) })
                if let keys {
                    console.note(
                        "warning: \(keys) gets the session keys: whoever has it can read the Matter traffic of this run."
                    )
                }
                return log
            } catch {
                throw CommandFailure("the capture \(path)\(keys.map { " or \($0)" } ?? "") cannot be written: \(error)")
            }
        }
    }
}
