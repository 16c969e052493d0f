import FakeHub
import HubControl
import NetIO
import TestSupport
import Testing

@testable import HubClient

@Suite("Requests over a hub connection (hub-control.md §4)", .timeLimit(.minutes(1)))
struct RequestTests {
    @Test func `an answer is read, also when another was asked for later`() async throws {
        let hub = try FakeHub()
        let connection = try await HubConnection.connect(to: hub.target)
        async let rooms = connection.call(.rooms(of: FakeHub.structure))
        async let structures = connection.call(.structures)
        #expect(try await rooms.map(\.name) == ["Kitchen", "Hall"])
        #expect(try await structures.map(\.name) == ["Home"])
        let params = hub.requests.first { $0.method == .roomsList }?.params
        #expect(params == ["structure": FakeHub.structure.json])
        await connection.close()
    }

    @Test func `the hub's error comes as it is`() async throws {
        let hub = try FakeHub()
        let sent = ControlError(
            .unavailable, "still being cleaned", stage: "pase", details: ["reason": "stillCleaning", "more": 1],
            retryAfterMs: 5200, suggestedUserActions: [.tryAgainLater, .init(rawValue: "sing")])
        hub.on(.hubInfo) { _ in .error(sent) }
        let connection = try await HubConnection.connect(to: hub.target)
        #expect(await controlError { try await connection.call(.hubInfo) } == sent)
        await connection.close()
    }

    @Test func `an answer of another form is named`() async throws {
        let hub = try FakeHub()
        hub.on(.hubInfo) { _ in .result(["id": "x"]) }
        let connection = try await HubConnection.connect(to: hub.target)
        let error = await controlError { try await connection.call(.hubInfo) }
        #expect(error?.code == .internal)
        #expect(error?.reason == ClientReason.badAnswer)
        #expect(error?.message.contains("id must be 16 hexadecimal digits") == true)
        #expect(await connection.isOpen)
        await connection.close()
    }

