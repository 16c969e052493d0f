import Glibc
package import MatterCrypto

/// Which attestation authorities this machine trusts: our own test authority, and those of a folder.
package enum AttestationTrustFolder {
    /// Why a folder's authorities cannot be trusted.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The file.
        package var path: String
        package var reason: String
        /// The file is no authority; else it cannot be read.
        package var isDamaged: Bool
        package var description: String { "\(path): \(reason)" }
    }

    /// Bytes of a certificate file that are read at most; a longer one is no authority.
    private static let maximumCount = 65_536

    /// Blocks while the disk works.
    ///
    /// - Parameters:
    ///   - path: a folder of certificates, `*.der`; one that does not exist is empty.
    ///   - trustsTestDevices: whether public test material counts too.
    /// - Throws: ``Failure`` or `CryptoError`.
    package static func load(_ path: String, trustsTestDevices: Bool) throws -> AttestationTrustStore {
        var trust = try AttestationTrustStore.standard()
        if trustsTestDevices { try trust.trustPublicTestMaterial() }
        for name in try names(in: path).sorted() where name.hasSuffix(".der") {
            let path = path + "/" + name
            let certificate = try bytes(of: path)
            do throws(AttestationError) {
                try trust.add(authority: certificate)
            } catch {
                throw Failure(
                    path: path, reason: "not a product attestation authority: \(error.reason)", isDamaged: true)
            }
        }
        return trust
    }

    private static func names(in path: String) throws(Failure) -> [String] {
        guard let folder = opendir(path) else {
            if errno == ENOENT { return [] }
            throw Failure(path: path, reason: String(cString: strerror(errno)), isDamaged: false)
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
                })
        }
        return names
    }

    private static func bytes(of path: String) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(path: path, reason: "the file cannot be read", isDamaged: false)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumCount)
        var count = 0
        while count < bytes.count {
            let got = bytes[count...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Failure(path: path, reason: "the file cannot be read", isDamaged: false) }
            if got == 0 { break }
            count += got
        }
        return Array(bytes.prefix(count))
    }
}
