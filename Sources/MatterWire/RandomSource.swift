/// A replaceable source of random bits for ids, counters and jitter: the system's in production, a seeded one in tests.
/// Never for keys: those come from `MatterCrypto.SecretSource`.
public struct RandomSource: RandomNumberGenerator, Sendable {
    private let draw: @Sendable () -> UInt64
    /// - Parameter draw: gives 64 random bits a call; called from any task.
    public init(draw: @escaping @Sendable () -> UInt64) { self.draw = draw }
    /// The next 64 bits.
    public func next() -> UInt64 { draw() }
    /// A uniform draw from `0 ..< 1`.
    public func unit() -> Double { Double(draw() >> 11) * 0x1p-53 }
}
