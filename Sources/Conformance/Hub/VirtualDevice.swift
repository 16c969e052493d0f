import HubControl
import MatterCrypto
import MatterModel
import MatterNode
import MatterProtocol
import MatterWire
import NetIO

/// A virtual light on this machine, which a hub can commission.
final class VirtualDevice: Sendable {
    let node: DeviceNode
    /// Its QR text.
    let code: String
    /// Where it listens.
    let address: SocketAddress
    private let payload: OnboardingPayload
    private let running: Task<Void, Never>

    fileprivate init(
        _ node: DeviceNode, _ payload: OnboardingPayload, _ code: String, _ address: SocketAddress,
        _ running: Task<Void, Never>
    ) {
        self.node = node
        self.payload = payload
        self.code = code
        self.address = address
        self.running = running
    }

    /// Its code with another passcode.
    var wrongCode: String {
        var wrong = payload
        // Both are passcodes that a device may have.
        wrong.passcode =
            [20_202_021, 20_202_025].compactMap { Passcode(rawValue: $0) }
            .first { $0 != payload.passcode } ?? payload.passcode
        return wrong.qrCode ?? code
    }

    /// How many fabrics it is on.
    var fabricCount: Int { get async { await node.fabrics.count } }

    /// As new: on no fabric, and a commissioner may come.
    var isFresh: Bool {
        get async {
            guard await node.isCommissionable else { return false }
            return await node.fabrics.isEmpty
        }
    }

    /// Stops it; it answers nothing any more.
    func stop() async {
        node.close()
        await running.value
    }
}

/// The virtual devices of a run.
final class VirtualDevices: Sendable {
    private let clock: DriverClock
    private let devices = Locked<[VirtualDevice]>([])
    private let addresses = Locked<Set<String>>([])

    init(clock: DriverClock) { self.clock = clock }

    /// Whether a device of the run had this address.
    func has(_ address: String) -> Bool { addresses.withLock { $0.contains(address) } }

    /// Starts one with codes of its own.
    ///
    /// - Parameter faults: rules, `STAGE:KIND[=ARGUMENT][@N][xM]`.
    func start(_ faults: [String], at ip: IPAddress) async throws -> VirtualDevice {
        let secrets = SystemSecretSource()
        let random = RandomSource { UInt64.random(in: .min ... .max) }
        let identity = try DeviceIdentity(.init(kind: .onOffLight), secrets: secrets, random: random)
        let node = try VirtualNode(
            configuration: try identity.configuration(name: nil, network: .current()),
            attestation: identity.attestation, secrets: secrets, random: random, restoring: nil,
            now: MonotonicInstant(sinceStart: clock.now))
        let socket = try UDPSocket(port: 0, address: SocketAddress(ip: ip, port: 0))
        let device = DeviceNode(
            node,
            environment: DeviceEnvironment(
                link: socket, port: socket.localAddress.port, clock: clock,
                wallClock: { EpochSeconds(unixSeconds: SystemTime.secondsSince1970) }, random: random,
                secrets: secrets, advertiser: NoDeviceAdvertiser(), persist: { _ in },
                faults: try FaultPlan(faults)))
        let running = Task {
            do { try await device.run() } catch {
                // It stores nothing, so that nothing of it can fail.
            }
        }
        guard let code = identity.payload.qrCode else {
            throw ConformanceSkip("the virtual device has no code")
        }
        let address = SocketAddress(ip: ip, port: socket.localAddress.port)
        let started = VirtualDevice(device, identity.payload, code, address, running)
        devices.withLock { $0.append(started) }
        addresses.withLock { _ = $0.insert("\(address)") }
        return started
    }

    /// Lets the hub clean what it still has to, then stops all of them.
    func stop(within limit: Duration) async {
        let all = devices.withLock { devices in
            defer { devices = [] }
            return devices
        }
        let deadline = clock.now + limit
        for device in all {
            while await device.fabricCount > 0, clock.now < deadline {
                do { try await clock.sleep(until: clock.now + .milliseconds(50)) } catch { break }
            }
            await device.stop()
        }
    }
}
