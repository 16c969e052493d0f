/// Rows under headings, in columns as wide as their widest cell.
struct TextTable {
    private let headings: [String]
    private var rows: [[String]] = []

    init(_ headings: String...) { self.headings = headings }

    mutating func add(_ cells: String...) { rows.append(cells) }

    /// The lines; without trailing blanks.
    var text: String {
        let widths = headings.indices.map { column in ([headings] + rows).map { $0[column].count }.max() ?? 0 }
        return ([headings] + rows).map { row in
            let line = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
            }.joined()
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
