/// A cursor over bytes that never reads past their end.
public struct ByteReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    /// A cursor at the first byte; offsets count from there, not from the slice's own start index.
    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }
    /// A cursor at the first byte.
    public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    /// Bytes read so far.
    public var offset: Int { position - bytes.startIndex }
    /// Bytes not yet read.
    public var remaining: Int { bytes.endIndex - position }
    /// Whether every byte has been read.
    public var isAtEnd: Bool { remaining == 0 }

    /// Reads one little-endian unsigned integer; `nil` when too few bytes remain, and then the cursor does not move.
    public mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_: T.Type = T.self) -> T? {
        let width = T.bitWidth / 8
        guard remaining >= width else { return nil }
        var value: T = 0
        for index in 0..<width { value |= T(bytes[position + index]) << T(8 * index) }
        position += width
        return value
    }

    /// Reads `count` bytes; `nil` when fewer remain, and then the cursor does not move.
    public mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, remaining >= count else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// The rest of the bytes; the cursor moves to the end.
    public mutating func rest() -> ArraySlice<UInt8> {
        defer { position = bytes.endIndex }
        return bytes[position...]
    }
}
