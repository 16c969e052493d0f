import Dispatch
import Matter
import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import VirtualHome

/// A store as an app would have it.
final class AppStorage: NSObject, MTRStorage, Sendable {
    private let values = Locked<[String: Data]>([:])
    private let isFull = Locked(false)

    func storageData(forKey key: String) -> Data? { values.withLock { $0[key] } }
    func setStorageData(_ value: Data, forKey key: String) -> Bool {
        guard !isFull.withLock({ $0 }) else { return false }
        values.withLock { $0[key] = value }
        return true
    }
    func removeStorageData(forKey key: String) -> Bool { values.withLock { $0.removeValue(forKey: key) != nil } }

    func fill() { isFull.withLock { $0 = true } }
    func damage() { values.withLock { values in for key in values.keys { values[key] = Data([1, 2]) } } }
    var keys: [String] { values.withLock { Array($0.keys) } }
}

/// A key pair as an app would keep it; by DER or raw signatures, or with another key's.
final class AppKeypair: NSObject, MTRKeypair, Sendable {
    enum Way: Sendable { case raw, der, wrong, none }
    private let key: P256PrivateKey
    private let way: Way

    init(seed: UInt64, _ way: Way = .raw) throws {
        key = try P256PrivateKey.generate(using: SeededSecretSource(seed: seed))
        self.way = way
    }

    func copyPublicKey() -> SecKey {
        guard let key = SecKey(x963Representation: key.publicKey.bytes) else {
            preconditionFailure("65 bytes are a key")
        }
        return key
    }

    func signMessageECDSA_RAW(_ message: Data) -> Data {
        switch way {
        case .raw: sign { try key.sign([UInt8](message)) }
        case .wrong: sign { try P256PrivateKey.generate(using: SeededSecretSource(seed: 99)).sign([UInt8](message)) }
        case .der, .none: Data()
        }
    }

    func signMessageECDSA_DER(_ message: Data) -> Data {
        way == .der ? sign { try key.signDER([UInt8](message)) } : Data()
    }

    private func sign(_ body: () throws -> [UInt8]) -> Data {
        do { return Data(try body()) } catch { return Data() }
    }
}

/// What the delegate was told, in order.
enum Told: Hashable, Sendable {
    case status(MTRCommissioningStatus)
    /// Domain and code; `nil` for none.
    case session(ToldError?)
    case complete(ToldError?, UInt64?)
}

/// An error as an app sees it.
struct ToldError: Hashable, Sendable {
    var domain: String
    var code: Int

    init(_ domain: String, _ code: Int) {
        self.domain = domain
        self.code = code
    }

    init?(_ error: (any Error)?) {
        guard let error = error.map({ $0 as NSError }) else { return nil }
        self.init(error.domain, error.code)
    }

    static func matter(_ code: MTRError.Code) -> ToldError { ToldError("MTRErrorDomain", code.rawValue) }
}

/// Follows a controller.
final class AppDelegate: NSObject, MTRDeviceControllerDelegate, Sendable {
    private let stream: AsyncStream<Told>
    private let continuation: AsyncStream<Told>.Continuation
    let queue = DispatchQueue(label: "app")

    override init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded) }

    func controller(_ controller: MTRDeviceController, statusUpdate status: MTRCommissioningStatus) {
        dispatchPrecondition(condition: .onQueue(queue))
        continuation.yield(.status(status))
    }
    func controller(_ controller: MTRDeviceController, commissioningSessionEstablishmentDone error: (any Error)?) {
        dispatchPrecondition(condition: .onQueue(queue))
        continuation.yield(.session(ToldError(error)))
    }
    func controller(
        _ controller: MTRDeviceController, commissioningComplete error: (any Error)?, nodeID: NSNumber?
    ) {
        dispatchPrecondition(condition: .onQueue(queue))
        continuation.yield(.complete(ToldError(error), nodeID?.uint64Value))
    }

    /// What comes next.
    func next() async -> Told? {
        for await told in stream { return told }
        return nil
    }
}

/// Everything that one app has.
struct AppSide {
    let storage: AppStorage
    let keypair: AppKeypair
    let factory: MTRDeviceControllerFactory
    let delegate = AppDelegate()

    /// - Parameter port: of the app's first controller on the home's network; the following ones count on.
    init(_ home: Home, port: UInt16, storage: AppStorage = AppStorage(), keypair: AppKeypair? = nil) throws {
        self.storage = storage
        self.keypair = try keypair ?? AppKeypair(seed: UInt64(port))
        let ports = Locked(port)
        factory = MTRDeviceControllerFactory(
            MTRPlatform(deviceAddress: MemoryNetwork.address(Home.devicePort)) { _ in
                let port = ports.withLock { port in
                    defer { port += 1 }
                    return port
                }
                return ControllerEnvironment(
                    link: home.network.link(port: port), clock: home.driverClock, wallClock: home.wallClock,
                    random: .seeded(UInt64(port)), secrets: SeededSecretSource(seed: UInt64(port)), discovery: nil)
            })
    }

    var startup: MTRDeviceControllerStartupParams {
        let params = MTRDeviceControllerStartupParams(
            ipk: Data(repeating: 7, count: 16), fabricID: 1, nocSigner: keypair)
        params.vendorID = 0xFFF1
        return params
    }

    func start(paa: [Data]? = nil) throws {
        let params = MTRDeviceControllerFactoryParams(storage: storage)
        params.productAttestationAuthorityCertificates = paa
        try factory.start(params)
    }

    /// A controller on a new fabric, with the delegate.
    func controller() throws -> MTRDeviceController {
        try start()
        let controller = try factory.createController(onNewFabric: startup)
        controller.setDeviceControllerDelegate(delegate, queue: delegate.queue)
        return controller
    }

    /// Commissions to the end.
    func commission(
        _ controller: MTRDeviceController, _ payload: MTRSetupPayload, _ node: NSNumber,
        _ params: MTRCommissioningParameters = MTRCommissioningParameters()
    ) async throws -> Told? {
        try controller.setupCommissioningSession(with: payload, newNodeID: node)
        let (status, session) = (await delegate.next(), await delegate.next())
        guard status == .status(.success), session == .session(nil) else { return session }
        try controller.commissionNode(withID: node, commissioningParams: params)
        return await delegate.next()
    }
}

extension Home {
    var setupPayload: MTRSetupPayload {
        guard let code = identity.payload.qrCode, let payload = MTRSetupPayload(payload: code) else {
            preconditionFailure("the light's payload has everything a QR code needs")
        }
        return payload
    }
}
