public import HubControl

/// One method of the control protocol with its arguments, and how its answer is read.
///
/// The same calls go over ``HubConnection`` and ``BlockingHubConnection``.
public struct HubCall<Answer: Sendable>: Sendable {
    /// The method.
    public let method: ControlMethod
    /// The arguments.
    public let params: JSONObject
    private let decode: @Sendable (JSONObject) throws(ControlProtocolError) -> Answer

    /// Makes a call.
    ///
    /// - Parameter decode: reads the result member of the answer.
    public init(
        _ method: ControlMethod, _ params: JSONObject = JSONObject(),
        decode: @escaping @Sendable (JSONObject) throws(ControlProtocolError) -> Answer
    ) {
        self.method = method
        self.params = params
        self.decode = decode
    }

    /// Reads the answer's result.
    ///
    /// - Throws: ``ControlError`` `internal` with reason `badAnswer`.
    func read(_ result: JSONObject) throws(ControlError) -> Answer {
        do throws(ControlProtocolError) {
            return try decode(result)
        } catch {
            throw .badAnswer(method, error)
        }
    }
}

extension HubCall where Answer == Void {
    /// Makes a call whose answer says only that it was done.
    init(_ method: ControlMethod, _ params: JSONObject) {
        self.init(method, params) { _ throws(ControlProtocolError) in }
    }
}

/// A name that makes a call repeatable: the hub answers a repeat within ten minutes with the first answer.
public struct ClientKey: RawRepresentable, Hashable, Sendable {
    /// 1 to 64 characters.
    public let rawValue: String

    /// - Returns: `nil` for an empty or too long text.
    public init?(rawValue: String) {
        guard (1...64).contains(rawValue.count) else { return nil }
        self.rawValue = rawValue
    }

    /// A key that nobody else uses.
    public static func random() -> ClientKey {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A key of 128 bits from the generator.
    public static func random(using generator: inout some RandomNumberGenerator) -> ClientKey {
        ClientKey(unchecked: DeviceID(rawValue: generator.next()).text + DeviceID(rawValue: generator.next()).text)
    }

    /// The key of a session's completion: every process of the app finds the same one.
    public static func completion(of session: CommissioningSessionID) -> ClientKey {
        ClientKey(unchecked: "complete-\(session)")
    }

    private init(unchecked rawValue: String) { self.rawValue = rawValue }
}
