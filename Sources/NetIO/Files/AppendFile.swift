import Glibc

/// A file that only grows: what is appended in one call stays together, also when other processes append to it.
///
/// Only its owner may read it (mode 0600): what programs write down of their work is seldom for everybody.
package final class AppendFile: Sendable {
    private let descriptor: FileDescriptor
    private let path: String

    /// Opens a file, or makes it.
    ///
    /// - Parameter isNew: whether what is in it must go.
    /// - Throws: ``NetError`` with the path; also when it is no plain file, or others may read one that is there already and
    ///   this process may not change that.
    package init(path: String, isNew: Bool = false) throws(NetError) {
        self.path = path
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (isNew ? O_TRUNC : 0)
        let value = open(path, flags, 0o600)
        guard value >= 0 else { throw NetError(errno: errno, "open", reason: path) }
        descriptor = FileDescriptor(takingOwnership: value)
        var status = stat()
        guard fstat(value, &status) == 0 else { throw NetError(errno: errno, "fstat", reason: path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw NetError(.system, "open", reason: "\(path) is no plain file")
        }
        guard status.st_mode & 0o077 == 0 || fchmod(value, 0o600) == 0 else {
            throw NetError(errno: errno, "fchmod", reason: "\(path) can be read by others")
        }
    }

    /// Keeps other processes' ``lock()`` waiting, until ``unlock()`` or the end of this object.
    package func lock() throws(NetError) {
        while flock(descriptor.rawValue, LOCK_EX) != 0 {
            guard errno == EINTR else { throw NetError(errno: errno, "flock", reason: path) }
        }
    }

    /// Lets others go on.
    package func unlock() { flock(descriptor.rawValue, LOCK_UN) }

    /// Appends bytes.
    package func append(_ bytes: [UInt8]) throws(NetError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw NetError(errno: errno, "write", reason: path)
            }
        }
    }

    /// The first bytes of the file.
    package func beginning(atMost limit: Int) throws(NetError) -> [UInt8] {
        var result: [UInt8] = []
        while result.count < limit {
            var chunk = [UInt8](repeating: 0, count: min(65_536, limit - result.count))
            let count = chunk.withUnsafeMutableBytes {
                pread(descriptor.rawValue, $0.baseAddress, $0.count, off_t(result.count))
            }
            guard count != 0 else { break }
            if count > 0 {
                result += chunk[..<count]
            } else if errno != EINTR {
                throw NetError(errno: errno, "read", reason: path)
            }
        }
        return result
    }

    /// Bytes of the file.
    package func size() throws(NetError) -> Int {
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0 else { throw NetError(errno: errno, "fstat", reason: path) }
        return Int(status.st_size)
    }
}
