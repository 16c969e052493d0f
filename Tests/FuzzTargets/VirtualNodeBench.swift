import MatterCrypto
import MatterModel
import MatterProtocol
import MatterWire
import TestSupport

/// A commissioned virtual node with an endpoint of every device type, and the peers that speak with it.
struct VirtualNodeBench {
    private static let endpoints: [@Sendable (EndpointID) -> EndpointComposition] = [
        EndpointComposition.onOffLight, EndpointComposition.onOffPlug, EndpointComposition.dimmableLight,
        EndpointComposition.colorTemperatureLight, EndpointComposition.extendedColorLight,
        EndpointComposition.contactSensor, EndpointComposition.occupancySensor,
        EndpointComposition.temperatureSensor, EndpointComposition.genericSwitch, EndpointComposition.doorLock,
        EndpointComposition.windowCovering, EndpointComposition.thermostat, EndpointComposition.fan,
    ]

    private static let configuration: NodeConfiguration = {
        var configuration = NodeConfiguration(
            vendorID: VendorID(rawValue: 0xFFF1), vendorName: "MatterHub", productID: ProductID(rawValue: 0x8000),
            productName: "Everything", serialNumber: "S-1", uniqueID: "unique", discriminator: 3840,
            pake: FuzzHome.pake,
            network: NetworkInterfaceDescription(
                name: "eth0", hardwareAddress: [2, 0, 0, 0, 0, 1], ipv4: [[127, 0, 0, 1]],
                ipv6: [[UInt8](repeating: 0, count: 15) + [1]]),
            endpoints: endpoints.enumerated().map { $1(EndpointID(rawValue: UInt16($0) + 1)) })
        configuration.supportedFabrics = 5
        return configuration
    }()

    private static func node(restoring: [UInt8]? = nil) throws(SnapshotError) -> VirtualNode {
        try VirtualNode(
            configuration: configuration,
            attestation: DeviceAttestationCredentials(
                dac: [1, 2, 3], pai: [4, 5, 6], certificationDeclaration: [7, 8, 9],
                dacKey: FuzzHome.made { try FuzzHome.key(7) }),
            secrets: SeededSecretSource(seed: 4), random: .seeded(4), restoring: restoring, now: FuzzHome.start)
    }

    private static let fresh = FuzzHome.made { try node() }

    /// One fabric is on it; a commissioner of a second one is in.
    private static let commissioned = FuzzHome.made {
        var node = fresh
        _ = node.paseEstablished(session: 1, now: FuzzHome.start)
        let nonce = [UInt8](repeating: 9, count: 32)
        let pase = context(0, 1, FuzzHome.start)
        func invoke(_ command: ClusterCommand, _ context: InteractionContext) -> TLVValue? {
            guard
                case .response(_, let fields)? = node.invoke(command.path, fields: command.fields, context: context)
                    .first?.1
            else { return nil }
            return fields
        }
        _ = invoke(.armFailSafe(seconds: 60, breadcrumb: 1), pase)
        guard let answer = invoke(.csrRequest(nonce: nonce), pase) else { throw FuzzFailure("no CSR") }
        let elements = try NOCSRElements(decoding: SignedElementsResponse(fields: answer).elements)
        let noc = try FuzzHome.authority.issueNOC(
            publicKey: try CertificateSigningRequest.publicKey(of: elements.csr), nodeID: FuzzHome.deviceID,
            fabricID: FuzzHome.fabricID, notBefore: EpochSeconds(rawValue: 1), secrets: SeededSecretSource(seed: 5))
        _ = invoke(.addTrustedRoot(FuzzHome.authority.rootCertificateBytes), pase)
        _ = invoke(
            .addNOC(
                noc: noc.encoded(), icac: nil, ipk: FuzzHome.ipk, adminSubject: FuzzHome.controllerID.rawValue,
                adminVendor: VendorID(rawValue: 0xFFF1)), pase)
        _ = invoke(.commissioningComplete, context(1, 2, FuzzHome.start))
        guard node.fabrics.count == 1, !node.isFailSafeArmed else { throw FuzzFailure("the node was not commissioned") }
        _ = node.takeEffects()
        return node
    }

