import Foundation
import MatterWire
import TestSupport
import Testing

@testable import Hub

@Suite("PrivateFiles: folders 0700, files 0600") struct PrivateFilesTests {
    private let folder = TemporaryFolder()

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func make(_ path: String, _ mode: Int) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
        // What the umask took away.
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test func `an empty folder and one with a hub become private, another one stays as it is`() throws {
        let empty = folder.path + "/empty"
        try make(empty, 0o755)
        _ = try SQLiteStore(directory: empty)
        #expect(try mode(empty) == 0o700)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: empty)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: empty + "/hub.sqlite")
        _ = try SQLiteStore(directory: empty)
        #expect(try mode(empty) == 0o700)
        #expect(try mode(empty + "/hub.sqlite") == 0o600)

        // As if somebody gave a home folder, or /tmp: it serves others, too.
        let other = folder.path + "/other"
        try make(other, 0o755)
        try Data().write(to: URL(fileURLWithPath: other + "/notes.txt"))
        _ = try SQLiteStore(directory: other)
        #expect(try mode(other) == 0o755)
        #expect(try mode(other + "/hub.sqlite") == 0o600)
        let shared = folder.path + "/shared"
        try make(shared, 0o1777)
        _ = try SQLiteStore(directory: shared)
        #expect(try mode(shared) == 0o1777)
    }

    @Test func `a file is replaced whole, and a link in the way is not followed`() throws {
        try make(folder.path, 0o700)
        let path = folder.path + "/admin.grant"
        let victim = folder.path + "/victim"
        try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
        try FileManager.default.createSymbolicLink(atPath: path + ".new", withDestinationPath: victim)
        try PrivateFiles.replace(path, with: Array("secret\n".utf8))
        #expect(FileManager.default.contents(atPath: path) == Data("secret\n".utf8))
        #expect(FileManager.default.contents(atPath: victim) == Data("precious".utf8))
        #expect(try mode(path) == 0o600)
        try PrivateFiles.replace(path, with: [1])
        #expect(FileManager.default.contents(atPath: path) == Data([1]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        #expect(throws: StoreError.self) { try PrivateFiles.replace(folder.path + "/none/x", with: []) }
    }
}
