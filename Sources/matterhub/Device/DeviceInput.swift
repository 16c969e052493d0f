import Glibc
import Hub
import HubControl
import MatterModel
import MatterNode
import MatterProtocol
import MatterWire
import NetIO

/// What people and scripts tell a virtual device while it runs: one command a line on standard input.
struct DeviceInput: Sendable {
    private let device: DeviceNode
    private let settable: [(path: ConcreteAttributePath, definition: AttributeDefinition)]
    private let report: DeviceReport

    init(
        _ device: DeviceNode, settable: [(path: ConcreteAttributePath, definition: AttributeDefinition)],
        _ report: DeviceReport
    ) {
        self.device = device
        self.settable = settable
        self.report = report
    }

    /// Obeys lines until standard input ends; the device goes on without it.
    func run() async {
        // In the background of a terminal, reading must not stop the program: it is the end of input then.
        signal(SIGTTIN, SIG_IGN)
        // Lines are few and short; more than these wait in the pipe's buffer and the thread's.
        let (lines, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .unbounded)
        let reading = Task {
            await DedicatedThread.call {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
        defer { reading.cancel() }
        for await line in lines { await obey(line) }
    }

    private func obey(_ line: String) async {
        let words = line.split(maxSplits: 2, whereSeparator: \.isWhitespace).map(String.init)
        do throws(UsageError) {
            switch (words.first, words.count) {
            case (nil, _): break
            case ("set", 3): try set(words[1], words[2], line)
            case ("get", 2): try await get(words[1], line)
            case ("list", 1): await list(line)
            case ("faults", _): try await setFaults(line)
            case ("set", _): throw UsageError("set needs a place and a value: set [ENDPOINT/]CLUSTER/ATTRIBUTE VALUE")
            case ("get", _): throw UsageError("get needs one place: get [ENDPOINT/]CLUSTER/ATTRIBUTE")
            case (let word?, _): throw UsageError("“\(word)” is no command here: set, get, list or faults")
            }
        } catch {
            report.refused(line, error.message)
        }
    }

    private func set(_ place: String, _ text: String, _ line: String) throws(UsageError) {
        let path = try path(place)
        let type = ClusterName.type(of: path.attribute.rawValue, in: path.cluster.rawValue)
        let value = ValueArgument.fit(try ValueArgument.parse(text), text, to: type)
        device.worldSets(path, to: value.tlv) { [report] error in
            if let error { report.refused(line, error.description) } else { report.done(line) }
        }
    }

    private func get(_ place: String, _ line: String) async throws(UsageError) {
        let path = try path(place)
        guard let value = await device.value(of: path) else {
            throw UsageError("there is no \(place) on this device; list says what can be set")
        }
        report.value(line, path, value)
    }

    private func list(_ line: String) async {
        for (path, definition) in settable {
            let type = definition.type.words + (definition.qualities.contains(.nullable) ? ", or null" : "")
            if let value = await device.value(of: path) { report.settable(line, path, type, value) }
        }
        report.done(line)
    }

    /// `faults [RULE]…`: these are the faults from now on; none without a rule.
    private func setFaults(_ line: String) async throws(UsageError) {
        let plan: FaultPlan
        do throws(FaultPlanError) {
            plan = try FaultPlan(line.split(whereSeparator: \.isWhitespace).dropFirst().map(String.init))
        } catch {
            throw UsageError("\(error)")
        }
        guard plan.rules.count <= FaultPlan.limit else { throw UsageError("at most \(FaultPlan.limit) faults") }
        do {
            try await device.setFaults(plan)
        } catch {
            throw UsageError("\(error)")
        }
        report.done(line)
    }

    /// The attribute that is meant; without an endpoint, on the first that can be set.
    private func path(_ text: String) throws(UsageError) -> ConcreteAttributePath {
        let words = try DevicePath(text, .attribute)
        guard let cluster = words.cluster, let attribute = words.element, words.endpoint != .all else {
            throw UsageError("“\(text)” must be one attribute: [ENDPOINT/]CLUSTER/ATTRIBUTE, without *")
        }
        let (clusterID, attributeID) = (ClusterID(rawValue: cluster), AttributeID(rawValue: attribute))
        let endpoint: EndpointID
        if case .number(let number) = words.endpoint {
            endpoint = EndpointID(rawValue: number)
        } else {
            let isOfRoot = ClusterName.with(id: cluster)?.isRoot == true
            let fitting = settable.map(\.path).first { $0.cluster == clusterID && $0.attribute == attributeID }
            let neighbour = settable.map(\.path).first { $0.cluster == clusterID }
            endpoint = isOfRoot ? .root : (fitting ?? neighbour)?.endpoint ?? EndpointID(rawValue: 1)
        }
        return ConcreteAttributePath(endpoint: endpoint, cluster: clusterID, attribute: attributeID)
    }
}
