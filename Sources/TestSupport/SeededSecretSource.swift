public import MatterCrypto
import Synchronization

/// A source of "secrets" that repeats from a seed: the SHA-256 of seed and a counter. For tests only.
public final class SeededSecretSource: SecretSource {
    private let seed: UInt64
    private let counter = Atomic<UInt64>(0)

    /// A source whose draws depend on `seed` and on how many went before.
    public init(seed: UInt64) { self.seed = seed }

    /// Returns the next `count` bytes of the seed's sequence.
    public func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let index = counter.wrappingAdd(1, ordering: .relaxed).oldValue
            var block: [UInt8] = []
            for shift in stride(from: 0, to: 64, by: 8) {
                block.append(UInt8(truncatingIfNeeded: seed >> UInt64(shift)))
                block.append(UInt8(truncatingIfNeeded: index >> UInt64(shift)))
            }
            bytes += try Hash.sha256(block).prefix(count - bytes.count)
        }
        return bytes
    }
}
