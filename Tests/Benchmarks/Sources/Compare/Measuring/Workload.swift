/// Something that a store does, beside the best plain Swift that does the same.
///
/// Each side makes what it needs, runs the work, checks its result, and answers with one cost for each metric.
protocol Workload: Sendable {
  /// The name in the table of bars, with a letter where one bar has several workloads.
  var name: String { get }
  var title: String { get }
  var counterpart: String { get }
  var metrics: [Metric] { get }
  var sizes: [Int] { get }
  /// The size that the bars are about.
  var barSize: Int { get }
  /// The size for a run that checks only that everything works.
  var quickSize: Int { get }

  /// How often a side runs for one sample: small sizes more than once, for the clock's sake.
  func repetitions(at size: Int) -> Int
  func ours(_ size: Int) async throws -> [Double]
  func baseline(_ size: Int) async throws -> [Double]
}

extension Workload {
  var sizes: [Int] { [100, 1_000, 10_000, 100_000, 1_000_000] }
  var quickSize: Int { 100 }

  func repetitions(at size: Int) -> Int { max(1, 10_000 / size) }
}

/// One number that a workload comes to, for each operation.
struct Metric: Sendable {
  /// Tells the metrics of one workload apart; empty where there is one.
  var name = ""
  var unit = "ns"
  /// The most that ours may be of the baseline.
  var bar: Double?
}

/// A workload that did not do what it measures.
struct WrongResult: Error, CustomStringConvertible {
  let description: String
}

func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw WrongResult(description: message()) }
}

func require(_ result: Int, equals expected: Int) throws {
  try require(result == expected, "came to \(result) instead of \(expected)")
}
