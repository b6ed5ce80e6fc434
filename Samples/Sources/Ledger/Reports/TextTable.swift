/// Text in columns: the first one to the left, the others to the right.
struct TextTable {
  private let rows: [[String]]

  /// - Parameter rows: all of the same length.
  init(_ rows: [[String]]) { self.rows = rows }

  /// A line for each row.
  var text: String {
    guard let first = rows.first else { return "" }
    let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + space : space + cell.0
      }
      return cells.joined(separator: "  ") + "\n"
    }.joined()
  }
}
