import Foundation

/// A committed table of the benchmarks, from which a picture is drawn.
struct MeasuredTable {
  /// The first line, which says what the table was measured with.
  let head: String
  /// The cells of each row, under two lines of heads.
  let rows: [[String]]

  init(_ name: String) throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Benchmarks/\(name).txt")
    let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
    head = String(lines[0])
    rows = lines.dropFirst(2).map { $0.split(separator: " ").map(String.init) }
  }
}
