import HubControl

/// Finds the subcommand, parses its options, answers `--help`, and turns errors into messages and a status.
enum CommandRunner {
    static func run(_ root: any Command.Type, _ words: [String], _ console: Console) async -> ExitStatus {
        var call = Call(command: root, path: [root.name], words: words)
        do {
            try call.descend()
            return try await run(call, console)
        } catch let error as UsageError {
            console.error(error.message)
            console.note("See “\(call.path.joined(separator: " ")) --help”.")
            return .usage
        } catch let error as CommandFailure {
            console.error(error.message)
            return error.status
        } catch let error as ControlError {
            report(error, console)
            return ExitStatus(error.code)
        } catch is CancellationError {
            return .interrupted
        } catch {
            console.error("\(error)")
            return .failed
        }
    }

    /// A command with the words that led to it and those that follow.
    private struct Call {
        var command: any Command.Type
        var path: [String]
        var words: [String]

        var group: (any CommandGroup.Type)? { command as? any CommandGroup.Type }

        /// Follows the names of subcommands; `help` in front is `--help` behind.
        mutating func descend() throws(UsageError) {
            while let group, let word = words.first, !word.hasPrefix("-") {
                words.removeFirst()
                if word == "help", path.count == 1 {
                    words.append("--help")
                    continue
                }
                guard let next = group.subcommands.first(where: { $0.name == word }) else {
                    let known = group.subcommands.map { $0.name }.joined(separator: ", ")
                    throw UsageError("“\(word)” is no subcommand; there are: \(known)")
                }
                command = next
                path.append(word)
            }
        }
    }

    private static func run(_ call: Call, _ console: Console) async throws -> ExitStatus {
        let section = try Configuration.section(for: call.path.last ?? "", environment: console.environment)
        let options = try ParsedOptions(
            call.words, options: call.command.help.options + [.help], environment: console.environment,
            configuration: section)
        if options.flag("help") {
            console.print(text(call))
            return .ok
        }
        if call.group != nil, options.flag("version") {
            console.print("\(call.path[0]) \(MatterHubCommand.version)")
            return .ok
        }
        return try await call.command.run(Invocation(path: call.path, options: options, console: console))
    }

    /// The whole help of a command.
    private static func text(_ call: Call) -> String {
        let help = call.command.help
        var parts = ["Usage: \(call.path.joined(separator: " ")) \(help.usage)", call.command.summary]
        if let group = call.group {
            let width = (group.subcommands.map { $0.name.count }.max() ?? 0) + 2
            let rows = group.subcommands.map { each in
                "  " + each.name + String(repeating: " ", count: width - each.name.count) + each.summary
            }
            parts.append((["Subcommands (--help after each says more):"] + rows).joined(separator: "\n"))
        }
        if !help.text.isEmpty { parts.append(help.text) }
        parts.append((["Options:"] + (help.options + [.help]).map(\.helpLine)).joined(separator: "\n"))
        return parts.joined(separator: "\n\n")
    }

    private static func report(_ error: ControlError, _ console: Console) {
        console.error(error.description)
        if let wait = error.retryAfterMs { console.note("Try again in \((wait + 999) / 1000) s.") }
        for action in error.suggestedUserActions { console.note("What to do: \(action.plainWords)") }
    }
}

extension SuggestedUserAction {
    /// The action as a sentence for people.
    var plainWords: String {
        switch self {
        case .checkHubAvailability: "see that the hub runs and can be reached."
        case .checkWifiNetwork: "see that this machine and the device are on the same network."
        case .checkDeviceAvailability: "see that the device has power and is in commissioning mode."
        case .factoryResetDevice: "reset the device to its factory state."
        case .tryAgainLater: "try again later."
        default: rawValue
        }
    }
}
