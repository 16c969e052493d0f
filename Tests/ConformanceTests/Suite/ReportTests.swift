import Foundation
import FoundationXML
import HubControl
import TestSupport
import Testing

@testable import Conformance

/// Every form of report, over text that would break one that does not escape.
@Suite("Conformance reports")
struct ReportTests {
    @Test func `JUnit is XML with every case and its outcome`() throws {
        let document = try #require(XMLTree.parse(JUnitReport.text(Sample.report)))
        let suite = try #require(document.child("testsuite"))
        #expect(suite.attributes["tests"] == "4" && suite.attributes["failures"] == "1")
        #expect(suite.attributes["skipped"] == "1" && suite.attributes["errors"] == "1")
        #expect(suite.attributes["timestamp"] == "2026-11-30T13:00:00Z")
        let cases = suite.children.filter { $0.name == "testcase" }
        #expect(cases.map { $0.attributes["name"] } == ["a.pass", "a.fail", "b.skip", "b.stop"])
        #expect(cases.map { $0.attributes["classname"] } == ["sample.a", "sample.a", "sample.b", "sample.b"])
        #expect(cases[1].attributes["time"] == "1.234")
        #expect(cases.map { $0.children.map(\.name) } == [[], ["failure", "system-err"], ["skipped"], ["error"]])
        let failure = try #require(cases[1].child("failure"))
        #expect(failure.attributes["message"]?.contains("</failure><script>alert('1')</script> &amp; \"q\"") == true)
        #expect(failure.text.contains("\n  ...\nBail out!"))
        #expect(!JUnitReport.text(Sample.report).unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
        let properties = try #require(suite.child("properties"))
        #expect(
            properties.children.map { $0.attributes["value"] } == ["a.pass a.fail", "a.fail", "not exercised"])
    }

    @Test func `HTML is one page that holds what was said as text, and what was not exercised`() throws {
        let page = HTMLReport.text(Sample.report)
        let document = try #require(XMLTree.parse(page))
        #expect(document.all("script").isEmpty && document.all("link").isEmpty && document.all("img").isEmpty)
        let headings = document.all("h2").compactMap { $0.attributes["id"] }
        #expect(headings == ["failures", "cases", "exercised", "not-exercised"])
        #expect(page.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"))
        #expect(!page.unicodeScalars.contains("\u{202E}"))
        let rows = document.all("tr").map { $0.children.map(\.text) }
        #expect(rows.contains(["page.md §3", "The third thing & more.", "not tried: b.skip, b.stop"]))
        #expect(rows.contains(["page.md §2", "The second <thing>.", "a.fail"]))
    }

    @Test func `TAP has a plan, a line a case, and nothing that a subject said is one`() {
        let lines = TAPReport.text(Sample.report).split(separator: "\n").map(String.init)
        #expect(lines[0] == "TAP version 14")
        #expect(lines[1] == "1..4")
        let points = lines.filter { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") }
        #expect(points.count == 4)
        #expect(points[0] == "ok 1 - a.pass: Passes \\# not")
        #expect(points[1] == "not ok 2 - a.fail: Fails")
        #expect(points[2].hasPrefix("ok 3 - b.skip: Is skipped # SKIP ]]>"))
        #expect(lines.filter { $0 == "  ---" }.count == 4 && lines.filter { $0 == "  ..." }.count == 4)
        #expect(lines.filter { $0.hasPrefix("Bail out!") } == ["Bail out! interrupted"])
        #expect(lines.contains("# not exercised: third (page.md §3)"))
        #expect(lines.contains("  expected: \"a cat\""))
    }

    @Test func `JSON has an object a case and one of the whole`() throws {
        let objects = Sample.report.records.map(JSONReport.object) + [JSONReport.summary(Sample.report)]
        for object in objects {
            let line = JSONValue.object(object).text()
            #expect(!line.contains("\n"))
            #expect(try JSONObject(parsing: Array(line.utf8)) == object)
        }
        #expect(objects.prefix(4).map { $0["outcome"]?.string } == ["passed", "failed", "skipped", "interrupted"])
        #expect(objects[1]["seen"]?.string == Sample.hostile)
        #expect(objects[4]["failed"]?.integer == 1 && objects[4]["passed"]?.integer == 1)
        #expect(objects[4]["notExercised"] == ["third"])
    }

    @Test func `lines for people say what failed and why, and move no cursor`() {
        let lines = Sample.report.records.flatMap(LineReport.lines)
        #expect(lines[0] == "FAIL  a.fail: Fails")
        #expect(lines[1] == "      expected  a cat")
        #expect(lines[3] == "      rule      page.md §2")
        #expect(lines[5].hasPrefix("      note      ]]>"))
        #expect(lines[6].hasPrefix("skip  b.skip: ]]>"))
        #expect(!lines.joined().unicodeScalars.contains { $0.value < 32 || $0 == "\u{202E}" })
        let summary = LineReport.summary(Sample.report)
        #expect(summary.contains("a           1       1       0    1246"))
        #expect(summary.contains("  page.md §3: The third thing & more."))
        #expect(
            summary.hasSuffix(
                "1 passed, 1 failed, 1 skipped, 1 interrupted; 2 of 3 documented behaviours exercised"))
    }

    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"), (4_107_542_400, "2100-03-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
    ])
    func `a time is a date`(seconds: Int64, text: String) {
        #expect(UTCTime(secondsSince1970: seconds).text == text)
    }

    @Test func `escaping leaves nothing of a text that is markup, whatever it is`() throws {
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let alphabet: [Unicode.Scalar] = Array(
                "<>&\"'a;#]!-é\u{0}\u{1F}\u{85}\u{FFFE}\u{202E}\n\u{1F3E0}".unicodeScalars)
            let text = String(
                String.UnicodeScalarView((0..<20).map { _ in alphabet.randomElement(using: &random) ?? "<" }))
            let tree = try #require(
                XMLTree.parse("<a b=\"\(MarkupText.escaped(text))\">\(MarkupText.escaped(text))</a>"), "seed \(seed)")
            #expect(tree.children.isEmpty && tree.attributes.count == 1)
            #expect(tree.attributes["b"] == tree.text, "seed \(seed)")
        }
    }
}

/// An element of an XML document, as a real parser reads it.
final class XMLTree {
    let name: String
    let attributes: [String: String]
    private(set) var children: [XMLTree] = []
    private(set) var text = ""

    private init(_ name: String, _ attributes: [String: String]) {
        self.name = name
        self.attributes = attributes
    }

    func child(_ name: String) -> XMLTree? { children.first { $0.name == name } }
    func all(_ name: String) -> [XMLTree] {
        (self.name == name ? [self] : []) + children.flatMap { $0.all(name) }
    }

    /// The root; `nil` when it is no well-formed XML.
    static func parse(_ text: String) -> XMLTree? {
        let reader = Reader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        return parser.parse() ? reader.root : nil
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var root: XMLTree?
        private var open: [XMLTree] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            let element = XMLTree(name, attributes)
            if let parent = open.last { parent.children.append(element) } else { root = element }
            open.append(element)
        }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            open.removeLast()
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) { open.last?.text += text }
    }
}
