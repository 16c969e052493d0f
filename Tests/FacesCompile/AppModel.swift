// App-style code around commissioning: view model, log, payloads and errors, as apps write them for iOS.
import Combine
import GoogleHomeSDK
import HomeKit
import Matter
import MatterSupport
import OSLog

extension Logger {
    private static let subsystem = "com.example.app"
    static let commissioning = Logger(subsystem: subsystem, category: "commissioning")
    /// An app's own static level, which must win over the module's.
    static func warning(_ message: String) { commissioning.warning("\(message, privacy: .public)") }
}

@MainActor
final class DevicesModel: NSObject, ObservableObject {
    @Published private(set) var names: [String] = []
    @Published var isBusy = false
    @Published var failure: HomeError?
    private var ties = Set<AnyCancellable>()
    private let picked = PassthroughSubject<String, Never>()
    private let filter = CurrentValueSubject<String, Never>("")

    override init() {
        super.init()
        $isBusy.dropFirst().removeDuplicates().sink { busy in Logger.commissioning.debug("busy: \(busy)") }.store(
            in: &ties)
        picked.combineLatest(filter)
            .map { name, filter in filter.isEmpty || name.contains(filter) ? [name] : [] }
            .receive(on: DispatchQueue.main)
            .assign(to: &$names)
        picked.setFailureType(to: HomeError.self)
            .flatMap { name -> AnyPublisher<Int, HomeError> in
                name.isEmpty
                    ? Fail(error: .notFound("no name")).eraseToAnyPublisher()
                    : Just(name.count).setFailureType(to: HomeError.self).eraseToAnyPublisher()
            }
            .sink(
                receiveCompletion: { [weak self] completion in
                    if case .failure(let error) = completion { self?.failure = error }
                }, receiveValue: { _ in }
            )
            .store(in: &ties)
    }

    func watch() async {
        for await busy in $isBusy.values { Logger.info("busy: \(busy, privacy: .public)") }
        Logger.error("the stream ended")
        Logger.warning("the app's own")
    }

    func payload(_ text: String) -> MTRSetupPayload? {
        guard let payload = MTRSetupPayload(payload: text) else { return nil }
        Logger().info("vendor \(payload.vendorID), product \(payload.productID, privacy: .private(mask: .hash))")
        let legacy = try? MTRSetupPayload(onboardingPayload: text)
        return legacy?.discoveryCapabilities.contains(.onNetwork) == true ? legacy : payload
    }

    func isCancel(_ error: Error) -> Bool {
        var next: NSError? = error as NSError
        while let current = next {
            if current.domain == HMErrorDomain, current.code == HMError.operationCancelled.rawValue { return true }
            if current.domain == NSCocoaErrorDomain, current.code == NSUserCancelledError { return true }
            if current.domain == NSPOSIXErrorDomain, current.code == 89 { return true }
            next = current.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        if let error = error as? HMError, error.code == .userDeclinedAddingUser { return true }
        if let error = error as? MTRError, error.code == .cancelled { return true }
        return false
    }
}
