package import HubClient
import HubControl

/// What a home's objects need to act: the way to the hub, and how the app configured the SDK.
package struct HomeLink: Sendable {
    package let app: AppLink
    /// Whether an operation that a device does not have throws before anything is sent.
    package let validatesOperations: Bool

    package init(app: AppLink, validatesOperations: Bool = false) {
        self.app = app
        self.validatesOperations = validatesOperations
    }

    /// Makes a call that may be repeated without harm.
    func call<Answer>(_ call: HubCall<Answer>) async throws(HomeError) -> Answer {
        try await HomeError.translating { () async throws(ControlError) in try await app.call(call) }
    }

    /// Makes a call that must not be made twice.
    func callOnce<Answer>(
        _ call: HubCall<Answer>, deadline: Duration = HubSession.callLimit
    ) async throws(HomeError) -> Answer {
        try await HomeError.translating { () async throws(ControlError) in
            try await app.callOnce(call, deadline: deadline)
        }
    }
}

extension HexIdentifier {
    /// Reads an id that an app gives.
    ///
    /// - Throws: ``HomeError`` `notFound`: nothing has an id of another form.
    init(ofApp text: String, _ what: String) throws(HomeError) {
        guard let id = Self(text: text) else { throw .notFound("there is no \(what) “\(text)”") }
        self = id
    }
}
