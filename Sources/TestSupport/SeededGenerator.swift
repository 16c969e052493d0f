public import MatterWire
import Synchronization

/// SplitMix64: a small deterministic generator, so that a failing test can print the seed that repeats it.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64
    /// Equal seeds give equal sequences.
    public init(seed: UInt64) { state = seed }
    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= Self.increment
        return Self.mix(state)
    }

    /// `count` random bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    fileprivate static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15
    fileprivate static func mix(_ state: UInt64) -> UInt64 {
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension SeededGenerator {
    /// Damages bytes the way a bad peer or a bad wire would: a few flips, cuts, insertions, repeats and swaps.
    ///
    /// - Returns: between none and about twice as many bytes as `bytes`; sometimes equal to `bytes`.
    public mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            guard !bytes.isEmpty else { return [UInt8(truncatingIfNeeded: next())] }
            let place = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<7, using: &self) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: bytes[place] = UInt8(truncatingIfNeeded: next())
            case 2: bytes.removeSubrange(place...)
            case 3: bytes.insert(UInt8(truncatingIfNeeded: next()), at: place)
            case 4: bytes.remove(at: place)
            case 5:
                let end = min(bytes.count, place + Int.random(in: 1...8, using: &self))
                bytes.insert(contentsOf: bytes[place..<end], at: place)
            default: bytes[place] = [0x00, 0x7F, 0x80, 0xFF].randomElement(using: &self) ?? 0
            }
        }
        return bytes
    }
}

extension RandomSource {
    /// A source whose draws depend on the seed alone; safe to share between tasks, where the order of draws is theirs.
    public static func seeded(_ seed: UInt64) -> RandomSource {
        let state = SharedState(seed)
        return RandomSource { state.next() }
    }
}

private final class SharedState: Sendable {
    private let state: Atomic<UInt64>
    init(_ seed: UInt64) { state = Atomic(seed) }
    func next() -> UInt64 {
        SeededGenerator.mix(
            state.wrappingAdd(SeededGenerator.increment, ordering: .sequentiallyConsistent).newValue)
    }
}
