import Foundation
import TestSupport
import Testing

@Suite("matterhub payload") struct PayloadCommandTests {
    /// One row of the payload vectors, good or bad.
    struct Row: Decodable, Sendable {
        struct Fields: Decodable, Sendable {
            var version: Int, vendorId: Int?, productId: Int?, customFlow: Int?, oracleCustomFlow: Int?
            var discriminator: Int?, shortDiscriminator: Int, passcode: Int
        }
        var code: String, decoded: Fields?, errorCode: String?, errorOffset: Int?
    }
    struct Rows: Decodable, Sendable { var valid: [Row], parseOnly: [Row], invalid: [Row] }
    struct Line: Decodable, Sendable {
        struct Failure: Decodable, Sendable { var code: String, message: String, offset: Int? }
        var payload: String, valid: Bool, version: Int?, vendorId: Int?, productId: Int?, flow: Int?
        var discriminator: Int?, shortDiscriminator: Int?, passcode: Int?, error: Failure?
    }

    static func rows() throws -> [Row] {
        let vectors = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("MatterWireTests/Vectors/onboarding-payload.json")
        let rows = try Vectors.decode(Rows.self, from: vectors)
        return rows.valid + rows.parseOnly + rows.invalid
    }

    @Test func `decode --json - answers every line in order`() throws {
        let rows = try Self.rows()
        let input = rows.map(\.code).joined(separator: "\n") + "\n"
        let outcome = try BuiltProgram.run(["payload", "decode", "--json", "-"], input: Array(input.utf8))
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        try #require(outcome.lines.count == rows.count)
        for (row, text) in zip(rows, outcome.lines) {
            let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
            #expect(line.payload == row.code)
            #expect(line.valid == (row.errorCode == nil), "\(row.code)")
            #expect(line.error?.code == row.errorCode)
            if let offset = row.errorOffset { #expect(line.error?.offset == offset) }
            guard let decoded = row.decoded else { continue }
            #expect(line.version == decoded.version)
            #expect(line.vendorId == decoded.vendorId)
            #expect(line.productId == decoded.productId)
            #expect(line.flow == decoded.customFlow ?? decoded.oracleCustomFlow)
            #expect(line.discriminator == decoded.discriminator)
            #expect(line.shortDiscriminator == (decoded.discriminator == nil ? decoded.shortDiscriminator : nil))
            #expect(line.passcode == decoded.passcode)
        }
    }

    @Test func `decode --json has these members in this order`() throws {
        let outcome = try BuiltProgram.run(
            ["payload", "decode", "--json", "MT:Y.K90AFN00KA0648G00", "749701123365521327687", "35191106788"])
        #expect(outcome.status == 1)
        #expect(
            outcome.lines == [
                #"{"payload":"MT:Y.K90AFN00KA0648G00","valid":true,"version":0,"vendorId":65521,"productId":32768,"flow":0,"#
                    + #""discriminator":3840,"passcode":20202021}"#,
                #"{"payload":"749701123365521327687","valid":true,"version":0,"vendorId":65521,"productId":32768,"flow":2,"#
                    + #""shortDiscriminator":15,"passcode":20202021}"#,
                #"{"payload":"35191106788","valid":false,"version":0,"flow":0,"shortDiscriminator":15,"passcode":11111111,"#
                    + #""error":{"code":"invalidPasscode","message":"the passcode 11111111 is one that no device may have","#
                    + #""offset":1}}"#,
            ])
    }

    @Test func `decode - keeps going over odd lines`() throws {
        let input = Array("34970112332\r\n\n34970112332 \n".utf8) + [0xFF, 0xFE, 0x0A] + Array("34970112332".utf8)
        let outcome = try BuiltProgram.run(["payload", "decode", "--json", "-"], input: input)
        #expect(outcome.status == 0)
        let lines = try outcome.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        #expect(lines.map(\.valid) == [true, false, false, false, true])
        #expect(lines.map { $0.error?.code } == [nil, "empty", "badCharacter", "badPrefix", nil])
    }

    @Test func `decode for people points at the fault`() throws {
        let outcome = try BuiltProgram.run(["payload", "decode", "3497O112332"])
        #expect(outcome.status == 1)
        #expect(outcome.lines.suffix(2) == ["  3497O112332", "      ^"])
    }

    @Test func `decode takes what people type`() throws {
        let outcome = try BuiltProgram.run(["payload", "decode", "3497 011 2332"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("20202021"))
    }

    @Test func `encode makes what decode reads`() throws {
        let outcome = try BuiltProgram.run([
            "payload", "encode", "--passcode", "20202021", "--discriminator", "3842", "--vendor-id", "0xFFF1",
            "--product-id",
            "32769", "--flow", "custom", "--discovery", "on-network", "--json",
        ])
        #expect(outcome.status == 0)
        #expect(
            outcome.lines == [#"{"qrCode":"MT:-24J0IX412KA0648G00","manualCode":"749701123365521327694"}"#])
        let serial = try BuiltProgram.run([
            "payload", "encode", "--passcode", "20202021", "--discriminator", "3840", "--vendor-id", "0xFFF1",
            "--product-id",
            "0x8000", "--serial-number", "1234567890",
        ])
        #expect(serial.output.contains("MT:Y.K90AFN00KA064IJ3P0IXZB0DK5N1K8SQ1RYCU1-A40"))
        #expect(serial.output.contains("3497-011-2332"))
    }

    @Test func `encode makes a forbidden payload only when told to`() throws {
        let arguments = ["payload", "encode", "--passcode", "11111111", "--discriminator", "1"]
        let refused = try BuiltProgram.run(arguments)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("the passcode 11111111 is one that no device may have"))
        #expect(try BuiltProgram.run(arguments + ["--allow-invalid"]).status == 0)
    }

    @Test func `qr draws the code with its quiet zone and finder patterns`() throws {
        let outcome = try BuiltProgram.run(["payload", "qr", "--invert", "MT:Y.K90AFN00KA0648G00"])
        #expect(outcome.status == 0)
        let lines = outcome.lines.dropLast()
        #expect(outcome.lines.last == "MT:Y.K90AFN00KA0648G00")
        // Version 2: 25 modules and 4 light ones on each side, two rows in a line.
        #expect(lines.count == 17)
        #expect(lines.allSatisfy { $0.count == 33 })
        #expect(lines[0].allSatisfy { $0 == " " } && lines[1].allSatisfy { $0 == " " })
        #expect(lines[2].hasPrefix("    █▀▀▀▀▀█ ") && lines[2].hasSuffix(" █▀▀▀▀▀█    "))
        #expect(lines[5].hasPrefix("    ▀▀▀▀▀▀▀ "))
    }

    @Test func `qr refuses what cannot become a QR code`() throws {
        let manual = try BuiltProgram.run(["payload", "qr", "34970112332"])
        #expect(manual.status == 1)
        #expect(manual.errors.contains("cannot become a QR code"))
        #expect(try BuiltProgram.run(["payload", "qr", "MT:Z.K90AFN00KA0648G00"]).status == 1)
    }
}
