/// A text in columns: the first ones are left-aligned, the others right-aligned.
struct TextTable {
  private let rows: [[String]]

  private let leftColumns: Int

  /// - Parameters:
  ///   - rows: the rows, all of the same length.
  ///   - leftColumns: the number of left-aligned columns.
  init(_ rows: [[String]], leftColumns: Int = 1) {
    self.rows = rows
    self.leftColumns = leftColumns
  }

  /// The text, with a line for each row.
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
