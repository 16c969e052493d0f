import MatterModel
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import Testing
import VirtualHome

@testable import MatterNode

@Suite("ControllerNode: subscriptions (Core §8.5)", .timeLimit(.minutes(1)))
struct ControllerSubscriptionTests {
    private let home: Home
    private let node = NodeID(rawValue: 0x77)
    private let lamp = AttributePath(endpoint: EndpointID(rawValue: 1), cluster: .onOff)

    init() throws { home = try Home() }

    private func withFollowedLight(
        _ body: (ControllerNode, Home.Light, NodeFeed) async throws -> Void
    ) async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                let outcome = await controller.commission(home.order(0x77), observer: StageObserver())
                _ = try #require(outcome.report, "\(outcome)")
                let feed = try await controller.subscribe(to: [lamp], of: node)
                try await body(controller, light, feed)
            }
        }
    }

    private func value(of reports: [AttributeReport]) -> TLVValue? {
        for case .data(Home.onOff, _, let value) in reports { return value }
        return nil
    }

    /// The next value of the light's switch.
    private func next(_ updates: inout AsyncStream<NodeUpdate>.Iterator) async -> TLVValue? {
        while let update = await updates.next(isolation: nil) {
            if case .changed(let reports) = update, let value = value(of: reports) { return value }
        }
        return nil
    }

    @Test func `begins with the values and tells what another request changes`() async throws {
        try await withFollowedLight { controller, _, feed in
            #expect(value(of: feed.current) == .bool(false))
            var updates = feed.updates.makeAsyncIterator()
            for on in [true, false] {
                _ = try await controller.invoke(home.command(on ? 1 : 0), on: node)
                #expect(await home.whileTimePasses { await next(&updates) } == .bool(on))
            }
            await controller.unsubscribe(feed.number, from: node)
            #expect(await updates.next() == nil)
            #expect(await controller.subscriptions.isEmpty)
        }
    }

    @Test func `two followers share a subscription; each sees what it asked for`() async throws {
        try await withFollowedLight { controller, _, feed in
            let name = AttributePath(
                endpoint: .root, cluster: .basicInformation, attribute: AttributeID(rawValue: 5))
            let second = try await home.whileTimePasses { try await controller.subscribe(to: [name], of: node) }
            #expect(second.current.map(\.path.attribute) == [AttributeID(rawValue: 5)])
            #expect(await controller.subscriptions.count == 1)
            #expect(await controller.subscriptions[node]?.keeper.paths == [lamp, name])
            try await controller.write(AttributeWrite(path: name, value: .utf8("Desk")), to: node)
            _ = try await controller.invoke(home.command(1), on: node)
            var (first, other) = (feed.updates.makeAsyncIterator(), second.updates.makeAsyncIterator())
            #expect(await home.whileTimePasses { await next(&first) } == .bool(true))
            let heard = await home.whileTimePasses { await other.next(isolation: nil) }
            guard case .changed(let reports)? = heard else {
                Issue.record("\(String(describing: heard))")
                return
            }
            #expect(reports.map(\.path.cluster) == [.basicInformation])
            await controller.unsubscribe(feed.number, from: node)
            #expect(await controller.subscriptions.count == 1)
            await controller.unsubscribe(second.number, from: node)
            #expect(await controller.subscriptions.isEmpty)
        }
    }

    @Test func `a node that falls silent is told, and what it missed comes when it is back`() async throws {
        try await withFollowedLight { controller, light, feed in
            // On for 90 s, then off by itself, which nobody can hear.
            let fields = TLVValue.structure([
                TLVElement(0, .unsigned(0)), TLVElement(1, .unsigned(900)), TLVElement(2, .unsigned(0)),
            ])
            _ = try await controller.invoke(home.command(0x42), fields: fields, on: node)
            var ahead = feed.updates.makeAsyncIterator()
            #expect(await home.whileTimePasses { await next(&ahead) } == .bool(true))
            home.network.cut(port: 41)
            var updates = feed.updates.makeAsyncIterator()
            #expect(await home.whileTimePasses { await updates.next(isolation: nil) } == .reachable(false))
            #expect(await controller.isReachable(node) == false)
            await home.whileTimePasses { await until { await light.node.value(of: Home.onOff) == .bool(false) } }
            home.network.heal(port: 41)
            #expect(await home.whileTimePasses { await updates.next(isolation: nil) } == .reachable(true))
            #expect(await home.whileTimePasses { await next(&updates) } == .bool(false))
            #expect(await controller.isReachable(node) == true)
        }
    }

    @Test func `a node that does not answer refuses a first follower, and keeps nothing`() async throws {
        try await home.withLight { _ in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                home.network.cut(port: Home.devicePort)
                let error = await #expect(throws: NodeRequestFailure.self) {
                    try await home.whileTimePasses { try await controller.subscribe(to: [lamp], of: node) }
                }
                guard case .unreachable? = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(await controller.subscriptions.isEmpty)
            }
        }
    }

    @Test func `a light that restarts is subscribed to again`() async throws {
        try await home.withController(port: 41) { controller in
            let (snapshot, feed) = try await home.withLight { light in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                let feed = try await controller.subscribe(to: [lamp], of: node)
                _ = try await controller.invoke(home.command(1), on: node)
                return (light.stored.withLock { $0 }, feed)
            }
            try await home.withLight(restoring: snapshot) { _ in
                var updates = feed.updates.makeAsyncIterator()
                #expect(await home.whileTimePasses { await next(&updates) } == .bool(true))
                await home.whileTimePasses {
                    await until { await controller.subscriptions[node]?.keeper.isLive == true }
                }
                _ = try await home.whileTimePasses { try await controller.invoke(home.command(0), on: node) }
                #expect(await home.whileTimePasses { await next(&updates) } == .bool(false))
            }
        }
    }

    @Test func `removing the node, and closing the controller, end the feed`() async throws {
        try await withFollowedLight { controller, _, feed in
            _ = await controller.removeFabric(from: node, known: nil)
            for await _ in feed.updates {}
            #expect(await controller.subscriptions.isEmpty)
        }
        try await withFollowedLight { controller, _, feed in
            await controller.close()
            for await _ in feed.updates {}
            await #expect(throws: CancellationError.self) { try await controller.subscribe(to: [lamp], of: node) }
        }
    }

    @Test func `a follower that never reads loses its feed, and the others go on`() async throws {
        try await withFollowedLight { controller, _, feed in
            _ = feed
            for _ in 0...NodeFeed.bufferedUpdates {
                await controller.tellAsTest(node, Home.onOff)
            }
            #expect(await controller.subscriptions.isEmpty)
        }
    }
}

extension ControllerNode {
    /// Pretends that the node reported a change.
    fileprivate func tellAsTest(_ node: NodeID, _ path: ConcreteAttributePath) {
        tell(node, [.data(path: path, version: DataVersion(rawValue: 1), value: .bool(true))])
    }
}
