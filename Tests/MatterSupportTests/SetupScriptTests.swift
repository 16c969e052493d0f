import MatterSupport
import TestSupport
import Testing

@Suite("MatterSetupScript") struct SetupScriptTests {
    static let full = """
        {
          "code": "MT:Y.K90AFN00KA0648G00", "address": "127.0.0.1:5540", "home": "Hut", "room": "Hall", "name": "Lamp",
          "cancelAt": "commission", "cancelAfterMs": 50, "phoneFabric": false,
          "wifi": [{ "ssid": "A", "rssi": -70, "security": ["wep", "wpa3Personal"], "band": "5GHz" }, { "ssid": "B" }],
          "thread": [
            { "name": "T", "extendedPANID": "11223344556677aa", "panID": 7, "channel": 26,
              "extendedAddress": "0000000000000001", "rssi": 1, "version": 3, "linkQuality": 9 },
            { "name": "U", "extendedPANID": "0000000000000002" }
          ]
        }
        """

    @Test func `every key`() throws {
        let script = try MatterSetupScript(json: Self.full)
        #expect(
            script
                == MatterSetupScript(
                    code: "MT:Y.K90AFN00KA0648G00", address: "127.0.0.1:5540", home: "Hut", room: "Hall", name: "Lamp",
                    cancelAt: .commission, cancelAfter: .milliseconds(50),
                    wifi: [
                        .init(ssid: Data("A".utf8), rssi: -70, security: [.wep, .wpa3Personal], band: .band5G),
                        .init(ssid: Data("B".utf8), rssi: -50, security: .wpa2Personal, band: .band2G4),
                    ],
                    thread: [
                        .init(
                            networkName: "T", panID: 7, extendedPANID: 0x1122_3344_5566_77AA, channel: 26,
                            extendedAddress: Data([0, 0, 0, 0, 0, 0, 0, 1]), rssi: 1, version: 3,
                            linkQualityIndicator: 9),
                        .init(
                            networkName: "U", panID: 0x1234, extendedPANID: 2, channel: 15,
                            extendedAddress: Data(count: 8),
                            rssi: -50, version: 4, linkQualityIndicator: 255),
                    ], phoneFabric: false))
        #expect(try MatterSetupScript(json: "{}") == MatterSetupScript())
        #expect(try MatterSetupScript(json: #"{"room":null}"#).room == MatterSetupScript.RoomChoice.none)
    }

    @Test func `one script completes another`() throws {
        let full = try MatterSetupScript(json: Self.full)
        #expect(MatterSetupScript().completed(by: full) == full)
        #expect(full.completed(by: MatterSetupScript(code: "x", room: "y", cancelAt: .scan, phoneFabric: true)) == full)
    }

    @Test(arguments: [
        ("[]", "no JSON object"), ("", "ends too early"), (#"{"code":1}"#, "code must be a string"),
        (#"{"rom":"Hall"}"#, "rom must be left out: there is no such key; the keys are code, address, home, room"),
        (#"{"name":""}"#, "name must be a string of 1 to 256"),
        (#"{"cancelAt":"never"}"#, "cancelAt must be one of scan, home"),
        (#"{"cancelAfterMs":-1}"#, "cancelAfterMs must be an integer from 0"), (#"{"phoneFabric":1}"#, "true or false"),
        (#"{"room":1}"#, "room must be a string"), (#"{"wifi":{}}"#, "wifi must be an array"),
        (#"{"wifi":[{}]}"#, "wifi.0.ssid is missing"),
        (#"{"wifi":[{"ssid":"A","bnd":1}]}"#, "wifi.0.bnd must be left out: there is no such key; the keys are ssid"),
        (#"{"wifi":[{"ssid":"A","band":"7GHz"}]}"#, "wifi.0.band must be one of 2.4GHz"),
        (#"{"wifi":[{"ssid":"A","security":["none"]}]}"#, "wifi.0.security must be one of unencrypted"),
        (#"{"thread":[{"name":"T","extendedPANID":"12"}]}"#, "thread.0.extendedPANID must be 16 hexadecimal digits"),
        (#"{"thread":[{"name":"T","extendedPANID":"+000000000000001"}]}"#, "16 hexadecimal digits"),
        (
            #"{"thread":[{"name":"T","extendedPANID":"0000000000000001","channel":3}]}"#,
            "channel must be an integer from 11"
        ),
        (#"{"code":"A","code":"B"}"#, "names a member twice"),
    ]) func `what is wrong is named`(_ json: String, _ text: String) {
        let error = #expect(throws: MatterSetupError.self) { try MatterSetupScript(json: json) }
        #expect(error?.code == .invalidScript)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }

    @Test func `damaged scripts are refused or read, never worse`() {
        for seed in 0..<2000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let bytes = generator.mutated(Array(Self.full.utf8))
            do throws(MatterSetupError) {
                _ = try MatterSetupScript(parsing: bytes, from: "seed \(seed)")
            } catch {
                #expect(error.code == .invalidScript && error.message.hasPrefix("seed \(seed): "))
            }
        }
    }

    // MARK: - Variables

    @Test func `single variables go before the script`() throws {
        let script = try MatterSetupScript(environment: [
            "MATTERHUB_SETUP": #" {"code":"A","home":"H","room":"R","name":"N","phoneFabric":true,"cancelAt":"scan"}"#,
            "MATTERHUB_SETUP_CODE": "B", "MATTERHUB_SETUP_ROOM": "", "MATTERHUB_SETUP_NAME": "M",
            "MATTERHUB_SETUP_ADDRESS": "[::1]:1", "MATTERHUB_SETUP_CANCEL_AT": "name", "MATTERHUB_SETUP_WIFI": "A,B",
            "MATTERHUB_SETUP_THREAD": "T:1:00000000000000ff", "MATTERHUB_PHONE_FABRIC": "0", "MATTERHUB_SETUP_HOME": "",
        ])
        #expect(script.code == "B" && script.home == "H" && script.room == MatterSetupScript.RoomChoice.none)
        #expect(script.name == "M" && script.address == "[::1]:1" && script.cancelAt == .name)
        #expect(script.wifi?.map(\.ssid) == [Data("A".utf8), Data("B".utf8)])
        #expect(script.thread?.first?.networkName == "T:1" && script.thread?.first?.extendedPANID == 255)
        #expect(script.phoneFabric == false)
        #expect(try MatterSetupScript(environment: [:]) == MatterSetupScript())
    }

    @Test func `a script in a file`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("setup-\(UUID().uuidString).json").path
        try Data(Self.full.utf8).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        #expect(try MatterSetupScript(environment: ["MATTERHUB_SETUP": path]) == MatterSetupScript(json: Self.full))
    }

    @Test(arguments: [
        ("MATTERHUB_SETUP", "/nowhere/at/all", "no such file"), ("MATTERHUB_SETUP", "/", "cannot be read"),
        ("MATTERHUB_SETUP", "/dev/zero", "longer than 1 MiB"),
        ("MATTERHUB_SETUP", "{", "MATTERHUB_SETUP: the JSON text ends"),
        ("MATTERHUB_SETUP_CANCEL_AT", "x", "one of scan, home"), ("MATTERHUB_PHONE_FABRIC", "yes", "0 or 1"),
        ("MATTERHUB_SETUP_THREAD", "T", "NAME:EXTENDED_PAN_ID"), ("MATTERHUB_SETUP_THREAD", "T:xyz", "16 hexadecimal"),
    ]) func `a variable that is wrong is named`(_ name: String, _ value: String, _ text: String) {
        let error = #expect(throws: MatterSetupError.self) { try MatterSetupScript(environment: [name: value]) }
        #expect(error?.code == .invalidScript)
        #expect(error?.message.hasPrefix(name) == true)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }
}
