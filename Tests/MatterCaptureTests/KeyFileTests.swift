import HubControl
import MatterCapture
import MatterProtocol
import MatterWire
import TestSupport
import Testing

@Suite("Key files (Protocols/captures.md)") struct KeyFileTests {
    static func keys(_ seed: UInt64) -> SessionKeys {
        var generator = SeededGenerator(seed: seed)
        let isPASE = generator.next() & 1 == 0
        return SessionKeys(
            EstablishedSession(
                kind: isPASE ? .pase : .case,
                localSessionID: SessionID(rawValue: UInt16.random(in: 1...65535, using: &generator)),
                peerSessionID: SessionID(rawValue: UInt16.random(in: 1...65535, using: &generator)),
                initiatorToResponderKey: generator.bytes(16), responderToInitiatorKey: generator.bytes(16),
                attestationChallenge: generator.bytes(16), isInitiator: generator.next() & 1 == 0,
                localNode: isPASE ? .unspecified : NodeID(rawValue: generator.next()),
                peerNode: isPASE ? .unspecified : NodeID(rawValue: generator.next())),
            microseconds: Int64.random(in: 0...2_000_000_000_000_000, using: &generator))
    }

    @Test func `what is written is read, from several runs in one file`() throws {
        for seed in 0..<200 as Range<UInt64> {
            let all = [Self.keys(seed), Self.keys(seed + 1000), Self.keys(seed + 2000)]
            let file = KeyFile.head + KeyFile.line(all[0]) + KeyFile.line(all[1]) + KeyFile.head + KeyFile.line(all[2])
            #expect(try KeyFile.sessions(of: file) == all)
        }
        #expect(try KeyFile.sessions(of: KeyFile.head).isEmpty)
        #expect(String(decoding: KeyFile.head, as: UTF8.self).contains("Whoever has this file can read"))
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        var change: @Sendable (String) -> String, words: String
        var testDescription: String { words }
    }

    static let bad: [Bad] = [
        Bad(change: { _ in "" }, words: "line 1 of the keys is not the head"),
        Bad(change: { _ in "{}" }, words: "line 1 of the keys is not the head"),
        Bad(change: { _ in "CLIENT_RANDOM 00 00" }, words: "line 1 of the keys is not the head"),
        Bad(change: { $0.replacing("\"version\":1", with: "\"version\":2") }, words: "newer version (line 1)"),
        Bad(change: { $0.replacing("\"kind\":\"", with: "\"kind\":\"x") }, words: "line 2 of the keys: kind must be"),
        Bad(
            change: { $0.replacing("\"initiator\":", with: "\"Initiator\":") },
            words: "line 2 of the keys: initiator is missing"),
        Bad(
            change: { $0.replacing("\"peerSession\":", with: "\"peerSession\":-") },
            words: "line 2 of the keys: peerSession must be"),
        Bad(
            change: { $0.replacing("\"initiatorToResponder\":\"", with: "\"initiatorToResponder\":\"A") },
            words: "initiatorToResponder must be 16 octets"),
        Bad(change: { $0 + "{" }, words: "line 3 of the keys: the JSON text ends too early"),
        Bad(
            change: { $0.replacing("\"localNode\":\"", with: "\"localNode\":\"0") },
            words: "line 2 of the keys: localNode must be"),
    ]

    @Test(arguments: bad) func `what is no key file is refused with the line and what to do`(_ bad: Bad) {
        let good = String(decoding: KeyFile.head + KeyFile.line(Self.keys(3)), as: UTF8.self)
        let error = #expect(throws: CaptureError.self) { try KeyFile.sessions(of: Array(bad.change(good).utf8)) }
        let text = error?.description ?? ""
        #expect(text.contains(bad.words) && text.contains("; "), "\(text)")
    }

    @Test func `damaged key files are read or refused, and no message has a key in it`() {
        var generator = SeededGenerator(seed: 8)
        let keys = Self.keys(4)
        let good = KeyFile.head + KeyFile.line(keys)
        let secret = String(Base64URL.encode(keys.initiatorToResponderKey).prefix(12))
        var refused = 0
        for _ in 0..<3000 {
            do throws(CaptureError) {
                _ = try KeyFile.sessions(of: generator.mutated(good))
            } catch {
                refused += 1
                #expect(!error.description.contains(secret))
            }
        }
        #expect((500..<3000).contains(refused), "\(refused)")
    }
}
