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
  package var sizes: [Int] { [100, 1_000, 10_000, 100_000, 1_000_000] }
  package var quickSize: Int { 100 }

  package func repetitions(at size: Int) -> Int { max(1, 10_000 / size) }
}

/// A number that a workload measures for each operation.
package struct Metric: Sendable {
  /// Distinguishes the metrics of one workload.
  ///
  /// It is empty if there is only one.
  package let name: String
  package let unit: String
  /// The highest allowed ratio of our cost to the baseline.
  package let bar: Double?

  package init(name: String = "", unit: String = "ns", bar: Double? = nil) {
    self.name = name
    self.unit = unit
    self.bar = bar
  }
}

/// An error: the workload did not do what it measures.
package struct WrongResult: Error, CustomStringConvertible {
  package let description: String
}

package func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw WrongResult(description: message()) }
}

package func require(_ result: Int, equals expected: Int) throws {
  try require(result == expected, "came to \(result) instead of \(expected)")
}
