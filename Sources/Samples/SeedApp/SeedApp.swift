// The one file that the app has more on Linux: it stands for the app's screens.
import Foundation
import GoogleHomeSDK
import MatterSupport

@main
struct SeedApp {
    static let help = """
        Usage: SeedApp [--newer] [--in-process] [--structure NAME] [--json]

        Adds one Matter device to a home, the way an iOS app does: connects to the hub, prepares, lets the system's
        setup run with the app's extension, completes, and lists the home's devices.

          --newer            in the newer spelling of the SDK (await complete, markMatterCommissioningFailed)
          --in-process       with the extension's handler in this process, not in an executable of its own
          --structure NAME   the home, where the permission covers several
          --json             one JSON object on standard output in place of words
          --help             this text

        Environment:
          MATTERHUB_EXTENSION    the extension's executable; SeedExtension beside this file when it is not set
          MATTERHUB_SETUP        what the person on the phone does: a JSON script, or the path of one
          MATTERHUB_PHONE_FABRIC 0 to commission by the hub alone
          MATTERHUB_HUB          host:port of the hub; it is looked for when it is not set
          MATTERHUB_LOG          the lowest level of log that is written to standard error

        Exit status: 0 the device was added, 1 it was not, 2 wrong usage, 3 no permission, 4 the hub cannot be reached,
        5 something took too long, 130 the person cancelled.
        """

    struct Options {
        var newer = false
        var inProcess = false
        var json = false
        var structure: String?
    }

    static func main() async {
        let options: Options
        switch parse(Array(CommandLine.arguments.dropFirst())) {
        case .success(let parsed?): options = parsed
        case .success(nil):
            print(help)
            return
        case .failure(let wrong):
            complain("SeedApp: \(wrong.words). Try SeedApp --help.")
            exit(2)
        }
        if options.inProcess {
            MatterExtensionHost.register { RequestHandler() }
        } else {
            useExtensionBesideThisFile()
        }
        do {
            let outcome = try await run(options)
            print(options.json ? outcome.json : outcome.words)
        } catch {
            let failure = Failure(error)
            if options.json { print(failure.json) }
            complain(failure.words)
            exit(failure.status)
        }
    }

    static func run(_ options: Options) async throws -> Outcome {
        await DeviceCommissioner.configure()
        let home = try await Home.connect()
        let structures = try await home.structures().list()
        guard
            let structure = structures.sorted(by: { $0.name < $1.name })
                .first(where: { options.structure == nil || $0.name == options.structure })
        else { throw HomeError.notFound("there is no such home") }
        let ids =
            if options.newer {
                try await NewerDeviceCommissioner().addDevice(to: structure)
            } else {
                try await DeviceCommissioner().addDevice(to: structure)
            }
        let rooms = try await home.rooms().list()
        let devices = try await home.devices().list().map { device in
            Outcome.Device(
                id: device.id, name: device.name, room: rooms.first { $0.id == device.roomID }?.name,
                isNew: ids.contains(device.id))
        }
        return Outcome(
            structure: structure.name, ids: ids.sorted(),
            devices: devices.sorted { ($0.name, $0.id) < ($1.name, $1.id) })
    }

    struct WrongUsage: Error {
        let words: String
    }

    /// `nil` when only the help is wanted.
    static func parse(_ arguments: [String]) -> Result<Options?, WrongUsage> {
        var options = Options(), rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--newer": options.newer = true
            case "--in-process": options.inProcess = true
            case "--json": options.json = true
            case "--structure":
                guard let name = rest.popFirst() else { return .failure(WrongUsage(words: "--structure needs a name")) }
                options.structure = name
            case "--help", "-h": return .success(nil)
            default: return .failure(WrongUsage(words: "unknown option \(argument)"))
            }
        }
        return .success(options)
    }

    static func useExtensionBesideThisFile() {
        guard let executable = Bundle.main.executableURL else { return }
        let path = executable.deletingLastPathComponent().appendingPathComponent("SeedExtension").path
        setenv("MATTERHUB_EXTENSION", path, 0)
    }

    static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
