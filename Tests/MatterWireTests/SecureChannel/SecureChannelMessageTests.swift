import MatterWire
import TestSupport
import Testing

private struct PayloadVector: Decodable, Sendable, CustomTestStringConvertible {
    var kind: String
    var payload: HexBytes
    var source: String
    var testDescription: String { "\(kind), \(source)" }

    static let all = Vectors.load([PayloadVector].self, "secure-channel.json")

    /// Decodes the payload as its kind and encodes it again.
    func recoded(_ bytes: [UInt8]) throws -> [UInt8] {
        switch kind {
        case "PBKDFParamRequest": try PBKDFParamRequest(decoding: bytes).encoded()
        case "PBKDFParamResponse": try PBKDFParamResponse(decoding: bytes).encoded()
        case "Pake1": try Pake1(decoding: bytes).encoded()
        case "Pake2": try Pake2(decoding: bytes).encoded()
        case "Pake3": try Pake3(decoding: bytes).encoded()
        case "Sigma1": try Sigma1(decoding: bytes).encoded()
        case "Sigma2": try Sigma2(decoding: bytes).encoded()
        case "Sigma3": try Sigma3(decoding: bytes).encoded()
        case "CASEIdentityProof": try CASEIdentityProof(decoding: bytes).encoded()
        default: fatalError("unknown kind \(kind)")
        }
    }
}

@Suite("Messages of PASE and CASE (Core §4.14)")
struct SecureChannelMessageTests {
    /// Other stacks write some integers wider than need be; what is read must be the same after writing it again.
    @Test(arguments: PayloadVector.all)
    fileprivate func `reads a real payload and writes the same values`(_ vector: PayloadVector) throws {
        let bytes = vector.payload.bytes
        let again = try vector.recoded(bytes)
        #expect(try TLVValue.decode(again) == TLVValue.decode(bytes))
        #expect(try vector.recoded(again) == again)
    }

    @Test fileprivate func `survives damage`() {
        for seed in UInt64(0)..<3000 {
            var random = SeededGenerator(seed: seed)
            let vector = PayloadVector.all[Int(seed) % PayloadVector.all.count]
            // Only that nothing traps counts here.
            _ = try? vector.recoded(random.mutated(vector.payload.bytes))
        }
    }

    @Test func `reads the parameters of a real request`() throws {
        let request = try PBKDFParamRequest(decoding: PayloadVector.all[0].payload.bytes)
        #expect(request.initiatorSessionID == SessionID(rawValue: 0xDC33))
        #expect(request.passcodeID == 0)
        #expect(request.hasPBKDFParameters == false)
        #expect(request.sessionParameters == SessionParameters(idleInterval: 5000, activeInterval: 300))
    }

    @Test func `refuses session number 0`() {
        let request = PBKDFParamRequest(
            initiatorRandom: [UInt8](repeating: 1, count: 32), initiatorSessionID: .unsecured)
        #expect(throws: TLVError(code: .wrongType, path: [2])) { try PBKDFParamRequest(decoding: request.encoded()) }
    }

    @Test func `refuses half an offer of resumption`() throws {
        var sigma1 = Sigma1(
            initiatorRandom: [UInt8](repeating: 1, count: 32), initiatorSessionID: SessionID(rawValue: 1),
            destinationID: [UInt8](repeating: 2, count: 32),
            initiatorEphemeralKey: [UInt8](repeating: 4, count: 65))
        sigma1.resumption = .init(id: [UInt8](repeating: 5, count: 16), mic: [UInt8](repeating: 6, count: 16))
        #expect(try Sigma1(decoding: sigma1.encoded()) == sigma1)
        guard case .structure(var members) = try TLVValue.decode(sigma1.encoded()) else {
            Issue.record("not a structure")
            return
        }
        members.removeAll { $0.tag == .context(7) }
        let half = TLVValue.structure(members).encoded()
        #expect(throws: TLVError(code: .missing, path: [7])) { try Sigma1(decoding: half) }
    }

    @Test func `reads and writes a resumption`() throws {
        let resume = Sigma2Resume(
            resumptionID: [UInt8](repeating: 1, count: 16), mic: [UInt8](repeating: 2, count: 16),
            responderSessionID: SessionID(rawValue: 3), sessionParameters: SessionParameters(activeThreshold: 4000))
        #expect(try Sigma2Resume(decoding: resume.encoded()) == resume)
    }

    @Test func `keeps every session parameter`() throws {
        let parameters = SessionParameters(
            idleInterval: 3_600_000, activeInterval: 300, activeThreshold: 65535, dataModelRevision: 18,
            interactionModelRevision: 12, specificationVersion: 0x0104_0200, maxPathsPerInvoke: 9,
            supportedTransports: 3, maxTCPMessageSize: 64000)
        #expect(try SessionParameters(parameters.value) == parameters)
        #expect(try SessionParameters(.structure([])) == SessionParameters())
        #expect(throws: TLVError(code: .wrongType)) { try SessionParameters(.uint(UInt8(1))) }
    }
}

@Suite("Status report (Core §4.11.1.3)")
struct StatusReportTests {
    @Test(arguments: [
        ("0000000000000000", StatusReport.sessionEstablished), ("0000000000000300", .closeSession),
        ("0100000000000100", .failure(.noSharedTrustRoots)), ("0100000000000200", .failure(.invalidParameter)),
        ("0800000000000400f401", .busy(wait: .milliseconds(500))),
    ])
    func `has the bytes of the specification`(hex: String, report: StatusReport) throws {
        #expect(report.encoded() == [UInt8](hex: hex))
        #expect(try StatusReport(decoding: [UInt8](hex: hex)) == report)
    }

    @Test func `tells protocols and vendors apart`() throws {
        let report = try StatusReport(decoding: [UInt8](hex: "01000100f1ff0400aabb"))
        #expect(report.protocolID == .interactionModel)
        #expect(report.vendorID == VendorID(rawValue: 0xFFF1))
        #expect(report.secureChannelCode == nil)
        #expect(report.busyWait == nil)
        #expect(report.data == [0xAA, 0xBB])
    }

    @Test func `reads how long to wait`() {
        #expect(StatusReport.busy(wait: .seconds(2)).busyWait == .seconds(2))
        #expect(StatusReport.busy(wait: .seconds(100)).busyWait == .milliseconds(65535))
        #expect(StatusReport.failure(.busy).busyWait == .zero)
        #expect(StatusReport.failure(.invalidParameter).busyWait == nil)
    }

    @Test func `refuses fewer than eight bytes`() {
        #expect(throws: MessageError(code: .truncated, offset: 6)) {
            try StatusReport(decoding: [UInt8](hex: "01000000000001"))
        }
    }
}
