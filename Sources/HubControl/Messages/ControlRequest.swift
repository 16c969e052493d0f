/// A client's number for one of its requests, 1 … 2^53 − 1, so that every language holds it exactly.
public struct RequestID: RawRepresentable, Hashable, Sendable {
    /// The numbers that are allowed.
    public static let range: ClosedRange<Int64> = 1...(1 << 53 - 1)
    /// The number.
    public let rawValue: Int64
    /// - Returns: `nil` outside ``range``.
    public init?(rawValue: Int64) {
        guard Self.range.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }
    /// The first number that a client uses.
    public static let first = RequestID(unchecked: 1)
    /// The number after this one, beginning again at 1.
    public var next: RequestID { RequestID(unchecked: rawValue == Self.range.upperBound ? 1 : rawValue + 1) }
    private init(unchecked rawValue: Int64) { self.rawValue = rawValue }
}

/// Something that a client asks for.
public struct ControlRequest: Hashable, Sendable {
    /// The longest deadline that may be asked for, in ms: a day.
    public static let maximumDeadlineMs: Int64 = 86_400_000

    /// The client's number, not in use by another request of the connection.
    public var id: RequestID
    /// What to do; a method that is not known is answered `unimplemented`.
    public var method: ControlMethod
    /// The method's arguments.
    public var params: JSONObject
    /// Time for the answer, in ms from the arrival of the request; `nil` for the method's own limit.
    public var deadlineMs: Int64?
    /// What is wrong with the request although its id could be read: to be answered with `invalidArgument`.
    public private(set) var fault: ControlProtocolError?

    /// Makes a request.
    public init(id: RequestID, method: ControlMethod, params: JSONObject = JSONObject(), deadlineMs: Int64? = nil) {
        self.id = id
        self.method = method
        self.params = params
        self.deadlineMs = deadlineMs
    }

    /// The JSON form; empty params are left out.
    public var json: JSONObject {
        [
            "id": .integer(id.rawValue), "method": .string(method.rawValue),
            "params": params.isEmpty ? nil : .object(params), "deadlineMs": deadlineMs.map { .integer($0) },
        ]
    }

    /// Reads the JSON form.
    ///
    /// - Throws: when the id is missing or wrong, since then no answer can name it; other faults come as ``fault``.
    public init(json: JSONObject) throws(ControlProtocolError) {
        let number = try json.integer("id", in: RequestID.range)
        guard let id = RequestID(rawValue: number) else { throw .init(.wrongType, path: "id") }
        do throws(ControlProtocolError) {
            self.init(
                id: id, method: ControlMethod(rawValue: try json.string("method")),
                params: try json.optionalObject("params") ?? JSONObject(),
                deadlineMs: try json.optionalInteger("deadlineMs", in: 1...Self.maximumDeadlineMs))
        } catch {
            self.init(id: id, method: ControlMethod(rawValue: json["method"]?.string ?? ""))
            fault = error
        }
    }
}

/// The one answer to a request.
public struct ControlResponse: Hashable, Sendable {
    /// The request's number.
    public var id: RequestID
    /// What came of it.
    public var outcome: Result<JSONObject, ControlError>

    /// Makes a response.
    public init(id: RequestID, outcome: Result<JSONObject, ControlError>) {
        self.id = id
        self.outcome = outcome
    }

    /// The JSON form.
    public var json: JSONObject {
        switch outcome {
        case .success(let result): ["id": .integer(id.rawValue), "result": .object(result)]
        case .failure(let error): ["id": .integer(id.rawValue), "error": .object(error.json)]
        }
    }

    /// Reads the JSON form; exactly one of `result` and `error` must be there.
    public init(json: JSONObject) throws(ControlProtocolError) {
        let number = try json.integer("id", in: RequestID.range)
        guard let id = RequestID(rawValue: number) else { throw .init(.wrongType, path: "id") }
        self.id = id
        switch (try json.optionalObject("result"), try json.optionalObject("error")) {
        case (let result?, nil): outcome = .success(result)
        case (nil, let error?):
            do throws(ControlProtocolError) {
                outcome = .failure(try ControlError(json: error))
            } catch {
                throw error.within("error")
            }
        case (nil, nil): throw .init(.missing, path: "result")
        case (.some, .some): throw .init(.wrongType, path: "error", reason: "absent beside a result")
        }
    }
}

/// A subscription to a device, numbered from 1 on its connection (`devices.subscribe`).
public struct SubscriptionNumber: RawRepresentable, Hashable, Sendable {
    /// Unique on the connection, for its whole life.
    public var rawValue: UInt32
    /// Makes a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Something that happened in a structure, or at a device that the connection subscribed to.
public struct ControlEvent: Hashable, Sendable {
    /// Where it happened.
    public var structure: StructureID
    /// Its number, counted from 1 per structure without gaps; 0 for one of a subscription, which has none.
    public var number: UInt64
    /// The connection's subscription to a device that it belongs to; `nil` for an event of the structure.
    public var subscription: SubscriptionNumber?
    /// What happened, for example `session.stage`.
    public var name: String
    /// The particulars.
    public var data: JSONObject

    /// Makes an event.
    public init(structure: StructureID, number: UInt64, name: String, data: JSONObject = JSONObject()) {
        self.structure = structure
        self.number = number
        self.name = name
        self.data = data
    }

    /// Makes an event of a subscription to a device.
    public init(
        structure: StructureID, subscription: SubscriptionNumber, name: String, data: JSONObject = JSONObject()
    ) {
        self.init(structure: structure, number: 0, name: name, data: data)
        self.subscription = subscription
    }

    /// The JSON form.
    public var json: JSONObject {
        [
            "structure": structure.json, "number": subscription == nil ? JSONValue(number) : nil,
            "subscription": subscription.map { JSONValue($0.rawValue) }, "event": .string(name),
            "data": .object(data),
        ]
    }

    /// Reads the JSON form.
    public init(json: JSONObject) throws(ControlProtocolError) {
        subscription = try json.optionalInteger("subscription", as: UInt32.self).map {
            SubscriptionNumber(rawValue: $0)
        }
        number = subscription == nil ? try json.integer("number") : 0
        structure = try json.identifier("structure")
        name = try json.string("event")
        data = try json.optionalObject("data") ?? JSONObject()
    }
}
