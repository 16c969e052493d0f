/// What the user lets an app do with the homes.
public struct HMHomeManagerAuthorizationStatus: OptionSet, Hashable, Sendable {
    /// The system's bits.
    public let rawValue: UInt
    /// Takes the system's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The user has been asked.
    public static let determined = Self(rawValue: 1)
    /// The app may not, whatever the user says.
    public static let restricted = Self(rawValue: 2)
    /// The user lets the app.
    public static let authorized = Self(rawValue: 4)
}

/// Learns what happens to the homes.
public protocol HMHomeManagerDelegate: AnyObject {
    /// The homes are known now.
    func homeManagerDidUpdateHomes(_ manager: HMHomeManager)
    /// The user's answer has changed.
    func homeManager(_ manager: HMHomeManager, didUpdate status: HMHomeManagerAuthorizationStatus)
    /// There is one home more.
    func homeManager(_ manager: HMHomeManager, didAdd home: HMHome)
    /// There is one home less.
    func homeManager(_ manager: HMHomeManager, didRemove home: HMHome)
}

extension HMHomeManagerDelegate {
    /// Does nothing.
    public func homeManagerDidUpdateHomes(_ manager: HMHomeManager) {}
    /// Does nothing.
    public func homeManager(_ manager: HMHomeManager, didUpdate status: HMHomeManagerAuthorizationStatus) {}
    /// Does nothing.
    public func homeManager(_ manager: HMHomeManager, didAdd home: HMHome) {}
    /// Does nothing.
    public func homeManager(_ manager: HMHomeManager, didRemove home: HMHome) {}
}

/// The user's homes.
///
/// Only the names are here so far: there are no homes, the authorization is `restricted`, the delegate is not called, and
/// what would change something is refused with `operationNotSupported`.
open class HMHomeManager: NSObject {
    /// Who learns what happens; nothing does.
    public weak var delegate: (any HMHomeManagerDelegate)?
    /// The homes: none.
    public var homes: [HMHome] { [] }
    /// The home that the user prefers: none.
    public var primaryHome: HMHome? { nil }
    /// What the user lets the app do: nothing.
    public var authorizationStatus: HMHomeManagerAuthorizationStatus { [.determined, .restricted] }

    /// Makes one.
    public override init() { super.init() }

    /// Refuses to make a home.
    open func addHome(withName name: String, completionHandler completion: @escaping (HMHome?, (any Error)?) -> Void) {
        completion(nil, HMError(.operationNotSupported))
    }
    /// Refuses to make a home.
    open func addHome(named name: String) async throws -> HMHome { throw HMError(.operationNotSupported) }
    /// Refuses to take a home away.
    open func removeHome(_ home: HMHome, completionHandler completion: @escaping ((any Error)?) -> Void) {
        completion(HMError(.operationNotSupported))
    }
    /// Refuses to take a home away.
    open func removeHome(_ home: HMHome) async throws { throw HMError(.operationNotSupported) }
}
