extension JSONObject {
    /// Reads one payload: exactly one JSON object (RFC 8259, and I-JSON's rules on names and surrogates).
    ///
    /// One pass over the bytes enforces every limit before a value larger than it exists.
    ///
    /// - Throws: ``ControlProtocolError`` with the byte offset of the fault; limits are reported where they are exceeded.
    public init(parsing bytes: [UInt8], limits: ControlLimits = ControlLimits()) throws(ControlProtocolError) {
        var parser = JSONParser(bytes: bytes, limits: limits)
        self = try parser.document()
    }
}

extension JSONValue {
    /// Reads exactly one JSON value of any kind, with the same rules as a payload.
    public init(parsing bytes: [UInt8], limits: ControlLimits = ControlLimits()) throws(ControlProtocolError) {
        var parser = JSONParser(bytes: bytes, limits: limits)
        self = try parser.anyDocument()
    }
}

private struct JSONParser {
    private let bytes: [UInt8]
    private let limits: ControlLimits
    private var position = 0
    /// The longest number that is looked at; more digits than any 64-bit value has.
    private static let numberLength = 64

    init(bytes: [UInt8], limits: ControlLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func document() throws(ControlProtocolError) -> JSONObject {
        skipBlanks()
        guard let first = peek else { throw error(.unexpectedEnd) }
        guard first == UInt8(ascii: "{") else { throw error(.notAnObject) }
        let object = try object(depth: 1)
        try end()
        return object
    }

    mutating func anyDocument() throws(ControlProtocolError) -> JSONValue {
        skipBlanks()
        let value = try value(depth: 1)
        try end()
        return value
    }

    private mutating func end() throws(ControlProtocolError) {
        skipBlanks()
        guard position == bytes.count else { throw error(.trailingBytes) }
    }

    // MARK: - Values

    private mutating func value(depth: Int) throws(ControlProtocolError) -> JSONValue {
        guard let byte = peek else { throw error(.unexpectedEnd) }
        switch byte {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw error(.unexpectedByte(byte))
        }
    }

    private mutating func object(depth: Int) throws(ControlProtocolError) -> JSONObject {
        var members: [JSONObject.Member] = []
        var names: Set<String> = []
        try container(close: UInt8(ascii: "}"), depth: depth) { parser throws(ControlProtocolError) in
            let start = parser.position
            guard parser.peek == UInt8(ascii: "\"") else { throw parser.unexpected() }
            let name = try parser.string()
            guard names.insert(name).inserted else {
                throw ControlProtocolError(.duplicateName, offset: start)
            }
            parser.skipBlanks()
            try parser.expect(UInt8(ascii: ":"))
            parser.skipBlanks()
            members.append(JSONObject.Member(name: name, value: try parser.value(depth: depth + 1)))
        }
        return JSONObject(distinct: members)
    }

    private mutating func array(depth: Int) throws(ControlProtocolError) -> [JSONValue] {
        var values: [JSONValue] = []
        try container(close: UInt8(ascii: "]"), depth: depth) { parser throws(ControlProtocolError) in
            values.append(try parser.value(depth: depth + 1))
        }
        return values
    }

    /// The frame of objects and arrays: opening byte, entries between commas, closing byte.
    private mutating func container(
        close: UInt8, depth: Int, entry: (inout JSONParser) throws(ControlProtocolError) -> Void
    ) throws(ControlProtocolError) {
        guard depth <= limits.depth else { throw error(.tooDeep) }
        position += 1
        skipBlanks()
        if peek == close {
            position += 1
            return
        }
        var count = 0
        while true {
            count += 1
            guard count <= limits.entries else { throw error(.tooManyEntries) }
            try entry(&self)
            skipBlanks()
            if peek == close {
                position += 1
                return
            }
            try expect(UInt8(ascii: ","))
            skipBlanks()
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(ControlProtocolError) -> JSONValue {
        for index in 0..<text.utf8CodeUnitCount { try expect(text.utf8Start[index]) }
        return value
    }

    private mutating func number() throws(ControlProtocolError) -> JSONValue {
        let start = position
        var isInteger = true
        if peek == UInt8(ascii: "-") { position += 1 }
        if peek == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if peek == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            isInteger = false
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        guard position - start <= Self.numberLength else { throw ControlProtocolError(.badNumber, offset: start) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw ControlProtocolError(.badNumber, offset: start) }
        return .number(number)
    }

    private mutating func digits() throws(ControlProtocolError) {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw peek == nil ? error(.unexpectedEnd) : error(.badNumber) }
    }

    // MARK: - Strings

    private mutating func string() throws(ControlProtocolError) -> String {
        position += 1
        var content: [UInt8] = []
        while true {
            guard let byte = peek else { throw error(.unexpectedEnd) }
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try escape(into: &content)
            case 0..<0x20:
                throw error(.badString)
            case 0x20..<0x80:
                content.append(byte)
                position += 1
            default:
                try multibyte(into: &content)
            }
            guard content.count <= limits.stringLength else { throw error(.stringTooLong) }
        }
    }

    /// Copies one multi-byte UTF-8 sequence after checking it (RFC 3629: no overlong form, surrogate or value above U+10FFFF).
    private mutating func multibyte(into content: inout [UInt8]) throws(ControlProtocolError) {
        let lead = bytes[position]
        let count: Int
        let second: ClosedRange<UInt8>
        switch lead {
        case 0xC2...0xDF: (count, second) = (2, 0x80...0xBF)
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (count, second) = (3, 0x80...0xBF)
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (count, second) = (4, 0x80...0xBF)
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: throw error(.invalidUTF8)
        }
        for index in 1..<count {
            let range = index == 1 ? second : 0x80...0xBF
            guard position + index < bytes.count, range.contains(bytes[position + index]) else {
                throw error(.invalidUTF8)
            }
        }
        content.append(contentsOf: bytes[position..<position + count])
        position += count
    }

    private mutating func escape(into content: inout [UInt8]) throws(ControlProtocolError) {
        let start = position
        position += 1
        guard let byte = peek else { throw error(.unexpectedEnd) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"):
            var value = try hexadecimal(start)
            if (0xD800..<0xDC00).contains(value) {
                guard peek == UInt8(ascii: "\\") else { throw ControlProtocolError(.badString, offset: start) }
                position += 1
                guard peek == UInt8(ascii: "u") else { throw ControlProtocolError(.badString, offset: start) }
                position += 1
                let low = try hexadecimal(start)
                guard (0xDC00..<0xE000).contains(low) else { throw ControlProtocolError(.badString, offset: start) }
                value = 0x1_0000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { throw ControlProtocolError(.badString, offset: start) }
            content.append(contentsOf: String(scalar).utf8)
        default: throw ControlProtocolError(.badString, offset: start)
        }
    }

    private mutating func hexadecimal(_ start: Int) throws(ControlProtocolError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek else { throw error(.unexpectedEnd) }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - 0x30
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - 0x61 + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - 0x41 + 10
            default: throw ControlProtocolError(.badString, offset: start)
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    // MARK: - Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func expect(_ byte: UInt8) throws(ControlProtocolError) {
        guard peek == byte else { throw unexpected() }
        position += 1
    }

    private func unexpected() -> ControlProtocolError {
        peek.map { error(.unexpectedByte($0)) } ?? error(.unexpectedEnd)
    }

    private func error(_ code: ControlProtocolError.Code) -> ControlProtocolError {
        ControlProtocolError(code, offset: position)
    }
}
