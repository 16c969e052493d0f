import Glibc

/// Folders and files that only their owner can use, whatever the process's umask is.
enum PrivateFiles {
    /// Makes a folder and those above it, each with mode 0700.
    ///
    /// A folder that is there becomes 0700 too where it can only be ours: it belongs to this user, has no sticky bit as
    /// `/tmp` has, and `isOurs` says so. Another folder is left as it is; the files in it are private all the same.
    static func makeFolder(_ path: String, isOurs: () -> Bool) throws {
        var parent = ""
        for part in path.split(separator: "/") {
            parent += (parent.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
            if mkdir(parent, 0o700) == 0 {
                // The umask may have taken bits away.
                guard chmod(parent, 0o700) == 0 else { throw failure(parent) }
            } else if errno != EEXIST {
                throw failure(path)
            }
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw failure(path, ENOTDIR) }
        if status.st_uid == geteuid(), status.st_mode & S_ISVTX == 0, status.st_mode & 0o077 != 0, isOurs() {
            guard chmod(path, 0o700) == 0 else { throw failure(path) }
        }
    }

    /// Replaces a file by rename, with mode 0600 from its first moment on; a link in the way is not followed.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        let temporary = path + ".new"
        guard unlink(temporary) == 0 || errno == ENOENT else { throw failure(temporary) }
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(temporary) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw failure(temporary)
            }
        }
        guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw failure(path)
        }
    }

    /// Makes an empty file of mode 0600 where there is none, and gives that mode to one that is there.
    static func ensure(_ path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw failure(path) }
    }

    private static func failure(_ path: String, _ number: Int32 = errno) -> StoreError {
        StoreError(code: .cannotOpen, path: path, reason: String(cString: strerror(number)))
    }
}
