import HomeKit
import TestSupport
import Testing

private struct CodeTable: Decodable {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let code: Int
        var testDescription: String { name }
    }
    let codes: [Row]

    static let all = Vectors.load(CodeTable.self, "hm-error-codes.json").codes
}

@Suite("HMError against the header's table") struct HMErrorTests {
    @Test func `the table is complete`() {
        #expect(CodeTable.all.map(\.code) == [-1] + Array(1...93) + Array(95...105))
        #expect(HMError.Code.allCases.count == CodeTable.all.count)
    }

    @Test(arguments: CodeTable.all) fileprivate func `a name has its number`(_ row: CodeTable.Row) throws {
        let code = try #require(HMError.Code(rawValue: row.code))
        #expect(String(describing: code) == row.name)
        let error: any Error = HMError(code)
        #expect((error as NSError).domain == HMErrorDomain)
        #expect((error as NSError).code == row.code)
        #expect((error as? HMError)?.code == code)
    }

    @Test func `app code finds it the ways it does on iOS`() {
        let error: any Error = HMError(.operationCancelled)
        #expect((error as? HMError)?.code == .operationCancelled)
        #expect((error as NSError).code == HMError.operationCancelled.rawValue)
        #expect((error as NSError).code == HMError.Code.operationCancelled.rawValue)
        do {
            throw error
        } catch HMError.accessDenied {
            Issue.record("another code")
        } catch HMError.operationCancelled {
        } catch {
            Issue.record("not found by its code")
        }
        #expect(error.localizedDescription == "Operation cancelled (HomeKit error 23)")
        #expect(HMError.Code.incompatibleHomeHub.rawValue == 92)
    }

    @Test func `a code is found in an NSError too`() {
        let error: any Error = NSError(domain: HMErrorDomain, code: 38)
        #expect(HMError.Code.userDeclinedAddingUser ~= error)
        #expect(!(HMError.Code.userDeclinedAddingUser ~= NSError(domain: "other", code: 38)))
    }

    @Test func `an error under another is found`() {
        let error = NSError(
            domain: "com.apple.MatterSupport", code: 1,
            userInfo: [NSUnderlyingErrorKey: HMError(.userDeclinedAddingUser)])
        let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
        #expect((cause as? HMError)?.code == .userDeclinedAddingUser)
    }
}

@Suite("HomeKit's shells") struct HomeManagerTests {
    private final class Delegate: HMHomeManagerDelegate {}

    @Test func `there are no homes, and nothing pretends to make one`() async throws {
        let manager = HMHomeManager()
        let delegate = Delegate()
        manager.delegate = delegate
        #expect(manager.homes.isEmpty)
        #expect(manager.primaryHome == nil)
        #expect(!manager.authorizationStatus.contains(.authorized))
        await #expect(throws: HMError(.operationNotSupported)) { try await manager.addHome(named: "Home") }
        manager.addHome(withName: "Home") { home, error in
            #expect(home == nil)
            #expect((error as? HMError)?.code == .operationNotSupported)
        }
    }
}
