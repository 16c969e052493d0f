import HubControl
import MatterWire

/// A place in a list that is ordered by time and id; it stays valid when the item there goes.
struct ListPlace: Hashable, Comparable {
    var time: Int64
    var id: UInt64

    init(time: Int64, id: UInt64) {
        self.time = time
        self.id = id
    }

    /// Reads ``text``.
    init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let id = HubID(text: String(parts[1])) else { return nil }
        self.init(time: time, id: id.rawValue)
    }

    /// The form of `cursor` and `next`.
    var text: String { "\(time).\(HubID(rawValue: id).text)" }

    static func < (lhs: ListPlace, rhs: ListPlace) -> Bool { (lhs.time, lhs.id) < (rhs.time, rhs.id) }

    /// At most `limit` items after a place.
    ///
    /// - Parameter items: in the order of their places.
    /// - Returns: the items, and the last one's place when there are more.
    static func page<Item>(
        of items: [Item], after start: ListPlace?, _ limit: Int, _ place: (Item) -> ListPlace
    ) -> (items: [Item], next: ListPlace?) {
        let rest = items.drop { item in start.map { place(item) <= $0 } ?? false }
        let page = Array(rest.prefix(limit))
        return (page, rest.count > limit ? page.last.map(place) : nil)
    }
}

extension AttributeReport {
    /// The form of `devices.read`.
    var json: JSONObject {
        func object(_ path: ConcreteAttributePath, _ member: (String, JSONValue)) -> JSONObject {
            var object: JSONObject = [
                "endpoint": JSONValue(path.endpoint.rawValue), "cluster": JSONValue(path.cluster.rawValue),
                "attribute": JSONValue(path.attribute.rawValue),
            ]
            object[member.0] = member.1
            return object
        }
        switch self {
        case .data(let path, _, let value): return object(path, ("value", AttributeValue(value).json))
        case .status(let path, let status): return object(path, ("status", JSONValue(status.status.rawValue)))
        }
    }
}

extension NodeRecord {
    var orphanJSON: JSONObject {
        let id = HubID(rawValue: id.rawValue)
        return [
            "id": id.json, "nodeId": id.json, "address": .string(address), "since": JSONValue(createdAt.unixSeconds),
            "attempts": JSONValue(attempts), "lastError": .string(lastError), "state": "orphan",
        ]
    }
}
