import HubControl
import Testing

@testable import HubClient

@Suite("Calls and their answers (hub-control.md §4)") struct HubCallTests {
    private let device = DeviceID(rawValue: 0xD1)

    private func object(_ text: String) throws -> JSONObject { try JSONObject(parsing: Array(text.utf8)) }

    @Test func `params of the device calls`() throws {
        func text(_ params: JSONObject) -> String { JSONValue.object(params).text(.sorted) }
        let id = "\"id\":\"00000000000000d1\""
        #expect(text(HubCall.devices().params) == "{}")
        #expect(
            text(HubCall.devices(of: StructureID(rawValue: 1), cursor: "c", limit: 5).params)
                == #"{"cursor":"c","limit":5,"structure":"0000000000000001"}"#)
        #expect(text(HubCall.orphans().params) == #"{"orphans":true}"#)
        #expect(text(HubCall.move(device, to: nil).params) == "{\(id),\"room\":null}")
        #expect(text(HubCall.rename(device, to: "A").params) == "{\(id),\"name\":\"A\"}")
        #expect(text(HubCall.read(.init(cluster: 6), of: device).params) == "{\"cluster\":6,\(id)}")
        #expect(
            text(HubCall.write(.signed(5), endpoint: 1, cluster: 8, attribute: 0x11, of: device).params)
                == "{\"attribute\":17,\"cluster\":8,\"endpoint\":1,\(id),\"value\":{\"i\":5}}")
        #expect(
            text(HubCall.invoke(2, endpoint: 1, cluster: 6, on: device).params)
                == "{\"cluster\":6,\"command\":2,\"endpoint\":1,\(id)}")
        #expect(
            text(
                HubCall.invoke(
                    0, fields: .structure([0: .unsigned(1)]), endpoint: 1, cluster: 8, timed: .milliseconds(500),
                    on: device
                ).params)
                == "{\"cluster\":8,\"command\":0,\"endpoint\":1,\"fields\":{\"0\":1},\(id),\"timedMs\":500}")
        #expect(text(HubCall.openWindow(on: device, timeout: .seconds(180)).params) == "{\(id),\"timeoutSeconds\":180}")
        #expect(text(HubCall.remove(device).params) == "{\(id)}")
        #expect(text(HubCall.remove(device, force: true).params) == "{\"force\":true,\(id)}")
    }

    @Test func `a device with and without a room`() throws {
        let text =
            #"{"id":"00000000000000d1","nodeId":"00000000000000a1","endpoint":1,"name":"L","room":null,"vendorId":65521,"#
            + #""productId":32769,"vendorName":"V","productName":"P","serialNumber":"","deviceTypes":[256],"#
            + #""reachable":true,"bridged":false,"commissionedAt":5}"#
        let device = try HubDevice(json: object(text))
        #expect(device.room == nil)
        #expect(device.deviceTypes == [256])
        #expect(JSONValue.object(device.json).text() == text)
        var json = device.json
        json["room"] = "00000000000000a2"
        #expect(try HubDevice(json: json).room == RoomID(rawValue: 0xA2))
        for (name, value): (String, JSONValue) in [("room", 5), ("deviceTypes", ["x"]), ("id", "1"), ("reachable", 1)] {
            var wrong = json
            wrong[name] = value
            let error = #expect(throws: ControlProtocolError.self) { try HubDevice(json: wrong) }
            #expect(error?.path == name)
        }
    }

    @Test func `an orphan`() throws {
        let text =
            #"{"id":"a","nodeId":"b","address":"[::1]:1","since":7,"attempts":2,"lastError":"no answer","state":"orphan"}"#
        #expect(try JSONValue.object(HubOrphan(json: object(text)).json).text() == text)
        #expect(try HubOrphan(json: object(#"{"id":"a","nodeId":"b"}"#)).attempts == 0)
    }

    @Test func `attributes that were read or refused`() throws {
        let call = HubCall.read(.init(), of: device)
        let readings = try call.read(
            object(
                #"{"attributes":[{"endpoint":1,"cluster":6,"attribute":0,"value":true},"#
                    + #"{"endpoint":1,"cluster":6,"attribute":1,"status":134}]}"#))
        #expect(readings.map(\.value) == [.bool(true), nil])
        #expect(readings.last?.status == 134)
        let error = #expect(throws: ControlError.self) {
            try call.read(object(#"{"attributes":[{"endpoint":1,"cluster":6,"attribute":0,"value":1.5}]}"#))
        }
        #expect(error?.message.contains("attributes.0.value") == true)
    }

    @Test func `answers of commands, windows and removals`() throws {
        let invoke = HubCall.invoke(0, endpoint: 1, cluster: 3, on: device)
        #expect(try invoke.read([:]) == CommandAnswer())
        #expect(
            try invoke.read(object(#"{"command":1,"fields":{"0":5}}"#))
                == CommandAnswer(command: 1, fields: .structure([0: .unsigned(5)])))
        let window = try HubCall.openWindow(on: device).read(
            object(#"{"manualCode":"1","qrCode":"MT:","passcode":20202021,"discriminator":3840,"expiresInMs":300000}"#))
        #expect(window.expiresIn == .seconds(300))
        #expect(window.passcode == 20_202_021)
        let removal = try HubCall.remove(device).read(object(#"{"removed":["a"],"orphaned":[]}"#))
        #expect(removal == Removal(removed: ["a"], orphaned: []))
    }

    @Test func `grants`() throws {
        let app = AppIdentity(appID: "a", appGroup: "g")
        let ask = HubCall.requestGrant(for: app, appName: "A", scopes: [.commissioning, .structureRead])
        #expect(
            JSONValue.object(ask.params).text(.sorted)
                == #"{"appGroup":"g","appId":"a","appName":"A","scopes":["structure.read","commissioning"]}"#)
        let token = GrantToken(
            authorityHash: [UInt8](repeating: 1, count: 32), id: GrantID(rawValue: 3),
            secret: [UInt8](repeating: 2, count: 32))
        let issued = try ask.read([
            "grant": .string(token.text), "structure": "0000000000000009", "scopes": ["admin", "newer"],
        ])
        #expect(issued == IssuedGrant(token: token, structure: StructureID(rawValue: 9), scopes: .admin))
        let error = #expect(throws: ControlError.self) { try ask.read(["grant": "mh1.x"]) }
        #expect(error?.message.contains("grant must be a grant") == true)
        let list = try HubCall.grants.read(
            object(
                #"{"grants":[{"id":"0000000000000003","appId":"a","appGroup":"g","structure":"0000000000000009","#
                    + #""scopes":["admin"],"createdAt":5,"revoked":true}],"#
                    + #""pending":[{"id":"0000000000000004","appId":"b","appGroup":"h","scopes":[]}]}"#))
        #expect(list.grants.map(\.isRevoked) == [true])
        #expect(list.grants.map(\.app) == [app])
        #expect(list.pending.map(\.id) == [GrantID(rawValue: 4)])
    }

    @Test func `client keys`() {
        #expect(ClientKey(rawValue: "") == nil)
        #expect(ClientKey(rawValue: String(repeating: "k", count: 65)) == nil)
        #expect(ClientKey.random().rawValue.count == 32)
        #expect(ClientKey.random() != ClientKey.random())
        let session = CommissioningSessionID(rawValue: 5)
        #expect(ClientKey.completion(of: session) == ClientKey(rawValue: "complete-0000000000000005"))
    }

    @Test func `a completion with an id that is none`() throws {
        let call = HubCall.completeSession(clientKey: .random())
        #expect(try call.read(["deviceIds": ["00000000000000d1"]]) == [device])
        #expect(throws: ControlError.self) { try call.read(["deviceIds": ["d1"]]) }
        #expect(throws: ControlError.self) { try call.read([:]) }
    }
}
