import Foundation
import TestSupport
import Testing

@Suite("Command line: what every subcommand shares") struct SkeletonTests {
    @Test(arguments: [
        ["--help"], ["-h"], ["help"], ["payload", "--help"], ["payload", "decode", "--help"],
        ["payload", "encode", "--help"],
        ["payload", "qr", "--help"], ["help", "payload", "decode"],
    ])
    func `help goes to standard output with status 0`(arguments: [String]) throws {
        let outcome = try BuiltProgram.run(arguments)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        let words = arguments.filter { $0 != "help" && !$0.hasPrefix("-") }
        #expect(outcome.output.hasPrefix("Usage: " + (["matterhub"] + words).joined(separator: " ")))
        #expect(outcome.output.contains("--help"))
    }

    @Test func `the main help lists subcommands and exit statuses`() throws {
        let output = try BuiltProgram.run(["--help"]).output
        for part in ["payload", "Exit status:", "0  done", "2  wrong usage", "NO_COLOR"] {
            #expect(output.contains(part))
        }
    }

    @Test func `the version is printed`() throws {
        let outcome = try BuiltProgram.run(["--version"])
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("matterhub "))
    }

    @Test(arguments: [
        ([], "a subcommand is missing"), (["paylod"], "“paylod” is no subcommand"),
        (["payload"], "a subcommand is missing"),
        (["payload", "decode"], "a payload, or - for standard input, is missing"),
        (["payload", "decode", "--jsonn", "x"], "--jsonn is no option"),
        (["payload", "decode", "-x", "x"], "-x is no option"),
        (["payload", "encode", "--passcode"], "--passcode needs a value"),
        (["payload", "encode", "--passcode", "x", "--discriminator", "1"], "--passcode must be a whole number from 0"),
        (
            ["payload", "encode", "--passcode", "1", "--discriminator", "4096"],
            "--discriminator must be a whole number"
        ),
        (["payload", "encode", "--discriminator", "1"], "--passcode is missing"),
        (["payload", "qr", "a", "b"], "one payload is wanted"),
    ])
    func `wrong usage is explained with status 2`(arguments: [String], message: String) throws {
        let outcome = try BuiltProgram.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(message))
        #expect(outcome.errors.contains("--help"))
    }

    @Test func `options may be shortened, joined by = and follow arguments`() throws {
        let outcome = try BuiltProgram.run(["payload", "encode", "--pass=20202021", "--discr", "0xF00", "--js"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(#""manualCode":"34970112332""#))
        #expect(try BuiltProgram.run(["payload", "decode", "34970112332", "--json"]).output.hasPrefix("{"))
        #expect(try BuiltProgram.run(["payload", "decode", "--", "--json"]).output.contains("not a valid payload"))
    }

    @Test func `a configuration file that cannot be used is named`() throws {
        let missing = try BuiltProgram.run(
            ["payload", "decode", "1"], environment: ["MATTERHUB_CONFIG": "/nonexistent.json"])
        #expect(missing.status == 2)
        #expect(missing.errors.contains("/nonexistent.json cannot be read"))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(#"{"a":1,"a":2}"#.utf8).write(to: file)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        let broken = try BuiltProgram.run(["payload", "decode", "1"], environment: ["MATTERHUB_CONFIG": file.path])
        #expect(broken.status == 2)
        #expect(broken.errors.contains("names a member twice (byte 7)"))
    }

    @Test func `output is without colours unless a terminal reads it`() throws {
        let outcome = try BuiltProgram.run(["payload", "qr", "MT:Y.K90AFN00KA0648G00"], environment: ["TERM": "xterm"])
        #expect(!outcome.output.contains("\u{1B}"))
    }
}