    /// Who speaks: a commissioner over PASE, the administrator, a node without rights.
    private static func context(_ who: UInt8, _ session: UInt64, _ now: MonotonicInstant) -> InteractionContext {
        let subject: InteractionSubject =
            switch who {
            case 0: .pase
            case 1: .operational(FuzzHome.controllerID, tags: [])
            default: .operational(NodeID(rawValue: 0x99), tags: [])
            }
        return InteractionContext(
            subject: subject, fabricIndex: who == 0 ? .none : FabricIndex(rawValue: 1), session: session,
            attestationChallenge: FuzzHome.challenge, now: now, wallClock: FuzzHome.wallClock)
    }

    // MARK: - Running

    private var node = VirtualNodeBench.commissioned
    private var server = InteractionServer(random: .seeded(6))
    private var now = FuzzHome.start
    private var lastExchange: UInt64 = 1
    private var wasServed = false

    /// A message begins with its opcode. Of the control byte, two bits say who speaks (3: time passes), the next goes
    /// on with the last exchange, the next begins with a factory-fresh node.
    mutating func run(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        for (number, message) in FuzzMessages(input).enumerated() {
            if number == 0, message.control & 8 != 0 {
                node = Self.fresh
                _ = node.paseEstablished(session: 10, now: now)
            }
            guard message.control & 3 != 3, let opcode = message.bytes.first else {
                now = now.advanced(by: .milliseconds(1 << Int64(message.control >> 3)))
                try pass()
                continue
            }
            try take(opcode, Array(message.bytes.dropFirst()), message.control & 3, message.control & 4 != 0)
        }
        now = now.advanced(by: .seconds(4_000))
        try pass()
        // What it stores it must be able to read after a restart. That costs as much as all the rest: sometimes is enough.
        guard input.count.isMultiple(of: 8) else { return wasServed ? .accepted : .rejected }
        do throws(SnapshotError) {
            _ = try node.restarted(random: .seeded(7), now: now)
        } catch {
            throw FuzzFailure("the node cannot read its own state: \(error)")
        }
        return wasServed ? .accepted : .rejected
    }

    private mutating func take(_ opcode: UInt8, _ payload: [UInt8], _ who: UInt8, _ goesOn: Bool) throws {
        if !goesOn { lastExchange += 1 }
        let message = InboundMessage(protocolID: .interactionModel, opcode: opcode, payload: payload)
        try perform(
            server.received(
                message, on: ExchangeHandle(rawValue: lastExchange), context: Self.context(who, UInt64(who) + 10, now),
                target: &node))
        _ = node.takeEffects()
    }

    private mutating func pass() throws {
        _ = node.timerFired(now: now)
        _ = node.takeEffects()
        try perform(server.timerFired(now: now, target: &node))
    }

    private mutating func perform(_ actions: [InteractionServer.Action]) throws {
        for action in actions {
            switch action {
            case .send(let message, _):
                try hold(message.payload.count <= MessageLayer.maximumPayloadCount, "too long a message")
                let opcode = InteractionOpcode(rawValue: message.opcode)
                if opcode != .statusResponse { wasServed = true }
                try Self.checkReadable(opcode, message.payload)
            case .openReport(let id, _):
                lastExchange += 1
                try perform(server.reportOpened(id, on: ExchangeHandle(rawValue: lastExchange), now: now))
            case .close, .subscribed, .unsubscribed: break
            }
        }
        try hold(server.subscriptionCount <= server.limits.subscriptions, "\(server.subscriptionCount) subscriptions")
    }

    /// What the server says, our own client reads.
    private static func checkReadable(_ opcode: InteractionOpcode?, _ payload: [UInt8]) throws {
        do throws(TLVError) {
            switch opcode {
            case .reportData: _ = try ReportData(decoding: payload)
            case .writeResponse: _ = try WriteResponse(decoding: payload)
            case .invokeResponse: _ = try InvokeResponse(decoding: payload)
            case .subscribeResponse: _ = try SubscribeResponse(decoding: payload)
            case .statusResponse: _ = try StatusResponse(decoding: payload)
            default: throw TLVError(code: .wrongType)
            }
        } catch {
            throw FuzzFailure("the node answers what no client reads: \(error), opcode \(opcode as Any)")
        }
    }

    // MARK: - Snapshots

    static var snapshots: [[UInt8]] { [fresh.snapshot(), commissioned.snapshot()] }

