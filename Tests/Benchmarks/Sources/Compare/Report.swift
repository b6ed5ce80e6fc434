import Foundation
import Workloads

/// Prints comparisons, for people or for programs.
enum Report {
  static let header =
    row("workload", "size", "ours", "min", "max", "hand-written", "min", "max", "unit", "ratio", "bar", "growth")
    + "\n" + String(repeating: "-", count: 132)

  static let footer = """
    Medians, with the least and the most, for one operation; ours and hand-written in turns, in one process.
    bar: the most that the ratio may be, at the size marked *. growth: ours, as a multiple of ours at the smallest size.
    memory: \(Process.memoryMethod). CPU: \(Process.timeMethod).
    """

  static func line(_ comparison: Comparison) -> String {
    let bar = comparison.metric.bar.map { "\(number($0))\(comparison.isAtBarSize ? "*" : " ")" } ?? "-"
    let isMissed = comparison.isAtBarSize && comparison.meetsBar == false
    return row(
      comparison.name, String(comparison.size), number(comparison.ours.median), number(comparison.ours.minimum),
      number(comparison.ours.maximum), number(comparison.baseline.median), number(comparison.baseline.minimum),
      number(comparison.baseline.maximum), comparison.metric.unit, number(comparison.ratio), bar,
      number(comparison.growth)) + (isMissed ? "  MISSED" : "")
  }

  static func json(_ comparisons: [Comparison]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(comparisons.map(Entry.init)), as: UTF8.self)
  }

  private struct Entry: Encodable {
    let name: String
    let size: Int
    let ours: Double
    let baseline: Double
    let unit: String
    let ratio: Double?
    let bar: Double?
    let oursRange: [Double]
    let baselineRange: [Double]

    init(_ comparison: Comparison) {
      name = comparison.name
      size = comparison.size
      ours = comparison.ours.median
      baseline = comparison.baseline.median
      unit = comparison.metric.unit
      ratio = comparison.ratio.isFinite ? comparison.ratio : nil
      bar = comparison.metric.bar
      oursRange = [comparison.ours.minimum, comparison.ours.maximum]
      baselineRange = [comparison.baseline.minimum, comparison.baseline.maximum]
    }
  }

  private static func row(_ cells: String...) -> String {
    let widths = [-18, 9, 10, 10, 10, 13, 10, 10, -5, 8, 7, 8]
    return zip(cells, widths).map { cell, width in
      let padding = String(repeating: " ", count: max(0, abs(width) - cell.count))
      return width < 0 ? cell + padding : padding + cell
    }.joined(separator: " ")
  }

  private static func number(_ value: Double) -> String {
    switch abs(value) {
    case 1_000...: String(format: "%.0f", value)
    case 10...: String(format: "%.1f", value)
    default: String(format: "%.2f", value)
    }
  }
}
