import Foundation
package import MatterNode
package import MatterWire

/// What the phone must remember: its fabric, and the devices that are on it or may be.
package struct PhoneState: Hashable, Sendable {
    /// A device, from just before AddNOC is sent until it has left.
    package struct Node: Hashable, Sendable {
        package enum Standing: UInt8, Hashable, Sendable {
            /// AddNOC may have been sent; nothing is known of its outcome.
            case journalled = 0
            /// On the phone's fabric.
            case member = 1
            /// Must leave the fabric and could not be reached yet.
            case orphan = 2
        }
        package var standing: Standing
        /// The last known address, `host:port`; may be stale.
        package var address: String
    }

    package var fabric: AdministeredFabric
    /// The root's private key, 32 bytes.
    package var rootKey: [UInt8]
    package var nodes: [NodeID: Node]

    /// Devices that belong to the phone.
    package var members: Set<NodeID> { ids(.member) }
    /// Devices that are to be taken off the fabric when they can be reached.
    package var leftovers: Set<NodeID> { ids(.journalled).union(ids(.orphan)) }

    private func ids(_ standing: Node.Standing) -> Set<NodeID> {
        Set(nodes.filter { $0.value.standing == standing }.keys)
    }

    package init(fabric: AdministeredFabric, rootKey: [UInt8], nodes: [NodeID: Node] = [:]) {
        self.fabric = fabric
        self.rootKey = rootKey
        self.nodes = nodes
    }
}

/// The stored form: TLV `{0 version, 1 fabric, 2 root key, 3 [{0 node id, 1 standing, 2 address}]}`.
extension PhoneState {
    private static let version: UInt64 = 1

    package func encoded() -> [UInt8] {
        let rows = nodes.sorted { $0.key.rawValue < $1.key.rawValue }.map { id, node in
            TLVValue.members(
                (0, .uint(id.rawValue)), (1, .uint(node.standing.rawValue)), (2, .utf8(node.address)))
        }
        return TLVValue.members(
            (0, .uint(Self.version)), (1, fabric.value), (2, .octets(rootKey)), (3, .array(rows))
        ).encoded()
    }

    /// - Throws: ``TLVError`` for bytes that are no state of this version.
    package init(decoding bytes: [UInt8]) throws(TLVError) {
        let value = try TLVValue.decode(bytes)
        guard try value.integer(0, as: UInt64.self) == Self.version else {
            throw TLVError(code: .wrongType, path: [0])
        }
        fabric = try AdministeredFabric(value.require(1))
        rootKey = try value.octets(2, count: 32)
        guard let rows = try value.require(3).array else { throw TLVError(code: .wrongType, path: [3]) }
        nodes = [:]
        for row in rows {
            guard let standing = Node.Standing(rawValue: try row.integer(1)) else {
                throw TLVError(code: .wrongType, path: [3, 1])
            }
            nodes[NodeID(rawValue: try row.integer(0))] = Node(standing: standing, address: try row.string(2))
        }
    }
}
