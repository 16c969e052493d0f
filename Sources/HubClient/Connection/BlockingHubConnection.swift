public import HubControl
import NetIO
import Transcript

/// Calls to a hub that block the calling thread: for synchronous API that must answer wherever it is called.
///
/// Each call runs on a thread of its own with a connection of its own and never waits for a task, an actor or the main
/// queue; so it works from the main actor and from every task of the pool at once. It may take ``limit`` at most.
public struct BlockingHubConnection: Sendable {
    /// How long one call may take, connecting included.
    public static let limit = Duration.seconds(3)
    /// What the caller's thread waits beyond the connection's own deadline.
    private static let margin = Duration.milliseconds(200)

    /// Where the hub is and how to talk to it.
    public let target: HubTarget
    private let limit: Duration

    /// Takes a target; nothing is sent yet.
    public init(_ target: HubTarget) { self.init(target, limit: Self.limit) }

    init(_ target: HubTarget, limit: Duration) {
        self.target = target
        self.limit = limit
    }

    /// Makes a call and waits for its answer.
    ///
    /// - Throws: ``ControlError``: the hub's, or `unavailable` when it did not answer in time or could not be reached; then
    ///   the call may have been performed all the same.
    public func call<Answer>(_ call: HubCall<Answer>) throws(ControlError) -> Answer {
        let (target, time) = (target, limit - Self.margin)
        let (method, params) = (call.method, call.params)
        let outcome = DedicatedThread.run(limit: limit) { @Sendable () -> Result<JSONObject, ControlError> in
            var exchange = BlockingExchange(target, method, params, deadline: .now + time)
            do throws(ControlError) { return .success(try exchange.run()) } catch { return .failure(error) }
        }
        guard let outcome else { throw .silent(method, at: target) }
        return try call.read(try outcome.get())
    }
}

extension ControlError {
    fileprivate static func silent(_ method: ControlMethod, at target: HubTarget) -> ControlError {
        ControlError(
            .unavailable, "the hub at \(target.place) did not answer \(method.rawValue) in time",
            reason: ClientReason.noAnswer, actions: [.checkHubAvailability, .tryAgainLater])
    }
}

/// One request over one blocking connection.
private struct BlockingExchange {
    let target: HubTarget
    let method: ControlMethod
    let params: JSONObject
    let deadline: BlockingTCPConnection.Deadline
    private var machine: ClientConnection
    private var request: RequestID?
    private var watch: DialogueWatch?

    init(
        _ target: HubTarget, _ method: ControlMethod, _ params: JSONObject, deadline: BlockingTCPConnection.Deadline
    ) {
        self.target = target
        self.method = method
        self.params = params
        self.deadline = deadline
        machine = ClientConnection(hello: target.hello)
    }

    mutating func run() throws(ControlError) -> JSONObject {
        let connection: BlockingTCPConnection
        do throws(NetError) {
            connection = try open()
        } catch {
            throw ControlError(connecting: error, to: target.place)
        }
        watch = target.watch(connection.peerAddress)
        defer {
            connection.close()
            watch?.closed()
        }
        let answer: Result<JSONObject, ControlError>
        do throws(NetError) {
            answer = try converse(connection)
            try connection.finishWriting(deadline: deadline)
        } catch  where error.code == .timedOut {
            throw .silent(method, at: target)
        } catch {
            throw request == nil ? ControlError(connecting: error, to: target.place) : .lost(method.rawValue)
        }
        return try answer.get()
    }

    private func open() throws(NetError) -> BlockingTCPConnection {
        var addresses: [SocketAddress] = []
        var unresolved: NetError?
        for address in target.addresses {
            do throws(NetError) { addresses += try address.parts.resolveBlocking() } catch { unresolved = error }
        }
        if addresses.isEmpty, let unresolved { throw unresolved }
        let connection = try BlockingTCPConnection.connect(to: addresses, deadline: deadline)
        if let context = try target.security.tlsContext(keys: target.records.tlsKeys) {
            try connection.startTLS(context, deadline: deadline)
        }
        return connection
    }

    private mutating func converse(
        _ connection: BlockingTCPConnection
    ) throws(NetError) -> Result<JSONObject, ControlError> {
        var actions = machine.start()
        while true {
            var answer: Result<JSONObject, ControlError>?
            var index = 0
            while index < actions.count {
                switch actions[index] {
                case .send(let bytes):
                    watch?.passed(bytes, from: .client)
                    try connection.write(bytes, deadline: deadline)
                case .welcomed:
                    do throws(ControlError) {
                        let (id, more) = try machine.request(
                            method, params, deadlineMs: max(.zero, deadline - .now).wholeMilliseconds)
                        request = id
                        actions.insert(contentsOf: more, at: index + 1)
                    } catch {
                        answer = .failure(error)
                    }
                case .answered(let id, let outcome): if id == request { answer = answer ?? outcome }
                case .event: break
                case .ended(let goaway): answer = answer ?? .failure(ControlError(refused: goaway))
                }
                index += 1
            }
            if let answer { return answer }
            let bytes = try connection.read(deadline: deadline)
            watch?.passed(bytes, from: .hub)
            actions = bytes.isEmpty ? machine.disconnected("the hub closed the connection") : machine.received(bytes)
        }
    }
}
