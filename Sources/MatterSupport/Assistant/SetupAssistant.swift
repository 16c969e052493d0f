/// The person who holds the phone: answers from a script, and asks in the terminal for the rest.
package struct SetupAssistant: Sendable {
    package typealias Home = MatterAddDeviceRequest.Home
    package typealias Room = MatterAddDeviceRequest.Room

    /// What is answered already.
    package var script: MatterSetupScript
    /// Shows a question and returns the line that was typed, or `nil` when the person wants no more; `nil` without a
    /// terminal.
    package var prompt: (@Sendable (String) async throws -> String?)?

    /// Puts a person together.
    package init(_ script: MatterSetupScript, prompt: (@Sendable (String) async throws -> String?)? = nil) {
        self.script = script
        self.prompt = prompt
    }

    /// The code of the device.
    package func code() async throws -> SetupCode {
        if let code = script.code { return try SetupCode(code, address: script.address) }
        return try await ask("Scan or type the device's code", .code) { text throws(MatterSetupError) in
            try SetupCode(text, address: script.address)
        }
    }

    /// The home to put the device in; of several.
    package func home(among homes: [Home]) async throws -> Home {
        if let name = script.home { return try Self.pick(name, homes.map(\.displayName), homes, "home") }
        return try await ask(Self.menu("Add the device to which home?", homes.map(\.displayName)), .home) {
            text throws(MatterSetupError) in
            try Self.pick(text, homes.map(\.displayName), homes, "home")
        }
    }

    /// The room to put the device in; `nil` for none.
    package func room(among rooms: [Room]) async throws -> Room? {
        switch script.room {
        case RoomChoice.none?: return nil
        case .named(let name)?: return try Self.pick(name, rooms.map(\.displayName), rooms, "room")
        case nil: break
        }
        let question = Self.menu("Put it in which room? (an empty line for none)", rooms.map(\.displayName))
        return try await ask(question, .room) { text throws(MatterSetupError) in
            text.isEmpty ? nil : try Self.pick(text, rooms.map(\.displayName), rooms, "room")
        }
    }

    private typealias RoomChoice = MatterSetupScript.RoomChoice

    /// The name of the device; as the phone offers it, when nothing else is said.
    package func name() async throws -> String {
        if let name = script.name { return name }
        guard prompt != nil else { return MatterSetupScript.defaultName }
        return try await ask("Name the device (an empty line for “\(MatterSetupScript.defaultName)”)", .name) {
            text throws(MatterSetupError) in
            text.isEmpty ? MatterSetupScript.defaultName : text
        }
    }

    /// Asks until the answer can be used.
    private func ask<Answer>(
        _ question: String, _ variable: MatterSetupScript.Variable, _ read: (String) throws(MatterSetupError) -> Answer
    ) async throws -> Answer {
        guard let prompt else {
            throw MatterSetupError(
                .missingAnswer,
                "nobody answers “\(question)”: set \(variable.rawValue), or the same in \(MatterSetupScript.Variable.script.rawValue), or run in a terminal"
            )
        }
        var shown = question
        while let line = try await prompt(shown) {
            do throws(MatterSetupError) {
                return try read(line.trimmingCharacters(in: .whitespaces))
            } catch {
                shown = "\(error.message)\n\(question)"
            }
        }
        throw CancellationError()
    }

    /// By name, or by the number in the menu; the first of several with the same name.
    private static func pick<T>(
        _ text: String, _ names: [String], _ values: [T], _ what: String
    ) throws(MatterSetupError) -> T {
        if let index = names.firstIndex(of: text) { return values[index] }
        if let number = Int(text), values.indices.contains(number - 1) { return values[number - 1] }
        throw MatterSetupError(
            .unknownChoice,
            "there is no \(what) “\(text)”; there are \(names.map { "“\($0)”" }.joined(separator: ", "))")
    }

    private static func menu(_ question: String, _ names: [String]) -> String {
        ([question] + names.enumerated().map { "  \($0.offset + 1)  \($0.element)" }).joined(separator: "\n")
    }
}
