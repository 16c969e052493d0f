import Foundation
import HubControl
import MatterCrypto

/// `matterhub attestation export`
enum AttestationExportCommand: Command {
    static let name = "export"
    static let summary = "Write the attestation root of our virtual devices, for another controller to trust."
    static let fileName = "matterhub-test-paa.der"
    static var help: CommandHelp {
        CommandHelp(
            usage: "--out FOLDER",
            text: """
                Writes \(fileName), an X.509 certificate in DER, and prints its path. All virtual devices of every
                installation have this root. Its private key is public: trust it in tests only.
                """,
            options: [
                .value("out", "FOLDER", "where to write; made when it does not exist"),
                .value(
                    "state-dir", "FOLDER", "the state folder of a device; makes no difference, as all have one root"),
                .json,
            ])
    }

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        guard invocation.options.arguments.isEmpty else { throw UsageError("no argument is wanted") }
        let folder = URL(fileURLWithPath: try invocation.options.required("out"), isDirectory: true)
        let file = folder.appendingPathComponent(fileName)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(TestAttestationAuthority.certificate).write(to: file, options: .atomic)
        } catch {
            throw CommandFailure("\(file.path) cannot be written: \(error.localizedDescription)")
        }
        if invocation.isJSON {
            invocation.console.print(["paa": .string(file.path)])
        } else {
            invocation.console.print(file.path)
        }
        return .ok
    }
}