    /// A snapshot is refused, or the node that it makes works, and has it as its own.
    static func restore(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        guard var node = try? node(restoring: input) else { return .rejected }
        let everything = [AttributePath()]
        _ = node.read(
            everything, fabricFiltered: false, versionFilters: [], context: context(1, 1, FuzzHome.start))
        _ = node.timerFired(now: FuzzHome.start.advanced(by: .seconds(4_000)))
        do throws(SnapshotError) {
            _ = try node.restarted(random: .seeded(7), now: FuzzHome.start)
        } catch {
            throw FuzzFailure("a snapshot that was accepted makes a node that cannot read its own: \(error)")
        }
        return .accepted
    }

    // MARK: - Seeds

    /// Every command with no fields and with one, a read and a subscription of everything, and writes.
    static var seeds: [[UInt8]] {
        var seeds: [[UInt8]] = []
        func add(_ control: UInt8, _ messages: [any InteractionMessage]) {
            seeds.append(
                FuzzMessages.encode(
                    messages.enumerated().map { number, message in
                        (
                            number == 0 ? control : control & 3 | 4,
                            [type(of: message).opcode.rawValue] + message.encoded()
                        )
                    } + [(0x6B, [])]))
        }
        add(1, [ReadRequest(attributes: [AttributePath()]), StatusResponse(.success), StatusResponse(.success)])
        add(
            1,
            [
                SubscribeRequest(
                    keepsSubscriptions: false, minimumInterval: 0, maximumInterval: 60, attributes: [AttributePath()]),
                StatusResponse(.success), StatusResponse(.success), StatusResponse(.success),
            ])
        let root: [UInt32] = [0x1D, 0x1F, 0x28, 0x30, 0x33, 0x38, 0x3C, 0x3E, 0x3F]
        let places =
            root.map { (endpoint: EndpointID.root, cluster: ClusterID(rawValue: $0)) }
            + configuration.endpoints.flatMap { endpoint in
                endpoint.clusters.map { (endpoint: endpoint.id, cluster: $0.id) }
            }
        // All commands and attributes of a cluster in one input, with small values and with the ends of each type.
        let values: [TLVValue] = [
            .uint(1 as UInt8), .uint(UInt8.max), .uint(UInt16.max), .uint(UInt64.max), .signed(-1),
            .signed(Int64(Int16.min)), .signed(.min), .null, .utf8("x"), .octets([]), .array([]),
        ]
        for place in places {
            for value in values {
                var messages: [any InteractionMessage] = []
                for command in 0..<12 as Range<UInt32> {
                    let block = CommandDataIB(
                        path: CommandPath(
                            endpoint: place.endpoint, cluster: place.cluster, command: CommandID(rawValue: command)),
                        fields: .structure((0..<8 as Range<UInt8>).map { TLVElement($0, value) }))
                    messages += [TimedRequest(timeout: 1_000), InvokeRequest(commands: [block], isTimed: true)]
                }
                seeds.append(
                    FuzzMessages.encode(
                        messages.map { message in
                            // What a timed request announces comes on its exchange.
                            (message is TimedRequest ? 1 : 5, [type(of: message).opcode.rawValue] + message.encoded())
                        } + [(0x6B, [])]))
                let writes = (0..<0x40 as Range<UInt32>).map { attribute in
                    AttributeDataIB(
                        path: AttributePath(
                            endpoint: place.endpoint, cluster: place.cluster,
                            attribute: AttributeID(rawValue: attribute)), value: value)
                }
                add(1, [WriteRequest(writes: writes)])
            }
        }
        for command in [
            ClusterCommand.armFailSafe(seconds: 60, breadcrumb: 1),
            .setRegulatoryConfig(.indoor, country: "XX", breadcrumb: 2), .paiRequest, .dacRequest,
            .csrRequest(nonce: [UInt8](repeating: 1, count: 32)),
            .attestationRequest(nonce: [UInt8](repeating: 1, count: 32)), .updateFabricLabel("x"),
            .removeFabric(FabricIndex(rawValue: 1)), .addTrustedRoot(FuzzHome.authority.rootCertificateBytes),
        ] {
            let request = InvokeRequest(commands: [CommandDataIB(path: command.path, fields: command.fields)])
            add(8, [request])
            add(1, [request])
        }
        return seeds
    }
}
