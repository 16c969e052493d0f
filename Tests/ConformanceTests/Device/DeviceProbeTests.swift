import MatterCrypto
import MatterProtocol
import MatterWire
import TestSupport
import Testing

@testable import Conformance

@Suite("Device suite: what a device can say") struct DeviceProbeTests {
    private let session = EstablishedSession(
        kind: .pase, localSessionID: SessionID(rawValue: 7), peerSessionID: SessionID(rawValue: 9),
        initiatorToResponderKey: [UInt8](repeating: 1, count: 16),
        responderToInitiatorKey: [UInt8](repeating: 2, count: 16),
        attestationChallenge: [UInt8](repeating: 3, count: 16), isInitiator: true)

    private func datagram(_ header: ProtocolHeader, counter: UInt32 = 77) throws -> [UInt8] {
        let outer = MessageHeader(sessionID: session.localSessionID, counter: MessageCounter(rawValue: counter))
        let associated = outer.encoded()
        let sealed = try AESCCM(key: session.responderToInitiatorKey).seal(
            header.encoded() + [0x15, 0x18], nonce: outer.nonce(sender: session.peerNode), aad: associated)
        return associated + sealed
    }

    @Test func `a message of the session is read beside the message layer`() throws {
        let header = ProtocolHeader(
            isFromInitiator: false, isReliable: false, opcode: SecureChannelOpcode.standaloneAck.rawValue,
            exchangeID: ExchangeID(rawValue: 5), protocolID: .secureChannel, acknowledged: MessageCounter(rawValue: 12))
        let bytes = try datagram(header)
        let heard = try #require(HeardMessage(bytes, in: session))
        #expect(heard.counter.rawValue == 77 && heard.header == header)
        #expect(HeardMessage.counter(of: bytes)?.rawValue == 77)
        #expect(HeardMessage.counter(of: []) == nil)
    }

    @Test func `nothing else is taken for one, whatever it is`() throws {
        let header = ProtocolHeader(
            isFromInitiator: true, isReliable: true, opcode: 2, exchangeID: ExchangeID(rawValue: 5),
            protocolID: .interactionModel)
        let bytes = try datagram(header)
        var generator = SeededGenerator(seed: 1)
        for count in 0..<bytes.count { #expect(HeardMessage(Array(bytes.prefix(count)), in: session) == nil) }
        for _ in 0..<2_000 {
            var mutated = bytes
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                mutated[Int.random(in: 0..<mutated.count, using: &generator)] ^= UInt8.random(
                    in: 1...255, using: &generator)
            }
            if mutated != bytes { #expect(HeardMessage(mutated, in: session) == nil) }
            let noise = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            #expect(HeardMessage(noise, in: session) == nil)
        }
    }

    @Test(
        arguments: [
            (["D": "3840", "CM": "1"], []),
            (["d": "0", "cm": "2", "VP": "65521+32768", "SII": "500", "SAI": "300", "SAT": "4000", "T": "1"], []),
            (
                ["D": "3840", "CM": "1", "VP": "65521", "DN": "Lamp", "PH": "33", "PI": "", "RI": "00FF", "ICD": "0"],
                []
            ),
            (["CM": "1"], ["D is missing"]), (["D": "5"], ["CM is missing"]),
            (["D": "4096", "CM": "1"], ["D is a decimal number from 0 to 4095, and not “4096”"]),
            (["D": "007", "CM": "1"], ["D is a decimal number from 0 to 4095, and not “007”"]),
            (["D": "1", "CM": "0"], ["CM is 0 although the device is looked for by its open window"]),
            (
                ["D": "1", "CM": "1", "VP": "65521+"],
                ["VP is a vendor in decimal, or vendor+product, and not “65521+”"]
            ),
            (["D": "1", "CM": "1", "VP": "1+2+3"], ["VP is a vendor in decimal, or vendor+product, and not “1+2+3”"]),
            (
                ["D": "1", "CM": "1", "SII": "3600001"],
                ["SII is a decimal number from 0 to 3600000, and not “3600001”"]
            ),
            (["D": "1", "CM": "1", "RI": "0"], ["RI is at most 50 bytes in hexadecimal, and not “0”"]),
            (
                ["D": "1", "CM": "1", "DN": String(repeating: "x", count: 33)], ["DN has at most 32 bytes, not 33"]
            ),
        ] as [([String: String], [String])])
    func `keys of a commissionable record are held to their forms`(_ txt: [String: String], _ faults: [String]) {
        #expect(CommissionableText(txt).faults == faults)
    }
}
