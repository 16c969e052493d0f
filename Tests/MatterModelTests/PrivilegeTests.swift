import MatterModel
import MatterWire
import Testing

@Suite("Privileges (Core §6.6.2.3)")
struct PrivilegeTests {
    @Test func `a higher privilege includes the lower ones`() {
        let granted = Privilege.allCases.map { held in Privilege.allCases.filter(held.includes) }
        #expect(
            granted == [
                [.view], [.view, .proxyView], [.view, .operate], [.view, .operate, .manage], Privilege.allCases,
            ])
    }
}
