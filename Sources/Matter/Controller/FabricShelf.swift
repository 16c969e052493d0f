import MatterCrypto
import MatterNode
import MatterWire
import NetIO

/// A fabric as it is kept in the app's store.
struct KeptFabric: Hashable, Sendable {
    var fabric: AdministeredFabric
    /// What devices are told of the administrator.
    var vendor: VendorID
    /// Where nodes were heard last, `host:port`.
    var addresses: [NodeID: String]
}

/// The app's store of fabrics: one key a fabric, named by its compressed id.
// Sendable: the protocol lets its methods be called from any thread, and `lock` keeps one fabric's changes in order.
final class FabricShelf: @unchecked Sendable {
    private static let version: UInt64 = 1
    private let storage: any MTRStorage
    private let lock = Locked(())

    init(_ storage: any MTRStorage) { self.storage = storage }

    static func key(rootKey: P256PublicKey, fabricID: FabricID) throws(CryptoError) -> String {
        let id = try FabricKeys.compressedFabricID(rootPublicKey: rootKey, fabricID: fabricID).rawValue
        let digits = String(id, radix: 16, uppercase: true)
        return "MatterHub/fabric/" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// - Throws: ``MTRError`` `tlvDecodeFailed` for a value that is no fabric.
    func fabric(_ key: String) throws(MTRError) -> KeptFabric? {
        guard let data = storage.storageData(forKey: key) else { return nil }
        do throws(TLVError) {
            let value = try TLVValue.decode([UInt8](data))
            guard try value.integer(0, as: UInt64.self) == Self.version else {
                throw TLVError(code: .wrongType, path: [0])
            }
            var addresses: [NodeID: String] = [:]
            for row in try value.require(3).array ?? [] {
                addresses[NodeID(rawValue: try row.integer(0))] = try row.string(1)
            }
            return KeptFabric(
                fabric: try AdministeredFabric(value.require(1)), vendor: VendorID(rawValue: try value.integer(2)),
                addresses: addresses)
        } catch {
            throw MTRError(.tlvDecodeFailed, message: "the stored fabric “\(key)” is damaged (\(error.code))")
        }
    }

    /// - Throws: ``MTRError`` `generalError` when the app's store does not take it.
    func put(_ kept: KeptFabric, _ key: String) throws(MTRError) {
        let rows = kept.addresses.sorted { $0.key.rawValue < $1.key.rawValue }.map { id, address in
            TLVValue.members((0, .uint(id.rawValue)), (1, .utf8(address)))
        }
        let value = TLVValue.members(
            (0, .uint(Self.version)), (1, kept.fabric.value), (2, .uint(kept.vendor.rawValue)), (3, .array(rows)))
        guard storage.setStorageData(Data(value.encoded()), forKey: key) else {
            throw MTRError(.generalError, message: "the app's storage did not take the fabric")
        }
    }

    /// Remembers where a node is; `nil` forgets it.
    func setAddress(_ address: String?, of node: NodeID, _ key: String) throws(MTRError) {
        try lock.withLock { _ throws(MTRError) in
            guard var kept = try fabric(key) else { return }
            kept.addresses[node] = address
            try put(kept, key)
        }
    }
}
