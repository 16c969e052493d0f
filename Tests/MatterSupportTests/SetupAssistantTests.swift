import Glibc
import NetIO
import Testing

@testable import MatterSupport

@Suite("SetupAssistant", .timeLimit(.minutes(1))) struct SetupAssistantTests {
    static let homes: [SetupAssistant.Home] = [.init(displayName: "House"), .init(displayName: "Hut")]
    static let rooms: [SetupAssistant.Room] = [.init(displayName: "Hall"), .init(displayName: "2")]

    /// A person who types the given lines, and what was shown.
    private func typing(_ lines: String?...) -> (assistant: SetupAssistant, shown: Locked<[String]>) {
        let (rest, shown) = (Locked(lines), Locked<[String]>([]))
        let assistant = SetupAssistant(MatterSetupScript()) { question in
            shown.withLock { $0.append(question) }
            return rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
        return (assistant, shown)
    }

    @Test func `answers of the script`() async throws {
        let script = MatterSetupScript(
            code: "34970112332", address: "h:1", home: "Hut", room: "Hall", name: "Lamp")
        let assistant = SetupAssistant(script)
        #expect(try await assistant.code() == SetupCode("34970112332", address: "h:1"))
        #expect(try await assistant.home(among: Self.homes) == Self.homes[1])
        #expect(try await assistant.room(among: Self.rooms) == Self.rooms[0])
        #expect(try await assistant.name() == "Lamp")
        #expect(try await SetupAssistant(.init(room: MatterSetupScript.RoomChoice.none)).room(among: Self.rooms) == nil)
    }

    @Test func `answers that do not fit`() async throws {
        let assistant = SetupAssistant(MatterSetupScript(code: "12", home: "Barn", room: "Attic"))
        let code = await #expect(throws: MatterSetupError.self) { try await assistant.code() }
        #expect(code?.code == .invalidCode)
        let home = await #expect(throws: MatterSetupError.self) { try await assistant.home(among: Self.homes) }
        #expect(home?.message == "there is no home “Barn”; there are “House”, “Hut”")
        let room = await #expect(throws: MatterSetupError.self) { try await assistant.room(among: Self.rooms) }
        #expect(room?.code == .unknownChoice)
    }

    @Test func `without terminal a missing answer names its variable, and the name is the phone's`() async throws {
        let assistant = SetupAssistant(MatterSetupScript())
        let code = await #expect(throws: MatterSetupError.self) { try await assistant.code() }
        #expect(code?.code == .missingAnswer && code?.message.contains("MATTERHUB_SETUP_CODE") == true)
        let home = await #expect(throws: MatterSetupError.self) { try await assistant.home(among: Self.homes) }
        #expect(home?.message.contains("MATTERHUB_SETUP_HOME") == true)
        let room = await #expect(throws: MatterSetupError.self) { try await assistant.room(among: Self.rooms) }
        #expect(room?.message.contains("MATTERHUB_SETUP_ROOM") == true)
        #expect(try await assistant.name() == "Matter Accessory")
    }

    @Test func `a person may mistype, and chooses by name before number`() async throws {
        let (codes, shown) = typing("12", " 34970112332 ")
        #expect(try await codes.code().payload == "34970112332")
        #expect(shown.withLock { $0.count } == 2)
        #expect(shown.withLock { $0[1] }.contains("no onboarding code"))
        #expect(try await typing("3", "0", "2").assistant.home(among: Self.homes) == Self.homes[1])
        #expect(try await typing("2").assistant.room(among: Self.rooms) == Self.rooms[1])
        #expect(try await typing("1").assistant.room(among: Self.rooms) == Self.rooms[0])
        #expect(try await typing("").assistant.room(among: Self.rooms) == nil)
        #expect(try await typing("").assistant.name() == "Matter Accessory")
        #expect(try await typing("Lamp").assistant.name() == "Lamp")
    }

    @Test func `the end of input is a cancel`() async throws {
        await #expect(throws: CancellationError.self) { try await typing().assistant.code() }
        await #expect(throws: CancellationError.self) { try await typing("x", nil).assistant.home(among: Self.homes) }
    }

    @Test func `a line is read without what follows, and a cancelled question takes nothing`() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        defer { close(reader) }
        _ = write(writer, "one\ntwo\nhalf", 12)
        #expect(try await TerminalPrompt.ask("?", from: reader) == "one")
        #expect(try await TerminalPrompt.ask("?", from: reader) == "two")
        close(writer)
        #expect(try await TerminalPrompt.ask("?", from: reader) == "half")
        #expect(try await TerminalPrompt.ask("?", from: reader) == nil)
        #expect(pipe(&ends) == 0)
        let (silent, open) = (ends[0], ends[1])
        let asking = Task { try await TerminalPrompt.ask("?", from: silent) }
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        _ = write(open, "kept\n", 5)
        #expect(try await TerminalPrompt.ask("?", from: silent) == "kept")
        close(silent)
        close(open)
    }
}
