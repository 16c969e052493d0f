import Foundation
import Transcript

/// The transcripts of Protocols/transcripts, which tools/contract holds to a real hub.
enum GoldenTranscripts {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Protocols/transcripts")

    static let names = ["seed-flow", "refused-prepare", "cancel-in-a-stage", "resume-after-reconnect"]

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent("\(name).jsonl")))
    }

    static func load(_ name: String) throws -> Dialogue { try Dialogue(parsing: try bytes(name)) }

    /// Values for the placeholders that a client must have from elsewhere.
    static let substitutions = ReplaySubstitutions([
        "grant-text-1": "mh1.a.b.c", "grant-text-2": "mh1.a.b.d", "code": "MT:OTHER", "address": "[::1]:5540",
    ])
}

/// A folder that goes with the test.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("transcript-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    // A folder left behind in the temporary folder fails no test.
    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
    }
}
