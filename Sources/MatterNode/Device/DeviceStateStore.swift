import Dispatch
import Glibc
import MatterCrypto

/// Why a device's state can't be read or kept. The description says what and where, and what helps.
package struct DeviceStateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    package enum Code: Hashable, Sendable {
        /// The file system refused.
        case fileSystem
        /// Another process works with the folder.
        case inUse
        /// The file is not what was written.
        case corrupt
        /// Written by another version of this package, or for another device.
        case foreign
    }

    package let code: Code
    /// The file or folder.
    package let path: String
    package let reason: String

    package init(_ code: Code, _ path: String, _ reason: String) {
        self.code = code
        self.path = path
        self.reason = reason
    }

    package var description: String { "\(path): \(reason)" }

    /// The failure of a system call that has just set `errno`.
    static func system(_ path: String, _ call: String) -> DeviceStateError {
        DeviceStateError(.fileSystem, path, "\(call): \(String(cString: strerror(errno)))")
    }
}

/// A node's folder: what must survive a restart, for one process at a time.
///
/// The folder has mode 0700 and the files 0600, since they hold private keys. A file is replaced as a whole: written
/// beside, synchronised, renamed, and the folder synchronised. It begins with a mark and a hash, so that a damaged one is
/// reported and never taken for an empty one.
package final class DeviceStateStore: Sendable {
    /// What is kept; the raw value is the file's name without extension.
    package struct File: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        /// What the device is, see ``DeviceIdentity``.
        package static let identity = File(rawValue: "identity")
        /// The node's snapshot.
        package static let node = File(rawValue: "node")
    }

    /// The first bytes of a file; the last one is the format's version.
    private static let mark = Array("MHDEVIC1".utf8)
    private static let hashCount = 32

    package let directory: String
    /// Whose folder it is, for messages: "device".
    private let owner: String
    private let lock: Int32
    private let queue = DispatchQueue(label: "matternode.device-state")

    /// Takes the folder, making it where there is none.
    ///
    /// - Parameter owner: whose folder it is, for messages.
    /// - Throws: ``DeviceStateError``; `inUse` while another process has it.
    package init(directory: String, owner: String = "device") throws(DeviceStateError) {
        self.directory = directory
        self.owner = owner
        try Self.makeDirectory(directory)
        let path = directory + "/lock"
        lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .system(path, "open") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let error =
                errno == EWOULDBLOCK
                ? DeviceStateError(
                    .inUse, directory, "another \(owner) runs with this state folder; stop it, or use another")
                : .system(path, "flock")
            // `deinit` closes the descriptor: every property has its value.
            throw error
        }
    }

    deinit { Glibc.close(lock) }

    /// The path of a file.
    package func path(of file: File) -> String { "\(directory)/\(file.rawValue).bin" }

    /// Reads a file; `nil` when it was never written.
    package func load(_ file: File) throws(DeviceStateError) -> [UInt8]? {
        let path = path(of: file)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system(path, "open")
        }
        defer { Glibc.close(descriptor) }
        let bytes = try Self.readAll(descriptor, path)
        let head = Self.mark.count + Self.hashCount
        guard bytes.starts(with: Self.mark.dropLast()), bytes.count >= head else {
            throw DeviceStateError(.corrupt, path, "is damaged: this is no \(owner)'s state. " + remedy)
        }
        guard bytes[Self.mark.count - 1] == Self.mark.last else {
            throw DeviceStateError(.foreign, path, "was written by another version of this program")
        }
        let content = Array(bytes[head...])
        guard try Self.hash(content, path) == Array(bytes[Self.mark.count..<head]) else {
            throw DeviceStateError(.corrupt, path, "is damaged: its hash is wrong. " + remedy)
        }
        return content
    }

    /// Replaces a file; it is durable when this returns. Blocks while the disk works.
    package func save(_ content: [UInt8], as file: File) throws(DeviceStateError) {
        let path = path(of: file)
        let beside = path + ".new"
        let bytes = Self.mark + (try Self.hash(content, path)) + content
        let descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(beside, "open") }
        do throws(DeviceStateError) {
            try Self.writeAll(bytes, descriptor, beside)
            guard fsync(descriptor) == 0 else { throw .system(beside, "fsync") }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        guard Glibc.close(descriptor) == 0 else { throw .system(beside, "close") }
        guard rename(beside, path) == 0 else { throw .system(path, "rename") }
        try Self.synchronise(directory)
    }

    /// The same without blocking the caller's thread.
    package func saveInBackground(_ content: [UInt8], as file: File) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { @Sendable [self] in
                continuation.resume(with: Result { try save(content, as: file) })
            }
        }
    }

    // MARK: - Files

    private var remedy: String { "Restore it from a copy, or remove the folder to begin with a new \(owner)." }

    private static func hash(_ bytes: [UInt8], _ path: String) throws(DeviceStateError) -> [UInt8] {
        do throws(CryptoError) {
            return try Hash.sha256(bytes)
        } catch {
            throw DeviceStateError(.fileSystem, path, error.reason)
        }
    }

    private static func makeDirectory(_ path: String) throws(DeviceStateError) {
        var parent = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: true) {
            parent += (parent.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
            guard mkdir(parent, 0o700) == 0 || errno == EEXIST else { throw .system(parent, "mkdir") }
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system(path, "stat") }
        // A folder that holds other things, or is everybody's as /tmp is, keeps its mode: our files are private all the same.
        guard status.st_uid == geteuid(), status.st_mode & S_ISVTX == 0, isOurs(path) else { return }
        guard chmod(path, 0o700) == 0 else { throw .system(path, "chmod") }
    }

    /// Whether a folder holds nothing, or a device's state already.
    private static func isOurs(_ path: String) -> Bool {
        guard access(path + "/lock", F_OK) != 0 else { return true }
        guard let folder = opendir(path) else { return false }
        defer { closedir(folder) }
        // The folder itself and the one above it are always there.
        var entries = 0
        while entries <= 2, readdir(folder) != nil { entries += 1 }
        return entries <= 2
    }

    private static func synchronise(_ directory: String) throws(DeviceStateError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(directory, "open") }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(directory, "fsync") }
    }

    private static func readAll(_ descriptor: Int32, _ path: String) throws(DeviceStateError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += chunk[..<count]
            } else if errno != EINTR {
                throw .system(path, "read")
            }
        }
    }

    private static func writeAll(_ bytes: [UInt8], _ descriptor: Int32, _ path: String) throws(DeviceStateError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw .system(path, "write")
            }
        }
    }
}
