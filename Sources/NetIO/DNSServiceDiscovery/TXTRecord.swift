/// The attributes of a DNS-SD service (RFC 6763 §6): keys with values, in order.
package struct TXTRecord: Hashable, Sendable, CustomStringConvertible {
    /// One attribute.
    package struct Entry: Hashable, Sendable {
        /// Printable ASCII without `=`; compared without case.
        package var key: String
        /// The octets after `=`; `nil` for a key that stands alone.
        package var value: [UInt8]?
    }

    /// More octets than this are neither made nor read (RFC 6763 §6.2 advises 1300 at most).
    package static let maximumLength = 8192

    package private(set) var entries: [Entry] = []

    package init() {}

    /// A record with text values, in order.
    package init(_ pairs: KeyValuePairs<String, String>) { for (key, value) in pairs { self[key] = value } }

    /// Reads the wire form; what breaks the rules is skipped, as RFC 6763 §6.4 asks for: empty strings, missing or unusable
    /// keys, repeated keys (the first counts), a string that is cut off.
    package init(encoded: [UInt8]) {
        var rest = encoded.prefix(Self.maximumLength)
        while let length = rest.popFirst(), rest.count >= length {
            let string = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            let parts = string.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, Self.isKey(name) else { continue }
            let key = String(decoding: name, as: UTF8.self)
            guard index(of: key) == nil else { continue }
            entries.append(Entry(key: key, value: parts.count == 2 ? Array(parts[1]) : nil))
        }
    }

    /// The value as text: `nil` when the key is absent, stands alone, or its value isn't UTF-8. Setting `nil` removes.
    package subscript(key: String) -> String? {
        get { octets(key).flatMap { String(validating: $0, as: UTF8.self) } }
        set { set(key, newValue.map { Array($0.utf8) }) }
    }

    /// The octets of a value; `nil` when the key is absent or stands alone.
    package func octets(_ key: String) -> [UInt8]? { index(of: key).flatMap { entries[$0].value } }

    /// Whether the key is there, with a value or alone.
    package func contains(_ key: String) -> Bool { index(of: key) != nil }

    /// Sets the octets of a value, in place where the key is there already; `nil` removes it.
    package mutating func set(_ key: String, _ value: [UInt8]?) {
        precondition(Self.isKey(key.utf8), "a TXT key is printable ASCII without '='")
        switch (index(of: key), value) {
        case (let index?, let value?): entries[index].value = value
        case (let index?, nil): entries.remove(at: index)
        case (nil, let value?): entries.append(Entry(key: key, value: value))
        case (nil, nil): break
        }
    }

    /// The wire form; a record without entries is one empty string.
    ///
    /// - Throws: ``NetError`` with code `tooLarge` when an entry is longer than 255 octets or all are longer than
    ///   ``maximumLength``.
    package func encoded() throws(NetError) -> [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries {
            var string = Array(entry.key.utf8)
            if let value = entry.value { string += [UInt8(ascii: "=")] + value }
            guard let length = UInt8(exactly: string.count) else {
                throw NetError(
                    .tooLarge, "TXT record", reason: "\(entry.key) has \(string.count) octets, at most 255 fit")
            }
            bytes += [length] + string
        }
        guard bytes.count <= Self.maximumLength else {
            throw NetError(.tooLarge, "TXT record", reason: "\(bytes.count) octets, at most \(Self.maximumLength) fit")
        }
        return bytes.isEmpty ? [0] : bytes
    }

    package var description: String {
        entries.map { entry in
            entry.value.map { "\(entry.key)=\(String(decoding: $0, as: UTF8.self))" } ?? entry.key
        }.joined(separator: " ")
    }

    private func index(of key: String) -> Int? {
        entries.firstIndex { $0.key == key } ?? entries.firstIndex { $0.key.lowercased() == key.lowercased() }
    }

    private static func isKey(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }
}
