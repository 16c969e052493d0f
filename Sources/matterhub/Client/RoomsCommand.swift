import HubClient
import HubControl

/// `matterhub rooms`
enum RoomsCommand: CommandGroup {
    static let name = "rooms"
    static let summary = "List, create, rename and delete the home's rooms."
    static var help: CommandHelp { CommandHelp(usage: "list | create NAME | rename ROOM NAME | delete ROOM [OPTION]…") }
    static var subcommands: [any Command.Type] { [List.self, Create.self, Rename.self, Delete.self] }

    enum List: Command {
        static let name = "list"
        static let summary = "List the rooms."
        static var help: CommandHelp {
            CommandHelp(
                usage: "[OPTION]…", text: "--json prints one object a line: id, name.", options: HubAccess.options)
        }

        static func run(_ invocation: Invocation) async throws -> ExitStatus {
            _ = try invocation.arguments([])
            return try await invocation.withHub { hub in
                let rooms = try await hub.call(.rooms())
                if invocation.isJSON {
                    for room in rooms { invocation.console.print(room.json) }
                } else if rooms.isEmpty {
                    invocation.console.note("There are no rooms.")
                } else {
                    var table = TextTable("ID", "NAME")
                    for room in rooms { table.add(room.id.text, room.name) }
                    invocation.console.print(table.text)
                }
                return .ok
            }
        }
    }

    enum Create: Command {
        static let name = "create"
        static let summary = "Add a room."
        static var help: CommandHelp { CommandHelp(usage: "NAME [OPTION]…", options: HubAccess.options) }

        static func run(_ invocation: Invocation) async throws -> ExitStatus {
            let name = try invocation.argument("the name")
            return try await invocation.withHub { hub in
                let room = try await hub.call(.createRoom(named: name))
                if invocation.isJSON {
                    invocation.console.print(room.json)
                } else {
                    invocation.console.print(room.id.text)
                }
                return .ok
            }
        }
    }

    enum Rename: Command {
        static let name = "rename"
        static let summary = "Give a room another name; its devices stay in it."
        static var help: CommandHelp {
            CommandHelp(
                usage: "ROOM NAME [OPTION]…", text: "ROOM is an id, or a name that only one room has.",
                options: HubAccess.options)
        }

        static func run(_ invocation: Invocation) async throws -> ExitStatus {
            let words = try invocation.arguments(["the room", "the new name"])
            return try await invocation.withHub { hub in
                let room = try await hub.call(.renameRoom(try await room(words[0], hub), to: words[1]))
                if invocation.isJSON { invocation.console.print(room.json) }
                return .ok
            }
        }
    }

    enum Delete: Command {
        static let name = "delete"
        static let summary = "Remove a room; its devices stay, without a room."
        static var help: CommandHelp {
            CommandHelp(
                usage: "ROOM [OPTION]…", text: "ROOM is an id, or a name that only one room has.",
                options: HubAccess.options)
        }

        static func run(_ invocation: Invocation) async throws -> ExitStatus {
            let word = try invocation.argument("the room")
            return try await invocation.withHub { hub in
                try await hub.call(.deleteRoom(try await room(word, hub)))
                if invocation.isJSON { invocation.console.print([:]) }
                return .ok
            }
        }

    }

    /// The room that a word on the command line means.
    private static func room(_ word: String, _ hub: HubConnection) async throws -> RoomID {
        if let id = RoomID(text: word) { return id }
        let rooms = try await hub.call(.rooms())
        let named = rooms.filter { $0.name == word }
        let fitting = named.isEmpty ? rooms.filter { $0.name.lowercased() == word.lowercased() } : named
        guard let room = fitting.first, fitting.count == 1 else {
            throw CommandFailure(
                fitting.isEmpty
                    ? "there is no room “\(word)”; matterhub rooms list shows all"
                    : "\(fitting.count) rooms are called “\(word)”: use an id, \(fitting.map(\.id.text).joined(separator: " or "))"
            )
        }
        return room.id
    }
}
