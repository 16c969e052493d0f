import HubControl
import TestSupport
import Testing
import Transcript

@Suite("Recording the bytes of a connection") struct RecorderTests {
    static let grant = GrantToken(
        authorityHash: [UInt8](repeating: 3, count: 32), id: GrantID(rawValue: 7),
        secret: [UInt8](repeating: 9, count: 32)
    ).text

    static func frame(_ kind: ControlFrameKind, _ payload: JSONObject) -> [UInt8] {
        ControlFrame(kind: kind, payload: payload.encoded()).encoded()
    }

    /// All that is secret, said in every place where it can stand.
    static let client: [UInt8] =
        ControlPreface.bytes
        + frame(.hello, ["client": "x/1", "grant": .string(grant)])
        + frame(
            .request,
            [
                "id": 1, "method": "session.commission",
                "params": ["payload": "MT:Y.K90AFN00KA0648G00", "clientKey": "k"],
            ])
        + frame(.request, ["id": 2, "method": "session.commission", "params": ["payload": "34970112332"]])
        + frame(
            .request,
            [
                "id": 3, "method": "devices.invoke",
                "params": [
                    "id": "0000000000000001", "cluster": 257, "command": 0, "fields": ["0": ["octets": "MTIzNA"]],
                ],
            ])
        + frame(
            .request,
            ["id": 4, "method": "devices.write", "params": ["cluster": 6, "value": ["octets": "bm90IHNlY3JldA"]]])
    static let hub: [UInt8] =
        frame(.response, ["id": 9, "result": ["grant": .string(grant), "grantId": "0000000000000007"]])
        + frame(
            .response,
            [
                "id": 8,
                "result": ["manualCode": "34970112332", "qrCode": "MT:Y.K90AFN00KA0648G00", "passcode": 20_202_021],
            ])
        + frame(
            .goaway,
            ["code": 3, "name": "invalidArgument", "message": .string("no “\(grant)”, no MT:Y.K90AFN00KA0648G00!")])

    static func record(_ client: [UInt8], _ hub: [UInt8], pieces: Int) -> [DialogueLine] {
        var recorder = DialogueRecorder(connection: "1")
        var secrets = SecretPlaceholders()
        var lines: [DialogueLine] = []
        for (bytes, sender) in [(client, DialogueSender.client), (hub, .hub)] {
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                lines += recorder.passed(
                    Array(bytes[start..<min(bytes.count, start + pieces)]), from: sender, milliseconds: 1,
                    secrets: &secrets)
            }
        }
        return lines
    }

    @Test func `secrets go, equal ones by one name, in whatever pieces they come`() {
        let whole = Self.record(Self.client, Self.hub, pieces: 1 << 20)
        for pieces in [1, 2, 3, 7, 100] { #expect(Self.record(Self.client, Self.hub, pieces: pieces) == whole) }
        #expect(whole.count == 8)
        let text = String(decoding: whole.flatMap(\.encoded), as: UTF8.self)
        let secret = String(Self.grant.split(separator: ".")[3])
        for word in [Self.grant, secret, "MT:Y", "34970112332", "20202021", "MTIzNA", "mh1."] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.contains("bm90IHNlY3JldA"))
        let payloads = whole.compactMap { line in if case .frame(let frame) = line { frame.payload } else { nil } }
        #expect(payloads[0]["grant"] == "<grant-text-1>")
        #expect(payloads[1]["params"]?.object?["payload"] == "<code-1>")
        #expect(payloads[2]["params"]?.object?["payload"] == "<code-2>")
        #expect(payloads[5]["result"]?.object?["grant"] == "<grant-text-1>")
        #expect(payloads[6]["result"] == ["manualCode": "<code-2>", "qrCode": "<code-1>", "passcode": "<passcode-1>"])
        #expect(payloads[7]["message"] == "no “<grant-text-1>”, no <code-1>!")
    }

    @Test func `a manual code goes wherever a client put it`() {
        var secrets = SecretPlaceholders()
        let payload: JSONObject = [
            "params": [
                "code": "3497-011-2332", "other": "34970112332", "id": "0000000000000001", "short": "3497011233",
            ]
        ]
        #expect(
            secrets.redact(payload, kind: .request)["params"]
                == ["code": "<code-1>", "other": "<code-2>", "id": "0000000000000001", "short": "3497011233"])
    }

    @Test func `what cannot be read is said without a byte of it`() {
        let secret = Array(Self.grant.utf8)
        let odd = ControlFrame(kind: .init(rawValue: 77), payload: secret).encoded()
        let broken = ControlFrame(kind: .request, payload: secret).encoded()
        let lines = Self.record(ControlPreface.bytes + odd + broken, [0xFF] + secret, pieces: 1 << 20)
        let notes = lines.compactMap { line in if case .note(let note) = line { note.text } else { nil } }
        #expect(notes.count == 3 && lines.count == 3)
        #expect(notes[0].hasPrefix("the client sent a frame of kind 77 with "))
        #expect(notes[1].hasPrefix("the client sent a request that cannot be read: "))
        #expect(notes[2].hasPrefix("nothing more of the hub is recorded: "))
        #expect(!notes.joined().contains("mh1"))
    }

    @Test func `damaged streams never show the grant`() {
        var generator = SeededGenerator(seed: 5)
        let secret = String(Self.grant.split(separator: ".")[3].dropLast(4))
        for _ in 0..<500 {
            // Damage outside of the grant itself: a damaged grant is none.
            let tail = generator.mutated(Array(Self.client.dropFirst(200)))
            let lines = Self.record(Array(Self.client.prefix(200)) + tail, generator.mutated(Self.hub), pieces: 64)
            let hello = lines.prefix(1).flatMap(\.encoded)
            #expect(!String(decoding: hello, as: UTF8.self).contains(secret))
        }
    }
}
