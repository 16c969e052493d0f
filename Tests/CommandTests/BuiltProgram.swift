import Foundation
import TestSupport

/// The built `matterhub`, run as a user runs it.
struct BuiltProgram {
    struct Outcome: Sendable {
        var status: Int32
        var output: String
        var errors: String
        /// The lines of standard output.
        var lines: [String] {
            output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    /// Beside this target's resources, in the folder of build products.
    static let url = Bundle.module.bundleURL.deletingLastPathComponent().appendingPathComponent("matterhub")

    /// Runs the program to its end; input and output go through files, so that no pipe can fill up.
    ///
    /// - Parameter environment: all of it; the caller's is not passed on.
    static func run(
        _ arguments: [String], input: [UInt8] = [], environment: [String: String] = ["NO_COLOR": "1"]
    ) throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "matterhub-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A folder left behind in the temporary folder fails no test.
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["in", "out", "err"].map { folder.appendingPathComponent($0) }
        try Data(input).write(to: files[0])
        for file in files[1...] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.environment = ["HOME": folder.path].merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        func text(_ file: URL) throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }
        return Outcome(status: process.terminationStatus, output: try text(files[1]), errors: try text(files[2]))
    }
}
