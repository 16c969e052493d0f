import Foundation
import Hub
import HubControl
import MatterCrypto
import MatterWire

/// `matterhub attestation verify`
enum AttestationVerifyCommand: Command {
    static let name = "verify"
    static let summary = "Judge attestation cases rule by rule."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[OPTION]… FILE|-",
            text: """
                FILE (or standard input, for -) is a JSON object {"cases": [...]}. A case has dac_cert, pai_cert and
                certification_declaration (DER, hexadecimal) and dac_private_key (32 bytes, hexadecimal); it may have name,
                basic_info_vid (65521 when absent) and basic_info_pid (the DAC's when absent). The device's answer is made
                with the case's key, then all of it is judged as a commissioner would, at the time of this machine's clock.

                --json prints one line for each case: {"name", "accepted", "rules": [{"rule", "passed", "detail"}]}. The
                rule "case" says whether the case itself could be read. A rule that could not be checked is not passed, and
                its detail names the rule to blame.

                Unlike a hub, this command trusts the CHIP SDK's public test authorities (Chip-Test-PAA-NoVID and
                Chip-Test-PAA-FFF1), the authority of our own virtual devices, and the published test key for certification
                declarations, since public cases need them.

                Exit status 0 when every case was judged, whatever the verdicts; 2 when FILE cannot be read.
                """,
            options: AttestationAuthorities.options + [.json])
    }

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        guard let source = invocation.options.arguments.first, invocation.options.arguments.count == 1 else {
            throw UsageError("one file of cases, or - for standard input, is wanted")
        }
        let trust = try AttestationAuthorities.trust(invocation.options)
        let rows = try read(source).rows
        let now = EpochSeconds(unixSeconds: Int64(Date().timeIntervalSince1970))
        let runner = AttestationCaseRunner(trust: trust, secrets: SystemSecretSource(), now: now)
        var accepted = 0
        for row in rows {
            let report = AttestationCaseReport(row, by: runner)
            accepted += report.accepted ? 1 : 0
            invocation.console.print(invocation.isJSON ? report.json : report.text)
        }
        if !invocation.isJSON { invocation.console.print("\(accepted) of \(rows.count) cases accepted") }
        return .ok
    }

    private static func read(_ source: String) throws -> AttestationCaseFile {
        let name = source == "-" ? "standard input" : source
        let data: Data
        do {
            let file = try source == "-" ? .standardInput : FileHandle(forReadingFrom: URL(fileURLWithPath: source))
            // One byte more than allowed is enough to see that there are too many.
            data = try file.read(upToCount: AttestationCaseFile.maximumSize + 1) ?? Data()
        } catch {
            throw CommandFailure("\(name) cannot be read: \(SystemWords.reason(of: error))", status: .usage)
        }
        guard data.count <= AttestationCaseFile.maximumSize else {
            throw CommandFailure("\(name) is longer than \(AttestationCaseFile.maximumSize >> 20) MiB", status: .usage)
        }
        do {
            return try AttestationCaseFile(json: [UInt8](data))
        } catch {
            throw CommandFailure("\(name) is no file of attestation cases: \(error.message)", status: .usage)
        }
    }
}

/// The folders from which a user's own attestation authorities come.
enum AttestationAuthorities {
    /// The options that say who is trusted.
    static let options: [CommandOption] = [
        .value("paa", "FOLDER", "trust the authorities (*.der) in FOLDER too; may be repeated"),
        .flag("no-test-devices", "trust no test authority and no test key, only those of --paa"),
    ]

    /// Whom the options trust.
    static func trust(_ options: ParsedOptions) throws -> AttestationTrustStore {
        var trust = try AttestationTrustStore()
        if !options.flag("no-test-devices") {
            try trust.trustOwnTestAuthority()
            try trust.trustPublicTestMaterial()
        }
        for folder in options.strings("paa") { try add(from: folder, to: &trust) }
        return trust
    }

    /// Trusts every certificate `*.der` of a folder.
    ///
    /// - Throws: ``CommandFailure`` that names the folder or the file and says what is wrong.
    static func add(from folder: String, to trust: inout AttestationTrustStore) throws {
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        var isFolder: ObjCBool = false
        // A file has no contents, which is not told apart from an empty folder.
        if FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), !isFolder.boolValue {
            throw CommandFailure("\(folder) cannot be read: Not a directory", status: .usage)
        }
        let files: [URL]
        do {
            files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension.lowercased() == "der" }
                .sorted { $0.lastPathComponent < $1.lastPathComponent }
        } catch {
            throw CommandFailure("\(folder) cannot be read: \(SystemWords.reason(of: error))", status: .usage)
        }
        guard !files.isEmpty else { throw CommandFailure("\(folder) has no file that ends in .der", status: .usage) }
        for file in files {
            do {
                try trust.add(authority: [UInt8](Data(contentsOf: file)))
            } catch let error as AttestationError {
                throw CommandFailure("\(file.path) is no attestation authority: \(error.reason)", status: .usage)
            } catch {
                throw CommandFailure("\(file.path) cannot be read: \(SystemWords.reason(of: error))", status: .usage)
            }
        }
    }
}
