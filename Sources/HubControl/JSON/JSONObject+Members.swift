extension JSONObject {
    /// The text member `name`.
    ///
    /// - Throws: ``ControlProtocolError`` `missing`, or `wrongType` when it is no string or its count of code points is
    ///   not within `length`: a character can have any number of them.
    public func string(_ name: String, length: ClosedRange<Int> = 0...Int.max) throws(ControlProtocolError) -> String {
        guard let value = try optionalString(name, length: length) else { throw .init(.missing, path: name) }
        return value
    }

    /// The text member `name`; `nil` when absent.
    public func optionalString(
        _ name: String, length: ClosedRange<Int> = 0...Int.max
    ) throws(ControlProtocolError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw .init(.wrongType, path: name, reason: "a string") }
        guard length.contains(text.unicodeScalars.count) else {
            let reason = "a string of \(length.lowerBound) to \(length.upperBound) characters"
            throw .init(.wrongType, path: name, reason: reason)
        }
        return text
    }

    /// The integer member `name`, within the range of `T` and within `range`.
    public func integer<T: FixedWidthInteger>(
        _ name: String, as: T.Type = T.self, in range: ClosedRange<T> = T.min...T.max
    ) throws(ControlProtocolError) -> T {
        guard let value = try optionalInteger(name, as: T.self, in: range) else { throw .init(.missing, path: name) }
        return value
    }

    /// The integer member `name`; `nil` when absent.
    public func optionalInteger<T: FixedWidthInteger>(
        _ name: String, as: T.Type = T.self, in range: ClosedRange<T> = T.min...T.max
    ) throws(ControlProtocolError) -> T? {
        guard let value = self[name] else { return nil }
        guard let wide = value.integer, let narrow = T(exactly: wide), range.contains(narrow) else {
            let reason = "an integer from \(range.lowerBound) to \(range.upperBound)"
            throw .init(.wrongType, path: name, reason: reason)
        }
        return narrow
    }

    /// The boolean member `name`.
    public func bool(_ name: String) throws(ControlProtocolError) -> Bool {
        guard let value = try optionalBool(name) else { throw .init(.missing, path: name) }
        return value
    }

    /// The boolean member `name`; `nil` when absent.
    public func optionalBool(_ name: String) throws(ControlProtocolError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let bool = value.bool else { throw .init(.wrongType, path: name, reason: "true or false") }
        return bool
    }

    /// The object member `name`.
    public func object(_ name: String) throws(ControlProtocolError) -> JSONObject {
        guard let value = try optionalObject(name) else { throw .init(.missing, path: name) }
        return value
    }

    /// The object member `name`; `nil` when absent.
    public func optionalObject(_ name: String) throws(ControlProtocolError) -> JSONObject? {
        guard let value = self[name] else { return nil }
        guard let object = value.object else { throw .init(.wrongType, path: name, reason: "an object") }
        return object
    }

    /// The array member `name`.
    public func array(_ name: String) throws(ControlProtocolError) -> [JSONValue] {
        guard let value = self[name] else { throw .init(.missing, path: name) }
        guard let array = value.array else { throw .init(.wrongType, path: name, reason: "an array") }
        return array
    }

    /// The member `name` as an array of strings.
    public func strings(_ name: String) throws(ControlProtocolError) -> [String] {
        let strings = try array(name).map(\.string)
        guard strings.allSatisfy({ $0 != nil }) else {
            throw .init(.wrongType, path: name, reason: "an array of strings")
        }
        return strings.compactMap { $0 }
    }

    /// The members of an array `name` of objects, each read by `read`; errors name the index.
    public func objects<T>(
        _ name: String, _ read: (JSONObject) throws(ControlProtocolError) -> T
    ) throws(ControlProtocolError) -> [T] {
        var result: [T] = []
        for (index, value) in try array(name).enumerated() {
            guard let object = value.object else {
                throw .init(.wrongType, path: "\(name).\(index)", reason: "an object")
            }
            do throws(ControlProtocolError) {
                result.append(try read(object))
            } catch {
                throw error.within("\(name).\(index)")
            }
        }
        return result
    }

    /// The member `name` as a 64-bit id, 16 hexadecimal digits.
    public func identifier<ID: HexIdentifier>(_ name: String, as: ID.Type = ID.self) throws(ControlProtocolError) -> ID
    {
        guard let value = try optionalIdentifier(name, as: ID.self) else { throw .init(.missing, path: name) }
        return value
    }

    /// The member `name` as a 64-bit id; `nil` when absent.
    public func optionalIdentifier<ID: HexIdentifier>(
        _ name: String, as: ID.Type = ID.self
    ) throws(ControlProtocolError) -> ID? {
        guard let value = self[name] else { return nil }
        guard let id = value.string.flatMap({ ID(text: $0) }) else {
            throw .init(.wrongType, path: name, reason: "16 hexadecimal digits")
        }
        return id
    }

    /// The member `name` as octets in base64url; `count` is their exact number, when fixed.
    public func octets(_ name: String, count: Int? = nil) throws(ControlProtocolError) -> [UInt8] {
        guard let value = self[name] else { throw .init(.missing, path: name) }
        guard let octets = value.string.flatMap({ Base64URL.decode($0) }), count == nil || octets.count == count else {
            let reason = count.map { "\($0) octets in base64url" } ?? "octets in base64url"
            throw .init(.wrongType, path: name, reason: reason)
        }
        return octets
    }
}
