import MatterSupport
import Testing

@Suite("MatterAddDeviceRequest") struct MatterAddDeviceRequestTests {
    @Test func `requests are values that can be stored`() throws {
        let request = MatterAddDeviceRequest(
            topology: .init(
                ecosystemName: "Google Home", homes: [.init(displayName: "Home"), .init(displayName: "Hut")]))
        let bytes = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(MatterAddDeviceRequest.self, from: bytes) == request)
        var other = request
        other.topology.homes.removeLast()
        #expect(other != request)
        #expect(Set([request, other, request]).count == 2)
        #expect(Set([MatterAddDeviceRequest.Room(displayName: "A"), .init(displayName: "A")]).count == 1)
    }
}
