import Foundation
import Testing

@Suite("Tables of promises in Protocols/") struct PromiseTableTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The names in the second column of the tables.
    private static func named(_ table: String) throws -> [String] {
        let text = try String(contentsOf: root.appendingPathComponent("Protocols/\(table)"), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| ") }.flatMap { row in
            let column = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst(2).first ?? ""
            return column.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
        }
    }

    @Test(arguments: [("security.md", 40), ("session-rules.md", 30)] as [(String, Int)])
    func `every test that guards a promise is there`(table: String, least: Int) throws {
        let named = try Self.named(table).filter { $0.contains(" ") }
        #expect(named.count > least)
        var tests: Set<String> = []
        let folder = Self.root.appendingPathComponent("Tests")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for part in text.components(separatedBy: "func `").dropFirst() {
                tests.insert(String(part.prefix { $0 != "`" }))
            }
        }
        for name in named { #expect(tests.contains(name), "no test is called “\(name)”") }
    }
}
