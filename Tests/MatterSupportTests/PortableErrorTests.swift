import HubControl
import SetupDoubles
import Testing

@testable import MatterSupport

@Suite("PortableError") struct PortableErrorTests {
    enum Plain: Error { case first, second }
    struct Described: LocalizedError {
        var errorDescription: String? { "what happened" }
        var failureReason: String? { "why" }
        var recoverySuggestion: String? { "what to do" }
    }

    @Test func `a chain keeps domains, codes and texts`() throws {
        let error = PortableError(FakeHandler.failure)
        #expect(error.domain == "com.example.app" && error.code == 42)
        #expect(error.info[NSLocalizedDescriptionKey] == "the extension gave up")
        #expect(error.underlying?.domain == "com.google.home.HomeError" && error.underlying?.code == 14)
        #expect(error.underlying?.info["MatterHubStage"] == "pase")
        #expect(error.underlying?.info["MatterHubReason"] == "deviceVanished")
        let seen = error.nsError
        #expect(seen.localizedDescription == "the extension gave up")
        let root = try #require(seen.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(root.userInfo["MatterHubStage"] as? String == "pase")
        #expect(root.localizedRecoverySuggestion == "Look at the device.")
        #expect(PortableError(seen) == error)
        #expect(PortableError(error) == error)
        #expect(error.contains(domain: "com.google.home.HomeError", code: 14))
        #expect(!error.contains(domain: "com.google.home.HomeError", code: 42))
        #expect(try PortableError(json: JSONObject(parsing: error.json.encoded())) == error)
    }

    @Test func `Swift errors become what NSError makes of them`() {
        #expect(PortableError(Plain.second).code == (Plain.second as NSError).code)
        #expect(PortableError(Plain.second).domain == (Plain.second as NSError).domain)
        let described = PortableError(Described())
        #expect(described.info[NSLocalizedDescriptionKey] == "what happened")
        #expect(described.info[NSLocalizedFailureReasonErrorKey] == "why")
        #expect(described.info[NSLocalizedRecoverySuggestionErrorKey] == "what to do")
        let numbers = PortableError(NSError(domain: "d", code: 1, userInfo: ["n": 5, "data": Data()]))
        #expect(numbers.info["n"] == "5" && numbers.info["data"] == nil)
    }

    @Test func `chains and texts have a limit`() {
        var error = NSError(
            domain: "d", code: 0, userInfo: [NSLocalizedDescriptionKey: String(repeating: "é", count: 9000)])
        for code in 1...40 { error = NSError(domain: "d", code: code, userInfo: [NSUnderlyingErrorKey: error]) }
        var depth = 0
        var current: PortableError? = PortableError(error)
        while let here = current {
            depth += 1
            current = here.underlying
        }
        #expect(depth == PortableError.maximumDepth)
        let long = PortableError(NSError(domain: "d", code: 0, userInfo: ["t": String(repeating: "é", count: 9000)]))
        #expect(long.info["t"]?.utf8.count == PortableError.maximumText)
    }
}
