package import HubControl

/// An error as it crosses the border between two processes: domain, number and texts, with what lies under it.
///
/// Both hosts give the app errors in this form, so that code tested with one behaves the same with the other. A Swift
/// error's own type does not survive, as it does not on a phone.
package struct PortableError: Error, Hashable, Sendable {
    /// The error's domain.
    package var domain: String
    /// The error's number in its domain.
    package var code: Int
    /// The user info's members that are texts or numbers, as text.
    package var info: [String: String]
    /// The error under this one: none or one.
    private var nested: [PortableError]

    /// The error under this one.
    package var underlying: PortableError? { nested.first }

    /// No chain is longer; what lies deeper is cut off.
    static let maximumDepth = 16
    /// UTF-8 bytes of one text; a longer one is cut.
    static let maximumText = 4096
    /// Members of one user info that are kept.
    static let maximumMembers = 64

    /// Makes an error.
    package init(domain: String, code: Int, info: [String: String] = [:], underlying: PortableError? = nil) {
        self.domain = domain
        self.code = code
        self.info = info
        nested = underlying.map { [$0] } ?? []
    }

    /// Takes what can cross of any error.
    package init(_ error: any Error) { self.init(error, depth: 1) }

    private init(_ error: any Error, depth: Int) {
        if let portable = error as? PortableError {
            self = portable
            return
        }
        let object = error as NSError
        var info: [String: String] = [:]
        for (key, value) in object.userInfo.sorted(by: { $0.key < $1.key }).prefix(Self.maximumMembers) {
            switch value {
            case let text as String: info[key] = Self.cut(text)
            case let number as any BinaryInteger: info[key] = String(describing: number)
            default: break
            }
        }
        // A Swift error says these by a protocol and not in its user info.
        let localized = error as? any LocalizedError
        info[NSLocalizedDescriptionKey] = Self.cut(localized?.errorDescription ?? object.localizedDescription)
        if let reason = localized?.failureReason { info[NSLocalizedFailureReasonErrorKey] = Self.cut(reason) }
        if let remedy = localized?.recoverySuggestion {
            info[NSLocalizedRecoverySuggestionErrorKey] = Self.cut(remedy)
        }
        let inner = object.userInfo[NSUnderlyingErrorKey] as? any Error
        self.init(
            domain: Self.cut(object.domain), code: object.code, info: info,
            underlying: depth < Self.maximumDepth ? inner.map { PortableError($0, depth: depth + 1) } : nil)
    }

    private static func cut(_ text: String) -> String {
        text.utf8.count <= maximumText ? text : String(decoding: text.utf8.prefix(maximumText), as: UTF8.self)
    }

    /// The error as an app sees it.
    package var nsError: NSError {
        var userInfo: [String: Any] = info
        userInfo[NSUnderlyingErrorKey] = underlying?.nsError
        return NSError(domain: domain, code: code, userInfo: userInfo)
    }

    /// Whether this error or one under it is as given.
    package func contains(domain: String, code: Int) -> Bool {
        (self.domain == domain && self.code == code) || underlying?.contains(domain: domain, code: code) == true
    }
}

extension PortableError {
    /// The form in the dialogue with an extension's process.
    package var json: JSONObject {
        var members = JSONObject()
        for (key, value) in info.sorted(by: { $0.key < $1.key }) { members[key] = .string(value) }
        return [
            "domain": .string(domain), "code": JSONValue(code), "info": .object(members),
            "underlying": underlying.map { .object($0.json) },
        ]
    }

    /// Reads the form in the dialogue.
    package init(json: JSONObject) throws(ControlProtocolError) {
        var info: [String: String] = [:]
        for member in try json.object("info").members {
            guard let text = member.value.string else {
                throw ControlProtocolError(.wrongType, path: "info.\(member.name)", reason: "a string")
            }
            info[member.name] = text
        }
        var underlying: PortableError?
        if let inner = try json.optionalObject("underlying") {
            do throws(ControlProtocolError) {
                underlying = try PortableError(json: inner)
            } catch {
                throw error.within("underlying")
            }
        }
        self.init(
            domain: try json.string("domain"), code: try json.integer("code"), info: info, underlying: underlying)
    }
}
