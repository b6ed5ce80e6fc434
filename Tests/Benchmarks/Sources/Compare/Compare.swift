import ArgumentParser
import Client
import Workloads

@main
struct Compare: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the store's workloads in turns with their hand-written counterparts.")

  @Flag(help: "Print an array of objects instead of a table.")
  var json = false

  @Option(help: "Run one workload, or all of its variants: P5, P5a.")
  var only: String?

  @Flag(help: "Small sizes and few runs: checks that everything works; the times mean nothing.")
  var quick = false

  @Option(help: "How many runs count.")
  var runs = 7

  @Option(help: "Run this size and no other.")
  var size: Int?

  @Option(help: "Run this side once, for a profiler: ours or baseline. Prints nothing.")
  var side: Side?

  enum Side: String, ExpressibleByArgument { case ours, baseline }

  func validate() throws {
    guard runs > 0 else { throw ValidationError("At least 1 run has to count, not \(runs).") }
    guard !selection.isEmpty else { throw ValidationError("There is no workload \(only ?? "").") }
  }

  func run() async throws {
    if let side { return try await runAlone(side) }
    var comparisons: [Comparison] = []
    if !json { print(Report.header) }
    for workload in selection {
      if !json { print("\(workload.name): \(workload.title) / \(workload.counterpart)") }
      var smallest: [Comparison] = []
      for size in sizes(of: workload) {
        var results = try await workload.compare(at: size, runs: quick ? 2 : runs)
        if smallest.isEmpty { smallest = results }
        for index in results.indices {
          let first = smallest[index].ours.median
          results[index].growth = first == 0 ? 1 : results[index].ours.median / first
          if !json { print(Report.line(results[index])) }
        }
        comparisons += results
      }
    }
    print(json ? try Report.json(comparisons) : Report.footer)
  }

  private var selection: [any Workload] {
    let all = workloads + clientWorkloads
    guard let only else { return all }
    return all.filter { $0.name.hasPrefix(only) && $0.name.dropFirst(only.count).allSatisfy(\.isLetter) }
  }

  private func sizes(of workload: any Workload) -> [Int] {
    if let size { return [size] }
    return quick ? [workload.quickSize] : workload.sizes
  }

  private func runAlone(_ side: Side) async throws {
    for workload in selection {
      let size = size ?? workload.barSize
      switch side {
      case .ours: _ = try await workload.ours(size)
      case .baseline: _ = try await workload.baseline(size)
      }
    }
  }
}
