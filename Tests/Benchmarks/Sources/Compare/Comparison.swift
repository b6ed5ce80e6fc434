import Workloads

/// Both sides of a workload at one size.
struct Comparison {
  let workload: any Workload
  let size: Int
  let metric: Metric
  let ours: Spread
  let baseline: Spread
  /// The ratio of our cost at this size to our cost at the smallest size.
  var growth = 1.0

  var name: String { metric.name.isEmpty ? workload.name : "\(workload.name) \(metric.name)" }
  var ratio: Double { baseline.median == 0 ? (ours.median == 0 ? 1 : .infinity) : ours.median / baseline.median }
  var isAtBarSize: Bool { size == workload.barSize }
  var meetsBar: Bool? { metric.bar.map { ratio <= $0 } }
}

/// The median, minimum and maximum of several runs.
struct Spread {
  let median: Double
  let minimum: Double
  let maximum: Double

  init(_ samples: [Double]) {
    let sorted = samples.sorted()
    let middle = sorted.count / 2
    median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    minimum = sorted[0]
    maximum = sorted[sorted.count - 1]
  }
}

extension Workload {
  /// Runs both sides in turns, after one run of each that is not counted.
  func compare(at size: Int, runs: Int) async throws -> [Comparison] {
    _ = try await ours(size)
    _ = try await baseline(size)
    var samples: [(ours: [Double], baseline: [Double])] = []
    for _ in 0..<runs {
      let ours = try await mean(at: size, ours)
      samples.append((ours, try await mean(at: size, baseline)))
    }
    return metrics.indices.map { index in
      Comparison(
        workload: self, size: size, metric: metrics[index], ours: Spread(samples.map { $0.ours[index] }),
        baseline: Spread(samples.map { $0.baseline[index] }))
    }
  }

  private func mean(at size: Int, _ side: (Int) async throws -> [Double]) async throws -> [Double] {
    let repetitions = repetitions(at: size)
    var sums = metrics.map { _ in 0.0 }
    for _ in 0..<repetitions {
      for (index, value) in try await side(size).enumerated() { sums[index] += value }
    }
    return sums.map { $0 / Double(repetitions) }
  }
}
