import MatterCrypto
import MatterWire
import TestSupport
import Testing

@Suite("Fabric keys (Core §4.3.2.2, §4.14.2.4, §4.17)") struct FabricKeysTests {
    struct File: Decodable {
        let fabrics: [Fabric]
        let groupKeys: [GroupKey]
        let destinationIds: [Destination]
        static let all = Vectors.load(File.self, "fabric.json")
    }
    struct Fabric: Decodable, Sendable {
        let rootPublicKey: HexBytes
        let fabricId, compressedFabricId, source: String
    }
    struct GroupKey: Decodable, Sendable {
        let epochKey, operationalKey, privacyKey: HexBytes
        let compressedFabricId, groupSessionId: String
    }
    struct Destination: Decodable, Sendable {
        let ipk, initiatorRandom, rootPublicKey, destinationId: HexBytes
        let fabricId, nodeId: String
    }

    @Test(arguments: File.all.fabrics) func `compresses fabric ids`(_ vector: Fabric) throws {
        let id = try FabricKeys.compressedFabricID(
            rootPublicKey: P256PublicKey(bytes: vector.rootPublicKey.bytes),
            fabricID: FabricID(rawValue: number(vector.fabricId)))
        #expect(id.rawValue == number(vector.compressedFabricId))
    }

    @Test(arguments: File.all.groupKeys) func `derives group keys`(_ vector: GroupKey) throws {
        let key = try FabricKeys.operationalKey(
            epochKey: vector.epochKey.bytes,
            compressedFabricID: CompressedFabricID(rawValue: number(vector.compressedFabricId)))
        #expect(key == vector.operationalKey.bytes)
        #expect(try UInt64(FabricKeys.groupSessionID(operationalKey: key).rawValue) == number(vector.groupSessionId))
        #expect(try FabricKeys.privacyKey(operationalKey: key) == vector.privacyKey.bytes)
    }

    @Test(arguments: File.all.destinationIds) func `names destinations`(_ vector: Destination) throws {
        let id = try FabricKeys.destinationID(
            ipk: vector.ipk.bytes, initiatorRandom: vector.initiatorRandom.bytes,
            rootPublicKey: P256PublicKey(bytes: vector.rootPublicKey.bytes),
            fabricID: FabricID(rawValue: number(vector.fabricId)), nodeID: NodeID(rawValue: number(vector.nodeId)))
        #expect(id == vector.destinationId.bytes)
    }

}
