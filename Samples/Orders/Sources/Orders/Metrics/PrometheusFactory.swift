import CoreMetrics
import Synchronization

/// A backend of swift-metrics that keeps the numbers in the process, and writes them as Prometheus reads them.
///
/// It keeps what a small service needs: counters, meters, recorders and timers, the last two as a count and a sum.
final class PrometheusFactory: MetricsFactory, Sendable {
  private let series = Mutex<[SeriesKey: Series]>([:])

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    one(SeriesKey(label, dimensions, .counter))
  }

  func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
    one(SeriesKey(label, dimensions, .counter))
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    one(SeriesKey(label, dimensions, .gauge))
  }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    one(SeriesKey(label, dimensions, aggregate ? .summary : .gauge))
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    one(SeriesKey(label + "_seconds", dimensions, .summary))
  }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}

  /// All series in the text format, in a fixed order.
  var text: String {
    let series = series.withLock { $0.sorted { $0.key < $1.key } }
    var (lines, lastName): ([String], String?) = ([], nil)
    for (key, series) in series {
      if key.name != lastName { lines.append("# TYPE \(key.name) \(key.kind.rawValue)") }
      lastName = key.name
      let (count, sum) = series.values
      switch key.kind {
      case .counter, .gauge: lines.append("\(key.name)\(key.labels) \(sum)")
      case .summary:
        lines.append("\(key.name)_count\(key.labels) \(count)")
        lines.append("\(key.name)_sum\(key.labels) \(sum)")
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func one(_ key: SeriesKey) -> Series {
    series.withLock { series in
      let one = series[key] ?? Series()
      series[key] = one
      return one
    }
  }
}

/// The name and the labels of a series.
private struct SeriesKey: Hashable, Comparable {
  enum Kind: String { case counter, gauge, summary }

  let name: String
  /// In braces, escaped.
  let labels: String
  let kind: Kind

  init(_ label: String, _ dimensions: [(String, String)], _ kind: Kind) {
    name = Self.identifier(label)
    let pairs = dimensions.map { name, value in
      // By scalars, because a character may be a quotation mark with an accent.
      let escapes: [Unicode.Scalar: String] = ["\\": "\\\\", "\"": "\\\"", "\n": "\\n"]
      let escaped = value.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
      return "\(Self.identifier(name))=\"\(escaped)\""
    }
    labels = pairs.isEmpty ? "" : "{\(pairs.sorted().joined(separator: ","))}"
    self.kind = kind
  }

  static func < (left: SeriesKey, right: SeriesKey) -> Bool { (left.name, left.labels) < (right.name, right.labels) }

  private static func identifier(_ text: String) -> String {
    String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }
}

/// One series: a count of what was recorded, and its sum or its last value.
private final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
  private let state = Mutex((count: 0, sum: 0.0))

  var values: (count: Int, sum: Double) { state.withLock { $0 } }

  private func add(_ amount: Double) {
    state.withLock { state in
      state.count += 1
      state.sum += amount
    }
  }

  func increment(by amount: Int64) { add(Double(amount)) }
  func increment(by amount: Double) { add(amount) }
  func decrement(by amount: Double) { add(-amount) }
  func reset() { state.withLock { $0 = (0, 0) } }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { state.withLock { $0.sum = value } }
  func record(_ value: Int64) { add(Double(value)) }
  func record(_ value: Double) { add(value) }
  func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1e9) }
}
