public import HubControl

/// What an app and its extension share: a folder that both may use at the same time.
public struct GroupFolder: Hashable, Sendable {
    /// The app group.
    public let name: String
    /// The folder's path.
    public let path: String

    private var grantPath: String { "\(path)/grant" }
    private var statePath: String { "\(path)/state.json" }
    private var lockPath: String { "\(path)/lock" }

    /// The group's grant; `nil` when it has none.
    public func grant() throws(ControlError) -> GrantToken? { try StateFolder.grant(at: grantPath) }

    /// Puts a grant in place of an older one; `nil` forgets it.
    public func setGrant(_ grant: GrantToken?) throws(ControlError) {
        try locked { () throws(ControlError) in
            if let grant {
                try StateFile.write(Array("\(grant.text)\n".utf8), to: grantPath)
            } else {
                try StateFile.remove(grantPath)
            }
        }
    }

    /// What is known; empty when nothing was kept yet.
    public func state() throws(ControlError) -> GroupState {
        guard let bytes = try StateFile.read(statePath) else { return GroupState() }
        do throws(ControlProtocolError) {
            return try GroupState(json: JSONObject(parsing: bytes))
        } catch {
            throw ControlError(.internal, "\(statePath) is damaged: \(error.message)", reason: ClientReason.state)
        }
    }

    /// Changes what is known, while no other process does.
    public func update<R>(_ body: (inout GroupState) throws(ControlError) -> R) throws(ControlError) -> R {
        try locked { () throws(ControlError) in
            let before = try state()
            var after = before
            let result = try body(&after)
            if after != before { try StateFile.write(after.json.encoded(.indented), to: statePath) }
            return result
        }
    }

    private func locked<R>(_ body: () throws(ControlError) -> R) throws(ControlError) -> R {
        try StateFile.makeFolder(path)
        return try StateFile.withLock(lockPath, body)
    }
}

/// What the processes of an app group know together.
public struct GroupState: Hashable, Sendable {
    /// Where the hub was the last time.
    public var hubs: [HubAddress]
    /// The structure that the grant covers.
    public var structure: StructureID?
    /// The session that the app prepared last.
    public var session: CommissioningSessionID?
    /// Why the last commission of that session failed.
    public var failure: ControlError?

    /// Makes a state.
    public init(
        hubs: [HubAddress] = [], structure: StructureID? = nil, session: CommissioningSessionID? = nil,
        failure: ControlError? = nil
    ) {
        self.hubs = hubs
        self.structure = structure
        self.session = session
        self.failure = failure
    }

    var json: JSONObject {
        [
            "hubs": .array(hubs.map { .string($0.description) }), "structure": structure?.json,
            "session": session?.json, "failure": failure.map { .object($0.json) },
        ]
    }

    init(json: JSONObject) throws(ControlProtocolError) {
        hubs = try json.strings("hubs").compactMap { HubAddress($0) }
        structure = try json.optionalIdentifier("structure")
        session = try json.optionalIdentifier("session")
        if let failure = try json.optionalObject("failure") { self.failure = try ControlError(json: failure) }
    }
}
