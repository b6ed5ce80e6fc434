/// Text in columns: the first ones to the left, the others to the right.
struct TextTable {
  private let rows: [[String]]

  private let leftColumns: Int

  /// - Parameters:
  ///   - rows: all of the same length.
  ///   - leftColumns: how many columns are to the left.
  init(_ rows: [[String]], leftColumns: Int = 1) {
    self.rows = rows
    self.leftColumns = leftColumns
  }

  /// A line for each row.
  var text: String {
    guard let first = rows.first else { return "" }
    let rows = rows.map { $0.map(\.printable) }
    let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column < leftColumns ? cell.0 + space : space + cell.0
      }
      return cells.joined(separator: "  ") + "\n"
    }.joined()
  }
}
