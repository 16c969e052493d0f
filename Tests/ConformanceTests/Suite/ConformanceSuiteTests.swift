import Testing

@testable import Conformance

@Suite("ConformanceSuite")
struct ConformanceSuiteTests {
    struct Row: Sendable {
        let pattern: String
        let names: [String]
    }

    static let names = ["frame.depth", "session.cancel.in-pase", "session.cancel.twice", "session.prepare"]

    static let rows: [Row] = [
        Row(pattern: "frame", names: ["frame.depth"]),
        Row(pattern: "session.cancel", names: ["session.cancel.in-pase", "session.cancel.twice"]),
        Row(pattern: "session.cancel.twice", names: ["session.cancel.twice"]),
        Row(pattern: "sess", names: []),
        Row(pattern: "*cancel*", names: ["session.cancel.in-pase", "session.cancel.twice"]),
        Row(pattern: "*.*pa*e", names: ["session.cancel.in-pase", "session.prepare"]),
        Row(pattern: "frame*", names: ["frame.depth"]),
        Row(pattern: "*", names: names),
        Row(pattern: "frame*frame", names: []),
        Row(pattern: "", names: []),
    ]

    private var suite: ConformanceSuite<SampleSubject.Context> {
        Sample.suite(Self.names.map { SampleCase($0, "Does it", ["first"]) { _ in } })
    }

    @Test(arguments: rows) func `a pattern means names`(row: Row) {
        #expect(suite.selected([row.pattern]).map(\.name) == row.names)
        #expect(suite.uselessPattern(["frame", row.pattern]) == (row.names.isEmpty ? row.pattern : nil))
    }

    @Test func `several patterns keep the suite's order, none means all`() {
        #expect(suite.selected(["session.prepare", "frame"]).map(\.name) == ["frame.depth", "session.prepare"])
        #expect(suite.selected([]).count == 4)
        #expect(suite.selected([], except: ["session.cancel"]).map(\.name) == ["frame.depth", "session.prepare"])
        #expect(suite.selected(["session"], except: ["*twice", "session.prepare"]).count == 1)
        #expect(suite.groups == ["frame", "session"])
    }

    @Test func `a suite whose cases cite what is not documented is not made`() async {
        await #expect(processExitsWith: .failure) {
            _ = Sample.suite([SampleCase("a.b", "Does it", ["fourth"]) { _ in }])
        }
        await #expect(processExitsWith: .failure) { _ = Sample.suite([Sample.passing, Sample.passing]) }
    }
}