    @Test func `a dropped connection answers every open request once`() async throws {
        let hub = try FakeHub()
        hub.on(.hubInfo) { _ in .silence }
        let connection = try await HubConnection.connect(to: hub.target)
        let codes = await withTaskGroup(of: ControlErrorCode?.self) { group in
            for _ in 0..<8 {
                group.addTask { await controlError { try await connection.call(.hubInfo) }?.code }
            }
            await hub.waitForRequests(.hubInfo, count: 8)
            hub.dropConnections()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: .unavailable, count: 8))
        #expect(await !connection.isOpen)
        #expect(await connection.waitUntilEnd().code == .unavailable)
        #expect(await controlError { try await connection.call(.hubInfo) }?.code == .failedPrecondition)
    }

    @Test func `a goaway ends open requests with its reason`() async throws {
        let hub = try FakeHub()
        hub.on(.roomsList) { _ in .silence }
        hub.on(.hubInfo) { _ in .goaway(Goaway(code: .unavailable, message: "the hub is stopping")) }
        let connection = try await HubConnection.connect(to: hub.target)
        async let rooms = controlError { try await connection.call(.rooms()) }
        await hub.waitForRequests(.roomsList)
        let error = await controlError { try await connection.call(.hubInfo) }
        #expect(error?.message == "the hub is stopping")
        #expect(await rooms == error)
        #expect(await connection.goaway?.message == "the hub is stopping")
    }

    @Test func `garbage from the hub ends the connection`() async throws {
        let hub = try FakeHub()
        hub.on(.hubInfo) { _ in .bytes([0, 0, 0, 2, 4, 0, 0x7B, 0x5D]) }
        let connection = try await HubConnection.connect(to: hub.target)
        let error = await controlError { try await connection.call(.hubInfo) }
        #expect(error?.code == .internal)
        #expect(error?.message.contains("broke the protocol") == true)
        await hub.waitForNoConnection()
    }

    @Test func `a cancelled caller gets away at once, and the hub is told`() async throws {
        let hub = try FakeHub()
        hub.on(.hubInfo) { _ in .silence }
        let connection = try await HubConnection.connect(to: hub.target)
        let asking = Task { await controlError { try await connection.call(.hubInfo) } }
        let asked = await hub.waitForRequests(.hubInfo)
        asking.cancel()
        #expect(await asking.value?.code == .cancelled)
        let stopped = await hub.waitForRequests(.cancel)
        #expect(stopped.first?.params["id"]?.integer == asked.first?.id.rawValue)
        #expect(try await connection.call(.rooms()).count == 2)
        let late = Task {
            await Task.yield()
            return await controlError { try await connection.call(.hubInfo) }
        }
        late.cancel()
        #expect(await late.value?.code == .cancelled)
        await connection.close()
    }

    @Test func `the deadline is told to the hub and kept here`() async throws {
        let hub = try FakeHub()
        hub.on(.hubInfo) { _ in .silence }
        let clock = ManualClock()
        let connection = try await HubConnection.connect(
            to: hub.target, limit: .seconds(10), clock: DriverClock(clock))
        async let asking = controlError { try await connection.call(.hubInfo, deadline: .seconds(5)) }
        let asked = await hub.waitForRequests(.hubInfo)
        #expect(asked.first?.deadlineMs == 5000)
        await clock.advance(by: .seconds(5) + HubConnection.answerGrace)
        let error = await asking
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.reason == ClientReason.noAnswer)
        await hub.waitForRequests(.cancel)
        #expect(await connection.isOpen)
        await connection.close()
    }

    @Test func `a silent hub is asked for a sign of life`() async throws {
        let hub = try FakeHub()
        let clock = ManualClock()
        let connection = try await HubConnection.connect(
            to: hub.target, limit: .seconds(10), clock: DriverClock(clock))
        await clock.advance(by: Liveness.pingAfter)
        await hub.waitForPing()
        #expect(await connection.isOpen)
        await connection.close()
    }

    @Test func `letting go of a connection closes it`() async throws {
        let hub = try FakeHub()
        var connection: HubConnection? = try await HubConnection.connect(to: hub.target)
        #expect(await connection?.isOpen == true)
        connection = nil
        await hub.waitForNoConnection()
    }

    @Test func `a hub that doesn't end its side holds nobody up for long`() async throws {
        let hub = try FakeHub()
        hub.linger()
        let clock = ManualClock()
        let connection = try await HubConnection.connect(
            to: hub.target, limit: .seconds(10), clock: DriverClock(clock))
        async let closing: Void = connection.close()
        while await connection.isOpen { await Task.yield() }
        await clock.advance(by: .seconds(60))
        await closing
        #expect(await controlError { try await connection.call(.hubInfo) }?.code == .failedPrecondition)
    }

    @Test func `every reader gets the events, up to the end`() async throws {
        let hub = try FakeHub()
        hub.on(.hubInfo) { _ in
            .events([("device.added", ["id": "1"]), ("room.added", [:])], then: .result(["done": true]))
        }
        let connection = try await HubConnection.connect(to: hub.target)
        let (first, second) = (await connection.events(), await connection.events())
        _ = try await connection.request(.hubInfo)
        await connection.close()
        for events in [first, second] {
            let seen = await events.reduce(into: [ControlEvent]()) { $0.append($1) }
            #expect(seen.map(\.name) == ["device.added", "room.added"])
            #expect(seen.map(\.number) == [1, 2])
            #expect(seen.allSatisfy { $0.structure == FakeHub.structure })
        }
        let afterwards = await connection.events().reduce(into: 0) { count, _ in count += 1 }
        #expect(afterwards == 0)
    }
}

@Suite("Liveness of a hub connection (hub-control.md §1)") struct LivenessTests {
    @Test func `pings after silence, gives up after more, and not when something comes`() {
        var liveness = Liveness(now: .seconds(5))
        #expect(liveness.deadline == .seconds(35))
        #expect(liveness.timerFired(now: .seconds(34)) == .none)
        #expect(liveness.timerFired(now: .seconds(35)) == .ping)
        #expect(liveness.deadline == .seconds(95))
        #expect(liveness.timerFired(now: .seconds(94)) == .none)
        liveness.heard(now: .seconds(94))
        #expect(liveness.deadline == .seconds(124))
        #expect(liveness.timerFired(now: .seconds(124)) == .ping)
        #expect(liveness.timerFired(now: .seconds(184)) == .giveUp)
        #expect(liveness.deadline == nil)
        #expect(liveness.timerFired(now: .seconds(999)) == .none)
        liveness.heard(now: .seconds(999))
        #expect(liveness.deadline == nil)
    }
}
