import Dispatch
import MatterCrypto
import MatterNode
import MatterWire
import NetIO

/// The phone's state in memory and on disk: every change is durable before it counts.
package final class PhoneLedger: Sendable {
    private static let file = DeviceStateStore.File(rawValue: "phone")

    private let store: DeviceStateStore
    private let current: Locked<PhoneState>
    private let queue: DispatchQueue

    private init(_ store: DeviceStateStore, _ state: PhoneState, _ queue: DispatchQueue) {
        self.store = store
        current = Locked(state)
        self.queue = queue
    }

    /// What holds now.
    package var state: PhoneState { current.withLock { $0 } }

    /// Takes the folder for this process, and makes what is not there yet.
    ///
    /// - Parameter founding: makes the state of a new phone.
    /// - Throws: `DeviceStateError`; `inUse` while another phone has the folder.
    package static func open(
        _ directory: String, founding: @escaping @Sendable () throws -> PhoneState
    ) async throws -> PhoneLedger {
        let queue = DispatchQueue(label: "mattersupport.phone")
        return try await onQueue(queue) { @Sendable in
            let store = try DeviceStateStore(directory: directory, owner: "phone")
            guard let bytes = try store.load(file) else {
                let state = try founding()
                try store.save(state.encoded(), as: file)
                return PhoneLedger(store, state, queue)
            }
            do throws(TLVError) {
                return PhoneLedger(store, try PhoneState(decoding: bytes), queue)
            } catch {
                throw DeviceStateError(
                    .foreign, store.path(of: file), "was written by another version of this program (\(error.code))")
            }
        }
    }

    /// Makes a change; it is durable when this returns, and did not happen when it throws.
    package func update(_ change: @escaping @Sendable (inout PhoneState) -> Void) async throws {
        try await Self.onQueue(queue) { @Sendable [self] in
            var state = self.state
            let before = state
            change(&state)
            guard state != before else { return }
            try store.save(state.encoded(), as: Self.file)
            // Only this queue changes it.
            current.withLock { [state] in $0 = state }
        }
    }

    private static func onQueue<R: Sendable>(
        _ queue: DispatchQueue, _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { @Sendable in continuation.resume(with: Result { try body() }) }
        }
    }
}
