import Foundation
import Testing

@Suite("Protocols/security.md") struct SecurityTableTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The names in the second column of the tables.
    private static func named() throws -> [String] {
        let text = try String(contentsOf: root.appendingPathComponent("Protocols/security.md"), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| ") }.flatMap { row in
            let column = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst(2).first ?? ""
            return column.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
        }
    }

    @Test func `every test that guards a property is there`() throws {
        let named = try Self.named().filter { $0.contains(" ") }
        #expect(named.count > 40)
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
