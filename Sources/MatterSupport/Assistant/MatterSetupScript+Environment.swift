import HubControl

extension MatterSetupScript {
    /// The variables that answer one question each; they go before the same answer in `MATTERHUB_SETUP`.
    package enum Variable: String, CaseIterable, Sendable {
        /// The script: JSON text, or the path of a file with it.
        case script = "MATTERHUB_SETUP"
        /// ``MatterSetupScript/code``
        case code = "MATTERHUB_SETUP_CODE"
        /// ``MatterSetupScript/address``
        case address = "MATTERHUB_SETUP_ADDRESS"
        /// ``MatterSetupScript/home``
        case home = "MATTERHUB_SETUP_HOME"
        /// ``MatterSetupScript/room``; set and empty to go on without a room.
        case room = "MATTERHUB_SETUP_ROOM"
        /// ``MatterSetupScript/name``
        case name = "MATTERHUB_SETUP_NAME"
        /// ``MatterSetupScript/cancelAt``
        case cancelAt = "MATTERHUB_SETUP_CANCEL_AT"
        /// ``MatterSetupScript/wifi``: names, separated by commas.
        case wifi = "MATTERHUB_SETUP_WIFI"
        /// ``MatterSetupScript/thread``: `NAME:EXTENDED_PAN_ID`, separated by commas.
        case thread = "MATTERHUB_SETUP_THREAD"
        /// ``MatterSetupScript/phoneFabric``: 0 or 1.
        case phoneFabric = "MATTERHUB_PHONE_FABRIC"
    }

    /// No script file is longer, in bytes.
    static let maximumLength = 1 << 20

    /// Reads the script and the single variables of an environment.
    ///
    /// - Throws: ``MatterSetupError`` `invalidScript`, naming the variable at fault.
    public init(environment: [String: String]) throws {
        try self.init(variables: environment)
    }

    /// See ``init(environment:)``.
    package init(variables: [String: String]) throws(MatterSetupError) {
        func value(_ variable: Variable) -> String? {
            variables[variable.rawValue].flatMap { $0.isEmpty ? nil : $0 }
        }
        if let text = value(.script) {
            try self.init(parsing: Self.scriptBytes(text), from: Variable.script.rawValue)
        } else {
            self.init()
        }
        code = value(.code) ?? code
        address = value(.address) ?? address
        home = value(.home) ?? home
        if let room = variables[Variable.room.rawValue] { self.room = room.isEmpty ? RoomChoice.none : .named(room) }
        name = value(.name) ?? name
        if let text = value(.cancelAt) {
            guard let step = MatterSetupStep(rawValue: text) else {
                let steps = MatterSetupStep.allCases.map(\.rawValue).joined(separator: ", ")
                throw Self.wrong(.cancelAt, text, "it is one of \(steps)")
            }
            cancelAt = step
        }
        if let text = value(.wifi) { wifi = text.split(separator: ",").map { Self.wifi(named: String($0)) } }
        if let text = value(.thread) {
            thread = try text.split(separator: ",").map { part throws(MatterSetupError) in
                guard let network = Self.thread(String(part)) else {
                    throw Self.wrong(
                        .thread, String(part), "a network is NAME:EXTENDED_PAN_ID with 16 hexadecimal digits")
                }
                return network
            }
        }
        if let text = value(.phoneFabric) {
            guard text == "0" || text == "1" else { throw Self.wrong(.phoneFabric, text, "it is 0 or 1") }
            phoneFabric = text == "1"
        }
    }

    private static func wrong(_ variable: Variable, _ text: String, _ rule: String) -> MatterSetupError {
        MatterSetupError(.invalidScript, "\(variable.rawValue) is “\(text)”: \(rule)")
    }

    /// Text that begins with a brace is the script itself; any other is a file's path.
    private static func scriptBytes(_ text: String) throws(MatterSetupError) -> [UInt8] {
        guard text.first(where: { !$0.isWhitespace }) != "{" else { return Array(text.utf8) }
        guard let file = FileHandle(forReadingAtPath: text) else {
            throw wrong(.script, text, "there is no such file that can be read, and JSON text would begin with {")
        }
        do {
            let bytes = try file.read(upToCount: maximumLength + 1) ?? Data()
            guard bytes.count <= maximumLength else { throw wrong(.script, text, "the file is longer than 1 MiB") }
            return [UInt8](bytes)
        } catch let error as MatterSetupError {
            throw error
        } catch {
            throw wrong(.script, text, "the file cannot be read: \(error.localizedDescription)")
        }
    }
}
