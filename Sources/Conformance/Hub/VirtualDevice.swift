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
    let identity: DeviceIdentity
    private let socket: UDPSocket
    private let running: Task<Void, Never>

    fileprivate init(
        _ node: DeviceNode, _ identity: DeviceIdentity, _ code: String, _ address: SocketAddress,
        _ socket: UDPSocket, _ running: Task<Void, Never>
    ) {
        self.node = node
        self.identity = identity
        self.code = code
        self.address = address
        self.socket = socket
        self.running = running
    }

    /// Its code with another passcode.
    var wrongCode: String {
        var wrong = identity.payload
        // Both are passcodes that a device may have.
        wrong.passcode =
            [20_202_021, 20_202_025].compactMap { Passcode(rawValue: $0) }
            .first { $0 != wrong.passcode } ?? wrong.passcode
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

    /// Stops it; it answers nothing any more, and its port is free.
    func stop() async {
        node.close()
        await running.value
        await socket.closeAndWait()
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
    /// - Parameters:
    ///   - faults: rules, `STAGE:KIND[=ARGUMENT][@N][xM]`.
    ///   - name: what its product calls itself; `nil` for the kind's own.
    func start(
        _ faults: [String], at ip: IPAddress, kind: DeviceKind = .onOffLight, named name: String? = nil
    ) async throws -> VirtualDevice {
        let identity = try DeviceIdentity(.init(kind: kind), secrets: SystemSecretSource(), random: random)
        return try play(identity, try FaultPlan(faults), SocketAddress(ip: ip, port: 0), name)
    }

    /// Stops a device and starts it as it came out of its box, at the same place with the same codes.
    func reset(_ device: VirtualDevice) async throws -> VirtualDevice {
        await device.stop()
        return try play(device.identity, FaultPlan(), device.address, nil)
    }

    private var random: RandomSource { RandomSource { UInt64.random(in: .min ... .max) } }

    private func play(
        _ identity: DeviceIdentity, _ faults: FaultPlan, _ place: SocketAddress, _ name: String?
    ) throws -> VirtualDevice {
        let secrets = SystemSecretSource()
        let node = try VirtualNode(
            configuration: try identity.configuration(name: name, network: .current()),
            attestation: identity.attestation, secrets: secrets, random: random, restoring: nil,
            now: MonotonicInstant(sinceStart: clock.now))
        let socket = try UDPSocket(port: place.port, address: place)
        let device = DeviceNode(
            node,
            environment: DeviceEnvironment(
                link: socket, port: socket.localAddress.port, clock: clock,
                wallClock: { EpochSeconds(unixSeconds: SystemTime.unixMilliseconds / 1000) }, random: random,
                secrets: secrets, advertiser: NoDeviceAdvertiser(), persist: { _ in }, faults: faults))
        guard let code = identity.payload.qrCode else {
            throw ConformanceSkip("the virtual device has no code")
        }
        let running = Task {
            do { try await device.run() } catch {
                // It stores nothing, so that nothing of it can fail.
            }
        }
        let address = SocketAddress(ip: place.ip, port: socket.localAddress.port)
        let started = VirtualDevice(device, identity, code, address, socket, running)
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
