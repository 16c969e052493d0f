import HubControl
import TestSupport
import Testing

private let welcome = Welcome(
    version: "1.0", hub: .init(id: .init(rawValue: 1), name: "Hub", version: "0"), structures: [], grant: nil,
    maximumPayload: 1 << 20, events: nil)

private func bytes(_ message: ControlMessage) -> [UInt8] { message.frame.encoded() }
private func request(_ id: Int64, _ method: ControlMethod = .hubInfo) throws -> [UInt8] {
    bytes(.request(ControlRequest(id: try #require(RequestID(rawValue: id)), method: method)))
}
private let opening = ControlPreface.bytes + bytes(.hello(Hello(client: "test")))

@Suite("ServerConnection (Protocols/hub-control.md)") final class ServerConnectionTests {
    var server = ServerConnection(now: .zero)

    func open() {
        _ = server.received(opening, now: .zero)
        _ = server.admitted(welcome, now: .zero)
    }

    /// The code of a goaway that is followed by a close, if the actions end so.
    func goaway(_ actions: [ServerConnection.Action]) throws -> ControlErrorCode? {
        guard actions.count >= 2, actions.last == .close, case .send(let sent) = actions[actions.count - 2] else {
            return nil
        }
        var decoder = FrameDecoder(reading: .hub)
        decoder.append(sent)
        let frame = try #require(try decoder.next())
        guard case .goaway(let goaway) = try ControlMessage(decoding: frame) else { return nil }
        return goaway.code
    }

    @Test func `hello, welcome, request, answer`() throws {
        let hello = server.received(opening, now: .zero)
        #expect(hello == [.admit(Hello(client: "test"))])
        let admitted = server.admitted(welcome, now: .zero)
        #expect(admitted == [.send(bytes(.welcome(welcome)))])
        let performed = server.received(try request(1), now: .zero)
        let id = try #require(RequestID(rawValue: 1))
        #expect(performed == [.perform(ControlRequest(id: id, method: .hubInfo))])
        let answer = server.answered(id, .success([:]))
        #expect(answer == [.send(bytes(.response(ControlResponse(id: id, outcome: .success([:])))))])
        let again = server.answered(id, .success([:]))
        #expect(again.isEmpty)
    }

    @Test func `frames that come before the welcome wait for it`() throws {
        let hello = server.received(opening + (try request(1)), now: .zero)
        #expect(hello.count == 1)
        let admitted = server.admitted(welcome, now: .zero)
        #expect(admitted.count == 2)
    }

    @Test func `any split of the bytes gives the same`() throws {
        var actions: [ServerConnection.Action] = []
        for byte in opening { actions += server.received([byte], now: .zero) }
        #expect(actions == [.admit(Hello(client: "test"))])
    }

    @Test func `garbage first bytes are refused at once`() throws {
        let code = try goaway(server.received([0x47, 0x45, 0x54], now: .zero))
        #expect(code == .invalidArgument)
        #expect(server.isClosed)
        let later = server.received(opening, now: .zero)
        #expect(later.isEmpty)
    }

    @Test func `another major version is named`() throws {
        let code = try goaway(server.received(ControlPreface.magic + [2], now: .zero))
        #expect(code == .unimplemented)
    }

    @Test func `an oversized frame ends the connection before its payload is read`() throws {
        open()
        let code = try goaway(server.received([0x7F, 0, 0, 0, 3, 0], now: .zero))
        #expect(code == .resourceExhausted)
    }

    @Test func `the first frame must be hello and hello comes once`() throws {
        let early = try goaway(server.received(ControlPreface.bytes + (try request(1)), now: .zero))
        #expect(early == .failedPrecondition)
        server = ServerConnection(now: .zero)
        open()
        let twice = try goaway(server.received(bytes(.hello(Hello(client: "x"))), now: .zero))
        #expect(twice == .failedPrecondition)
    }

    @Test func `frames that only a hub sends end the connection`() throws {
        open()
        let code = try goaway(server.received(bytes(.welcome(welcome)), now: .zero))
        #expect(code == .invalidArgument)
    }

    @Test func `a refused grant is told and the connection ends`() throws {
        _ = server.received(opening, now: .zero)
        let code = try goaway(server.refused(Goaway(code: .unauthenticated, message: "no")))
        #expect(code == .unauthenticated)
        let late = server.admitted(welcome, now: .zero)
        #expect(late.isEmpty)
    }

    @Test func `a request id in use ends the connection, the 33rd request is refused`() throws {
        open()
        for id in 1...32 { _ = server.received(try request(Int64(id)), now: .zero) }
        let refused = server.received(try request(33), now: .zero)
        guard case .send = refused.first, refused.count == 1 else {
            Issue.record("a refusal was expected, not \(refused)")
            return
        }
        let code = try goaway(server.received(try request(7), now: .zero))
        #expect(code == .invalidArgument)
    }

    @Test func `a request with wrong members is answered and the connection stays`() {
        open()
        let frame = ControlFrame(kind: .request, payload: Array(#"{"id": 5, "method": 7}"#.utf8))
        let actions = server.received(frame.encoded(), now: .zero)
        #expect(actions.count == 1)
        #expect(!server.isClosed)
    }

    @Test func `a ping is answered with its payload, unknown kinds are skipped, goaway closes`() {
        open()
        let ping = Array(#"{"n":1}"#.utf8)
        let pong = server.received(bytes(.ping(ping)), now: .zero)
        #expect(pong == [.send(bytes(.pong(ping)))])
        let unknown = server.received(
            ControlFrame(kind: .init(rawValue: 99), payload: Array("{}".utf8)).encoded(), now: .zero)
        #expect(unknown.isEmpty)
        let closed = server.received(bytes(.goaway(Goaway(code: .cancelled, message: ""))), now: .zero)
        #expect(closed == [.close])
        let nothing = server.close(Goaway(code: .unavailable, message: ""))
        #expect(nothing.isEmpty)
    }

    @Test func `no hello in 10 s ends the connection`() throws {
        #expect(server.deadline == .seconds(10))
        let early = server.timerFired(now: .seconds(9))
        #expect(early.isEmpty)
        let code = try goaway(server.timerFired(now: .seconds(10)))
        #expect(code == .deadlineExceeded)
        #expect(server.deadline == nil)
    }

    @Test func `silence is pinged after 30 s and given up after 90 s`() throws {
        open()
        let ping = server.timerFired(now: .seconds(30))
        #expect(ping.count == 1)
        #expect(server.deadline == .seconds(90))
        _ = server.received(bytes(.pong(Array("{}".utf8))), now: .seconds(40))
        #expect(server.deadline == .seconds(70))
        _ = server.timerFired(now: .seconds(70))
        let code = try goaway(server.timerFired(now: .seconds(130)))
        #expect(code == .deadlineExceeded)
    }

    @Test func `a result larger than a payload becomes an error`() throws {
        open()
        _ = server.received(try request(1), now: .zero)
        let id = try #require(RequestID(rawValue: 1))
        let actions = server.answered(id, .success(["x": .string(String(repeating: "y", count: 1 << 20))]))
        guard case .send(let sent) = actions.first else { return }
        #expect(sent.count < 1000)
    }
}

@Suite("ClientConnection (Protocols/hub-control.md)") final class ClientConnectionTests {
    var client = ClientConnection(hello: Hello(client: "test"))

    func open() {
        _ = client.start()
        _ = client.received(bytes(.welcome(welcome)))
    }

    @Test func `starts with preface and hello, once`() {
        let first = client.start()
        #expect(first == [.send(opening)])
        let second = client.start()
        #expect(second.isEmpty)
    }

    @Test func `a request needs an open connection`() {
        #expect(throws: ControlError.self) { try client.request(.hubInfo) }
    }

    @Test func `each request gets its one answer`() throws {
        open()
        let (first, _) = try client.request(.hubInfo)
        let (second, _) = try client.request(.hubInfo)
        #expect(first != second)
        let answer = bytes(.response(ControlResponse(id: second, outcome: .success(["a": 1]))))
        let answered = client.received(answer)
        #expect(answered == [.answered(second, .success(["a": 1]))])
        let twice = client.received(answer)
        #expect(twice.isEmpty)
    }

    @Test func `the end of the connection answers what is open`() throws {
        open()
        let (id, _) = try client.request(.hubInfo)
        let actions = client.disconnected("the hub closed the connection")
        #expect(actions.count == 2)
        guard case .answered(id, .failure(let error)) = actions.first else {
            Issue.record("not answered: \(actions)")
            return
        }
        #expect(error.code == .unavailable)
        let again = client.disconnected("x")
        #expect(again.isEmpty)
        let late = client.received(bytes(.welcome(welcome)))
        #expect(late.isEmpty)
    }

    @Test func `a goaway before the welcome is the answer`() {
        _ = client.start()
        let goaway = Goaway(code: .unauthenticated, message: "no")
        let actions = client.received(bytes(.goaway(goaway)))
        #expect(actions == [.ended(goaway)])
    }

    @Test func `a hub that breaks the protocol ends the connection`() {
        _ = client.start()
        let early = client.received(bytes(.response(ControlResponse(id: .first, outcome: .success([:])))))
        #expect(
            early.last
                == .ended(
                    Goaway(
                        code: .internal,
                        message: "the hub broke the protocol: kind must be a frame that a hub sends in this state")))
    }

    @Test func `pings are answered and events passed on`() {
        open()
        let ping = client.received(bytes(.ping(Array("{}".utf8))))
        #expect(ping == [.send(bytes(.pong(Array("{}".utf8))))])
        let event = ControlEvent(structure: .init(rawValue: 1), number: 1, name: "x")
        let passed = client.received(bytes(.event(event)))
        #expect(passed == [.event(event)])
    }

    @Test func `random bytes end it or wait, and never trap`() {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            var connection = ClientConnection(hello: Hello(client: "t"))
            _ = connection.start()
            var server = ServerConnection(now: .zero)
            let noise = (0..<Int.random(in: 1...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = connection.received(noise)
            _ = server.received(noise, now: .zero)
            var damaged = opening
            damaged[Int.random(in: 0..<damaged.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            _ = server.received(damaged, now: .zero)
        }
    }
}
