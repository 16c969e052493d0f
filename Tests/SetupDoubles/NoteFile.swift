import Glibc

/// A file, or a named pipe, that several processes write lines to.
public enum NoteFile {
    /// Appends a line; does nothing without a path.
    public static func append(_ line: String, to path: String?) {
        guard let path else { return }
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        let bytes = Array("\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }
}
