import HubClient
import HubControl

extension Structure {
    /// Opens a commissioning session; an older one of this app ends.
    ///
    /// The hub checks, in this order: the permission, that it can be reached, and that no other app has a session.
    ///
    /// - Throws: ``HomeError``: `permissionDenied`, `unavailable`, `notFound` or `failedPrecondition`.
    public func prepareForMatterCommissioning() async throws {
        try await HomeError.translating { () async throws(ControlError) in
            let session = try await link.app.call(.prepareSession(in: structureID))
            try link.app.group.update { state throws(ControlError) in
                state.structure = structureID
                state.session = session.id
                state.failure = nil
            }
        }
    }

    /// Ends the session; the devices commissioned in it become devices of the structure.
    ///
    /// Blocks the caller, at most three seconds. After an `unavailable` it may be called again: when the hub had completed
    /// the session all the same, it gives the same ids.
    ///
    /// - Returns: the ids of the new devices, which queries give from now on.
    /// - Throws: ``HomeError``: `failedPrecondition` without a session or without a device in it.
    @discardableResult
    public func completeMatterCommissioning() throws -> Set<String> {
        try HomeError.translating { () throws(ControlError) in
            let session = try link.app.group.state().session
            let ids = try link.app.blocking().call(
                .completeSession(clientKey: session.map { .completion(of: $0) } ?? .random(), in: structureID))
            forgetSession()
            return Set(ids.map(\.text))
        }
    }

    /// Ends the session; the devices commissioned in it are removed. Does nothing without one.
    ///
    /// Blocks the caller, at most three seconds. When the hub cannot be reached, it ends the session by itself two minutes
    /// after this app's last connection.
    public func cancelMatterCommissioning() {
        do throws(ControlError) {
            _ = try link.app.blocking().call(.cancelSession(in: structureID))
            forgetSession()
        } catch {
            // The SDK's call throws nothing, and the hub frees the session without us.
        }
    }

    /// Ends the session like ``cancelMatterCommissioning()``, and says why the commissioning failed.
    ///
    /// - Parameter error: what the app caught.
    @discardableResult
    public func markMatterCommissioningFailed(error: any Error) -> MatterUnsuccessfulCommissioningResult {
        var failure: ControlError?
        do throws(ControlError) {
            failure = try link.app.group.state().failure
        } catch {
            // Then only the app's own error is known.
        }
        cancelMatterCommissioning()
        return MatterUnsuccessfulCommissioningResult(error: error, failure: failure)
    }

    private func forgetSession() {
        do throws(ControlError) {
            try link.app.group.update { state throws(ControlError) in
                state.session = nil
                state.failure = nil
            }
        } catch {
            // The hub has ended the session, which is what counts; the next prepare writes another one.
        }
    }
}
