import Glibc
import HubControl

/// Files that are replaced as a whole and that only their owner can read.
enum StateFile {
    /// No file of ours is longer, in bytes.
    static let maximumLength = 1 << 20

    /// - Returns: `nil` when there is no such file.
    static func read(_ path: String) throws(ControlError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("open", path)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("read", path)
            }
            bytes += buffer[..<count]
            guard bytes.count <= maximumLength else {
                throw ControlError(.internal, "\(path) is too long to be ours", reason: ClientReason.state)
            }
        }
    }

    /// Replaces the file by rename; its folder must exist.
    static func write(_ bytes: [UInt8], to path: String) throws(ControlError) {
        let temporary = "\(path).\(getpid()).\(String(UInt32.random(in: 0...UInt32.max), radix: 16))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("create", temporary) }
        var written = 0
        var status: Int32 = 0
        while written < bytes.count, status == 0 {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written)
            }
            if count >= 0 { written += count } else if errno != EINTR { status = errno }
        }
        if status == 0, fsync(descriptor) != 0 { status = errno }
        close(descriptor)
        if status == 0, rename(temporary, path) != 0 { status = errno }
        guard status == 0 else {
            unlink(temporary)
            throw failure("write", path, status)
        }
    }

    /// Removes the file; nothing when there is none.
    static func remove(_ path: String) throws(ControlError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
    }

    /// Makes a folder and those above it, each with mode 0700.
    static func makeFolder(_ path: String) throws(ControlError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw failure("create", path)
        }
        try makeFolder(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("create", path) }
    }

    /// Runs the body while this is the only one, in all processes, that holds the lock file.
    static func withLock<R>(
        _ path: String, _ body: () throws(ControlError) -> R
    ) throws(ControlError) -> R {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("open", path) }
        // Closing gives the lock up.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure("lock", path) }
        }
        return try body()
    }

    private static func failure(_ what: String, _ path: String, _ status: Int32 = errno) -> ControlError {
        ControlError(
            .internal, "cannot \(what) \(path): \(String(cString: strerror(status)))", reason: ClientReason.state)
    }
}
