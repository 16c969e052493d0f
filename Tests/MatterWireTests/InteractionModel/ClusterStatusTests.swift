import MatterWire
import Testing

@Suite("Statuses in words")
struct ClusterStatusTests {
    @Test(arguments: [
        (StatusIB(.success), ClusterID?.none, "success (0x00)"),
        (StatusIB(.success, clusterStatus: 0), .doorLock, "success (0x00)"),
        (StatusIB(.constraintError), .levelControl, "constraint error (0x87)"),
        (
            StatusIB(.failure, clusterStatus: 4), .administratorCommissioning,
            "failure (0x01), window not open (cluster status 4)"
        ),
        (StatusIB(.failure, clusterStatus: 3), .doorLock, "failure (0x01), occupied (cluster status 3)"),
        (StatusIB(.failure, clusterStatus: 9), .doorLock, "failure (0x01), cluster status 9"),
        (StatusIB(.failure, clusterStatus: 2), nil, "failure (0x01), cluster status 2"),
        (StatusIB(InteractionStatus(rawValue: 0xF0)), .onOff, "status 0xF0"),
    ]) func `are named where they have a name`(_ status: StatusIB, _ cluster: ClusterID?, _ words: String) {
        #expect(status.words(in: cluster) == words)
    }
}
