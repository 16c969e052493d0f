import Glibc

/// Keeps a second hub out of a state folder, as long as it lives; the system frees it when the process ends.
final class HubFolderLock: Sendable {
    private let descriptor: Int32

    /// - Throws: ``StoreError`` `inUse` when another hub runs with the folder; `cannotOpen` when the lock file cannot be made.
    init(directory: String) throws {
        let path = directory + "/lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError(code: .cannotOpen, path: path, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error =
                errno == EWOULDBLOCK
                ? StoreError(
                    code: .inUse, path: directory,
                    reason: "another hub runs with this state folder; stop it, or use another folder")
                : StoreError(code: .cannotOpen, path: path, reason: String(cString: strerror(errno)))
            // `deinit` closes the descriptor: every property has its value.
            throw error
        }
    }

    deinit { Glibc.close(descriptor) }
}
