extension JSONValue {
    /// How JSON text is laid out.
    public enum Layout: Hashable, Sendable {
        /// On one line, members in their order.
        case compact
        /// On one line, members in the order of their names: equal values give equal bytes.
        case sorted
        /// On several lines, indented by two spaces, members in their order.
        case indented
    }

    /// The JSON text in UTF-8. A line never breaks inside a string: control characters and U+2028/2029 are escaped.
    public func encoded(_ layout: Layout = .compact) -> [UInt8] {
        var writer = JSONWriter(layout: layout)
        writer.write(self, indent: 0)
        return writer.bytes
    }

    /// The JSON text; see ``encoded(_:)``.
    public func text(_ layout: Layout = .compact) -> String { String(decoding: encoded(layout), as: UTF8.self) }
}

extension JSONObject {
    /// The JSON text in UTF-8; see ``JSONValue/encoded(_:)``.
    public func encoded(_ layout: JSONValue.Layout = .compact) -> [UInt8] { JSONValue.object(self).encoded(layout) }
}

private struct JSONWriter {
    let layout: JSONValue.Layout
    var bytes: [UInt8] = []

    init(layout: JSONValue.Layout) { self.layout = layout }

    mutating func write(_ value: JSONValue, indent: Int) {
        switch value {
        case .null: put("null")
        case .bool(let value): put(value ? "true" : "false")
        case .integer(let value): put(String(value))
        // JSON has no infinities; they can't be read here, so only our own mistake makes one.
        case .number(let value): put(value.isFinite ? String(value) : "null")
        case .string(let value): write(value)
        case .array(let values):
            container("[", "]", values, indent: indent) { writer, value in
                writer.write(value, indent: indent + 1)
            }
        case .object(let object):
            let members = layout == .sorted ? object.members.sorted { $0.name < $1.name } : object.members
            container("{", "}", members, indent: indent) { writer, member in
                writer.write(member.name)
                writer.put(writer.layout == .indented ? ": " : ":")
                writer.write(member.value, indent: indent + 1)
            }
        }
    }

    private mutating func container<Entry>(
        _ open: StaticString, _ close: StaticString, _ entries: [Entry], indent: Int,
        write: (inout JSONWriter, Entry) -> Void
    ) {
        put(open)
        for (index, entry) in entries.enumerated() {
            if index > 0 { put(",") }
            newLine(indent + 1)
            write(&self, entry)
        }
        if !entries.isEmpty { newLine(indent) }
        put(close)
    }

    private mutating func newLine(_ indent: Int) {
        guard layout == .indented else { return }
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0x20, count: 2 * indent))
    }

    private mutating func write(_ text: String) {
        put("\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": put("\\\"")
            case "\\": put("\\\\")
            case "\n": put("\\n")
            case "\r": put("\\r")
            case "\t": put("\\t")
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                put("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            default: bytes.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
            }
        }
        put("\"")
    }

    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }
    private mutating func put(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}
