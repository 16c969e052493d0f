import Foundation
import Testing

@Suite("matterhub serve", .timeLimit(.minutes(1))) struct ServeCommandTests {
    @Test(arguments: [
        ("/dev/null/hub", "Not a directory"), ("/proc/no-such-folder/hub", "No such file or directory"),
        (String(repeating: "x", count: 300), "File name too long"),
    ])
    func `a state folder that cannot be made is refused in plain words`(_ path: String, _ reason: String) throws {
        let outcome = try BuiltProgram.run(["serve", "--no-mdns", "--port", "0", "--state-dir", path])
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        #expect(outcome.errors.contains(path))
        for dump in ["Error Domain", "NSCocoa", "UserInfo", "Optional"] { #expect(!outcome.errors.contains(dump)) }
    }
}
