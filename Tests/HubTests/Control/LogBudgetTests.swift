import NetIO
import Testing

@testable import Hub

@Suite("LogBudget") struct LogBudgetTests {
    @Test func `100 lines a minute are written, and what is left out is counted`() {
        var budget = LogBudget()
        var written: [String] = []
        for number in 1...250 {
            written += budget.lines(for: "line \(number)", now: .milliseconds(100 * number))
        }
        #expect(written.count == 101)
        #expect(written[99] == "line 100")
        #expect(written[100].contains("left out"))
        #expect(
            budget.lines(for: "next", now: .seconds(61)) == ["150 lines about connections were left out", "next"])
        #expect(budget.lines(for: "again", now: .seconds(62)) == ["again"])
    }

    @Test func `a quiet log is written as it comes`() {
        var budget = LogBudget()
        for number in 0..<300 {
            #expect(budget.lines(for: "line", now: .seconds(number)) == ["line"])
        }
    }

    @Test func `garbage again and again does not fill the log`() async throws {
        try await withServer { server in
            for _ in 0..<130 {
                let tcp = try await server.tcp()
                try await tcp.write([0])
                #expect(try await tcp.read(atMost: 10) == [])
            }
            await eventually("all are gone") { server.server.connectionCount == 0 }
            #expect(server.log.count == 101)
            let client = try await server.client()
            #expect(await client.welcome != nil)
        }
    }
}
