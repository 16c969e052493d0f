import Foundation
import NetIO
import Transcript

/// Transcripts as files, for the subcommands.
enum TranscriptFile {
    /// Reads a transcript; `-` is standard input.
    static func read(_ path: String) throws -> Dialogue {
        let bytes: Data
        do {
            bytes =
                path == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure("\(path) cannot be read: \(error.localizedDescription)")
        }
        do throws(TranscriptError) {
            return try Dialogue(parsing: Array(bytes))
        } catch {
            throw CommandFailure("\(path): \(error)")
        }
    }

    /// Opens a file that dialogues of a server are appended to.
    static func log(_ path: String, about: String, _ console: Console) throws(CommandFailure) -> DialogueLog {
        do {
            return try DialogueLog(
                path: path, about: about, prefix: "", clock: DriverClock(),
                unixMilliseconds: SystemTime.unixMilliseconds, report: { console.note($0) })
        } catch {
            throw CommandFailure("the transcript \(path) cannot be written: \(error)")
        }
    }
}
