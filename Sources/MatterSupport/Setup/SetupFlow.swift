/// The setup of one device, from the code to its name, without doing any of it (MatterSupport.md tells why in this order).
///
///     idle ─ started ─▶ scanning ─ codeScanned ─▶ pickingHome ─ homePicked ─┐      one home or none: no picker
///                           └────────────────────────────────────────────────┴──▶ examining or joining
///     examining ─ examined ─┬─▶ validating ─ answered ─┐       phone's fabric off; no credential: no validating
///     joining ─── joined ───┘     └─ (no credential) ──┴─▶ selectingWiFi ─ answered ─▶ selectingThread ─ answered ─┐
///                                                          (only for devices that need it)                        │
///     ┌────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
///     └▶ listingRooms ─ answered ─▶ pickingRoom ─ roomPicked ─▶ naming ─ named ─┬─▶ openingWindow ─ windowOpened ─┐
///                          └─ (no rooms) ────────────────────────▶ │            └─ (phone's fabric off) ──────────┤
///     ┌───────────────────────────────────────────────────────────────────────────────────────────────────────────┘
///     └▶ commissioning ─ answered ─▶ configuring ─ answered ─▶ finished, the phone's fabric stays on the device
///
///     failed(f), in every state from scanning to configuring:
///         nothing joined ─▶ finished(f)        joined ─▶ cleaning(f) ─ removed ─▶ finished(f)
///
/// An event that a state does not wait for changes nothing and asks for nothing.
package struct SetupFlow: Sendable {
    package typealias Home = MatterAddDeviceRequest.Home
    package typealias Room = MatterAddDeviceRequest.Room

    /// What is known before the code.
    package struct Plan: Hashable, Sendable {
        /// What the app asks for.
        package var topology: MatterAddDeviceRequest.Topology
        /// Which devices it takes.
        package var criteria: MatterAddDeviceRequest.DeviceCriteria
        /// The code, when the app gives it; then nobody scans.
        package var code: SetupCode?
        /// Whether the phone commissions the device first.
        package var usesPhoneFabric: Bool
        /// The Wi-Fi networks that the device sees; `nil` to ask the extension only when the device needs Wi-Fi.
        package var wifi: [MatterAddDeviceExtensionRequestHandler.WiFiScanResult]?
        /// The Thread networks that the device sees; `nil` to ask the extension only when the device needs Thread.
        package var thread: [MatterAddDeviceExtensionRequestHandler.ThreadScanResult]?
        /// Whether the device looks for networks; without, the extension gets none to choose from.
        package var scansNetworks: Bool
        /// Names the commissioning to the extension.
        package var commissioningID: UUID
    }

    /// What the driver does next; each but `finish` and `none` ends in one event.
    package enum Action: Hashable, Sendable {
        /// Let the person scan; ends in `codeScanned`.
        case scanCode
        /// Let the person pick; ends in `homePicked`.
        case pickHome([Home])
        /// Let the phone look at the device; ends in `examined`.
        case examine(SetupCode)
        /// Let the phone commission the device; ends in `joined`.
        case join(SetupCode)
        /// Call the extension; ends in `answered`.
        case call(ExtensionCall)
        /// Let the person pick; ends in `roomPicked`.
        case pickRoom([Room])
        /// Let the person type; ends in `named`.
        case askName
        /// Let the phone open a window; ends in `windowOpened`.
        case openWindow(PhoneDevice)
        /// Take the phone's fabric off the device, whatever else was cancelled; ends in `removed`.
        case remove(PhoneDevice)
        /// Tell the app.
        case finish(Result<SetupReport, SetupFailure>)
        /// Nothing.
        case none
    }

    /// What happened.
    package enum Event: Hashable, Sendable {
        /// The app called `perform()`.
        case started
        /// There is a code.
        case codeScanned(SetupCode)
        /// The person picked a home.
        case homePicked(Home)
        /// The phone has looked at the device.
        case examined(PhoneExamination)
        /// The device is on the phone's fabric.
        case joined(PhoneDevice)
        /// The extension's method returned.
        case answered(ExtensionAnswer)
        /// The person picked a room; `nil` for none.
        case roomPicked(Room?)
        /// The person typed a name.
        case named(String)
        /// The window is open, with this code.
        case windowOpened(String)
        /// The phone is done with the device.
        case removed
        /// The running step failed, was cancelled or took too long.
        case failed(SetupFailure.Cause)
    }

    /// A device that was found, and what it still needs.
    private struct Found: Sendable {
        var code: SetupCode
        var home: Home?
        var phone: PhoneDevice?
        var networks: NetworkNeeds
    }

    private enum State: Sendable {
        case idle
        case scanning
        case pickingHome(SetupCode)
        case examining(SetupCode, Home?)
        case joining(SetupCode, Home?)
        case validating(Found)
        case selectingWiFi(Found)
        case selectingThread(Found)
        case listingRooms(Found)
        case pickingRoom(Found, [Room])
        case naming(Found, Room?)
        case openingWindow(Found, String, Room?)
        case commissioning(String, Room?)
        case configuring
        case cleaning(SetupFailure)
        case finished
    }

    private let plan: Plan
    private var state = State.idle
    /// What became of the setup so far.
    package private(set) var report = SetupReport()

    /// Makes a setup that waits for ``Event/started``.
    package init(_ plan: Plan) { self.plan = plan }

    /// The step that is running; `nil` before the first and after the last.
    package var step: MatterSetupStep? {
        switch state {
        case .idle, .cleaning, .finished: nil
        case .scanning: .scan
        case .pickingHome: .home
        case .examining, .joining: .device
        case .validating: .validate
        case .selectingWiFi: .wifi
        case .selectingThread: .thread
        case .listingRooms: .rooms
        case .pickingRoom: .room
        case .naming: .name
        case .openingWindow: .window
        case .commissioning: .commission
        case .configuring: .configure
        }
    }

    /// Whether nothing happens any more.
    package var isFinished: Bool { if case .finished = state { true } else { false } }

    /// The running step was stopped, by the person, the app or the time limit.
    ///
    /// - Parameter late: what the step ended in all the same. Only a device that joined the phone counts: it has to be
    ///   taken off again.
    package mutating func stopped(_ cause: SetupFailure.Cause, late: Event?) -> Action {
        if case .joined? = late, let late {
            let step = step
            _ = handle(late)
            if let step { return fail(cause, at: step) }
        }
        return handle(.failed(cause))
    }

    /// Takes in what happened.
    package mutating func handle(_ event: Event) -> Action {
        switch event {
        case .failed(let cause): return fail(cause)
        case .answered(let answer): return answered(answer)
        case .started, .codeScanned, .homePicked, .examined, .joined, .roomPicked, .named, .windowOpened, .removed:
            break
        }
        switch state {
        case .idle:
            guard case .started = event else { return .none }
            state = .scanning
            return plan.code.map { scanned($0) } ?? .scanCode
        case .scanning:
            guard case .codeScanned(let code) = event else { return .none }
            return scanned(code)
        case .pickingHome(let code):
            guard case .homePicked(let home) = event else { return .none }
            guard plan.topology.homes.contains(home) else { return unknownChoice(home.displayName, "home") }
            return look(code, home)
        case .examining(let code, let home):
            guard case .examined(let found) = event else { return .none }
            report.skippedValidation = found.credential == nil ? found.credentialMissing ?? "it shows none" : nil
            return validate(Found(code: code, home: home, networks: found.networks), found.credential)
        case .joining(let code, let home):
            guard case .joined(let device) = event else { return .none }
            report.phone = device
            return validate(Found(code: code, home: home, phone: device, networks: device.networks), device.credential)
        case .pickingRoom(let found, let rooms):
            guard case .roomPicked(let room) = event else { return .none }
            if let room, !rooms.contains(room) { return unknownChoice(room.displayName, "room") }
            return askName(found, room)
        case .naming(let found, let room):
            guard case .named(let name) = event else { return .none }
            report.name = name
            guard let phone = found.phone else { return commission(found, found.code.payload, name, room) }
            state = .openingWindow(found, name, room)
            return .openWindow(phone)
        case .openingWindow(let found, let name, let room):
            guard case .windowOpened(let payload) = event else { return .none }
            return commission(found, payload, name, room)
        case .cleaning(let failure):
            guard case .removed = event else { return .none }
            state = .finished
            return .finish(.failure(failure))
        case .validating, .selectingWiFi, .selectingThread, .listingRooms, .commissioning, .configuring, .finished:
            return .none
        }
    }

    private mutating func answered(_ answer: ExtensionAnswer) -> Action {
        switch state {
        case .validating(let found):
            guard case .done = answer else { return wrongAnswer() }
            return selectWiFi(found)
        case .selectingWiFi(let found):
            guard case .wifi(let choice) = answer else { return wrongAnswer() }
            report.wifi = choice
            return selectThread(found)
        case .selectingThread(let found):
            guard case .thread(let choice) = answer else { return wrongAnswer() }
            report.thread = choice
            return listRooms(found)
        case .listingRooms(let found):
            guard case .rooms(let rooms) = answer else { return wrongAnswer() }
            guard !rooms.isEmpty else { return askName(found, nil) }
            state = .pickingRoom(found, rooms)
            return .pickRoom(rooms)
        case .commissioning(let name, let room):
            guard case .done = answer else { return wrongAnswer() }
            state = .configuring
            return .call(.configure(name: name, room: room))
        case .configuring:
            guard case .done = answer else { return wrongAnswer() }
            state = .finished
            return .finish(.success(report))
        case .idle, .scanning, .pickingHome, .examining, .joining, .pickingRoom, .naming, .openingWindow, .cleaning,
            .finished:
            return .none
        }
    }

    // MARK: - Steps

    private mutating func scanned(_ code: SetupCode) -> Action {
        guard plan.criteria.matches(code.device) != false else {
            return fail(
                .setup(
                    MatterSetupError(
                        .deviceNotShown, "the request's showDeviceCriteria exclude the device: \(code.device.text)")))
        }
        report.code = code.payload
        guard plan.topology.homes.count > 1 else { return look(code, plan.topology.homes.first) }
        state = .pickingHome(code)
        return .pickHome(plan.topology.homes)
    }

    private mutating func look(_ code: SetupCode, _ home: Home?) -> Action {
        report.home = home
        guard plan.usesPhoneFabric else {
            state = .examining(code, home)
            return .examine(code)
        }
        state = .joining(code, home)
        return .join(code)
    }

    private mutating func validate(
        _ found: Found, _ credential: MatterAddDeviceExtensionRequestHandler.DeviceCredential?
    ) -> Action {
        guard let credential else { return selectWiFi(found) }
        state = .validating(found)
        return .call(.validate(credential))
    }

    private mutating func selectWiFi(_ found: Found) -> Action {
        guard found.networks.contains(.wifi) || plan.wifi != nil else { return selectThread(found) }
        state = .selectingWiFi(found)
        return .call(.selectWiFi(plan.scansNetworks ? plan.wifi ?? [] : []))
    }

    private mutating func selectThread(_ found: Found) -> Action {
        guard found.networks.contains(.thread) || plan.thread != nil else { return listRooms(found) }
        state = .selectingThread(found)
        return .call(.selectThread(plan.scansNetworks ? plan.thread ?? [] : []))
    }

    private mutating func listRooms(_ found: Found) -> Action {
        state = .listingRooms(found)
        return .call(.rooms(found.home))
    }

    private mutating func askName(_ found: Found, _ room: Room?) -> Action {
        report.room = room
        state = .naming(found, room)
        return .askName
    }

    private mutating func commission(_ found: Found, _ payload: String, _ name: String, _ room: Room?) -> Action {
        report.commissionedWith = payload
        state = .commissioning(name, room)
        return .call(.commission(found.home, payload: payload, id: plan.commissioningID))
    }

    private mutating func wrongAnswer() -> Action {
        fail(.setup(MatterSetupError(.extensionGarbled, "the extension's answer is of another kind than the call")))
    }

    private mutating func unknownChoice(_ name: String, _ what: String) -> Action {
        fail(.setup(MatterSetupError(.unknownChoice, "“\(name)” is no \(what) that was offered")))
    }

    /// - Parameter step: `nil` for the running one; without one there is nothing to fail.
    private mutating func fail(_ cause: SetupFailure.Cause, at step: MatterSetupStep? = nil) -> Action {
        guard let step = self.step.map({ step ?? $0 }) else { return .none }
        let failure = SetupFailure(cause, at: step)
        guard let phone = report.phone else {
            state = .finished
            return .finish(.failure(failure))
        }
        report.phone = nil
        state = .cleaning(failure)
        return .remove(phone)
    }
}

extension MatterAddDeviceRequest.DeviceCriteria.KnownDevice {
    fileprivate var text: String {
        let parts = [
            vendorID.map { "vendor \($0)" }, productID.map { "product \($0)" },
            serialNumber.map { "serial number \($0)" },
        ].compactMap { $0 }
        return parts.isEmpty ? "its code names neither vendor nor product" : parts.joined(separator: ", ")
    }
}
