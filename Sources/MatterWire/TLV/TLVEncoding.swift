extension TLVElement {
    /// The element's bytes, every integer and length in the smallest width that fits. O(size).
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    /// Appends the element's bytes.
    public func encode(into bytes: inout [UInt8]) {
        value.encode(tag: tag, into: &bytes)
    }
}

extension TLVValue {
    /// The value as an anonymous top-level element.
    public func encoded() -> [UInt8] { TLVElement(.anonymous, self).encoded() }

    fileprivate func encode(tag: TLVTag, into bytes: inout [UInt8]) {
        switch self {
        case .signed(let value):
            let width = value.smallestWidth
            start(0x00 + width.code, tag, &bytes)
            bytes.appendLittleEndian(UInt64(bitPattern: value), byteCount: width.bytes)
        case .unsigned(let value):
            let width = value.smallestWidth
            start(0x04 + width.code, tag, &bytes)
            bytes.appendLittleEndian(value, byteCount: width.bytes)
        case .bool(let value):
            start(value ? 0x09 : 0x08, tag, &bytes)
        case .float(let value):
            start(0x0A, tag, &bytes)
            bytes.appendLittleEndian(UInt64(value.bitPattern), byteCount: 4)
        case .double(let value):
            start(0x0B, tag, &bytes)
            bytes.appendLittleEndian(value.bitPattern, byteCount: 8)
        case .utf8(let value):
            string(0x0C, Array(value.utf8), tag, &bytes)
        case .octets(let value):
            string(0x10, value, tag, &bytes)
        case .null:
            start(0x14, tag, &bytes)
        case .structure(let members):
            container(0x15, members, tag, &bytes)
        case .array(let values):
            start(0x16, tag, &bytes)
            for value in values { value.encode(tag: .anonymous, into: &bytes) }
            bytes.append(0x18)
        case .list(let members):
            container(0x17, members, tag, &bytes)
        }
    }

    private func string(_ type: UInt8, _ content: [UInt8], _ tag: TLVTag, _ bytes: inout [UInt8]) {
        let width = UInt64(content.count).smallestWidth
        start(type + width.code, tag, &bytes)
        bytes.appendLittleEndian(UInt64(content.count), byteCount: width.bytes)
        bytes.append(contentsOf: content)
    }

    private func container(_ type: UInt8, _ members: [TLVElement], _ tag: TLVTag, _ bytes: inout [UInt8]) {
        start(type, tag, &bytes)
        for member in members { member.encode(into: &bytes) }
        bytes.append(0x18)
    }

    private func start(_ type: UInt8, _ tag: TLVTag, _ bytes: inout [UInt8]) {
        switch tag {
        case .anonymous:
            bytes.append(type)
        case .context(let number):
            bytes.append(type | 0x20)
            bytes.append(number)
        case .commonProfile(let number):
            profile(type, 0x40, number, &bytes)
        case .implicitProfile(let number):
            profile(type, 0x80, number, &bytes)
        case .fullyQualified(let vendor, let profile, let number):
            let wide = number > 0xFFFF
            bytes.append(type | (wide ? 0xE0 : 0xC0))
            bytes.appendLittleEndian(UInt64(vendor), byteCount: 2)
            bytes.appendLittleEndian(UInt64(profile), byteCount: 2)
            bytes.appendLittleEndian(UInt64(number), byteCount: wide ? 4 : 2)
        }
    }

    private func profile(_ type: UInt8, _ control: UInt8, _ number: UInt32, _ bytes: inout [UInt8]) {
        let wide = number > 0xFFFF
        bytes.append(type | (wide ? control + 0x20 : control))
        bytes.appendLittleEndian(UInt64(number), byteCount: wide ? 4 : 2)
    }
}

private typealias Width = (code: UInt8, bytes: Int)

extension UInt64 {
    fileprivate var smallestWidth: Width {
        switch self {
        case 0...0xFF: (0, 1)
        case 0...0xFFFF: (1, 2)
        case 0...0xFFFF_FFFF: (2, 4)
        default: (3, 8)
        }
    }
}

extension Int64 {
    fileprivate var smallestWidth: Width {
        switch self {
        case -0x80...0x7F: (0, 1)
        case -0x8000...0x7FFF: (1, 2)
        case -0x8000_0000...0x7FFF_FFFF: (2, 4)
        default: (3, 8)
        }
    }
}

extension [UInt8] {
    /// Appends the low `byteCount` bytes of `value`, least significant first.
    public mutating func appendLittleEndian(_ value: UInt64, byteCount: Int) {
        for index in 0..<byteCount { append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))) }
    }
}
