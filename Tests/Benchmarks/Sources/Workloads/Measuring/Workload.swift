/// A task for a store, compared with the best plain Swift that does the same.
///
/// Each side makes what it needs, runs the work, checks its result, and returns one cost for each metric.
package protocol Workload: Sendable {
  /// The name in the table of bars, with a letter where one bar has several workloads.
  var name: String { get }
  var title: String { get }
  var counterpart: String { get }
  var metrics: [Metric] { get }
  var sizes: [Int] { get }
  /// The size to which the bars apply.
  var barSize: Int { get }
  /// The size for a run that only checks that everything works.
  var quickSize: Int { get }

  /// Returns the number of runs of a side for one sample. Small sizes run more than once, for the clock's precision.
  func repetitions(at size: Int) -> Int
  func ours(_ size: Int) async throws -> [Double]
  func baseline(_ size: Int) async throws -> [Double]
}

extension Workload {
  var sizes: [Int] { [100, 1_000, 10_000, 100_000, 1_000_000] }
  var quickSize: Int { 100 }

  func repetitions(at size: Int) -> Int { max(1, 10_000 / size) }
}

/// A number that a workload measures for each operation.
package struct Metric: Sendable {
  /// Distinguishes the metrics of one workload.
  ///
  /// It is empty if there is only one.
  package var name = ""
  package var unit = "ns"
  /// The highest allowed ratio of our cost to the baseline.
  package var bar: Double?
}

/// An error: the workload did not do what it measures.
struct WrongResult: Error, CustomStringConvertible {
  let description: String
}

func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw WrongResult(description: message()) }
}

func require(_ result: Int, equals expected: Int) throws {
  try require(result == expected, "came to \(result) instead of \(expected)")
}
