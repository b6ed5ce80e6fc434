import Client
import Foundation
import InstructionCounter
import SingleThread
import Workloads

/// Prints the version of the C library and the names of the rows, or a line for the row that its argument names.
///
/// A line has the row's name, then instructions and allocations for one operation, ours and by hand, then the bars,
/// with tabs between. `Tests/Benchmarks/instructions` makes the table of it, with a process for each row. With
/// `--profile` behind the name, there is a line for each instruction that one operation of ours executes: the file that
/// it was loaded from, its place there, and how often it was executed.
@main
enum Count {
  static func main() {
    guard instruction_counter_prepare() else { fail("Instructions are counted on Linux on x86-64 only.") }
    let rows = CountedRow.ofWorkloads + CountedRow.ofClients
    guard let name = CommandLine.arguments.dropFirst().first else {
      print("glibc \(String(cString: instruction_counter_library()))")
      for row in rows { print(row.name) }
      return
    }
    guard let row = rows.first(where: { $0.name == name }) else { fail("There is no row \(name).") }
    single_thread_start()
    // Off the main actor, which has a queue of its own.
    Task.detached {
      do {
        if CommandLine.arguments.contains("--profile") {
          try await profile(row)
        } else {
          print(try await line(row))
        }
        exit(0)
      } catch {
        fail("\(error)")
      }
    }
    single_thread_run()
    fail("A row waits for something that never comes.")
  }

  private static func line(_ row: CountedRow) async throws -> String {
    let ours = try await cost(row) { try await row.ours($0) }
    let byHand = row.countsByHand ? try await cost(row) { try await row.byHand($0) } : ["", ""]
    let bars = [row.bar.map { "\($0)" } ?? "", row.ratioBar.map { "\($0)" } ?? ""]
    return ([row.name] + ours + byHand + bars).joined(separator: "\t")
  }

  /// Prints where the instructions of the larger size are.
  private static func profile(_ row: CountedRow) async throws {
    let size = row.sizes.upperBound
    instruction_counter_disable()
    try await row.ours(size)
    instruction_counter_profile(row.stretch.index)
    instruction_counter_enable()
    try await row.ours(size)
    let operations = Double(size * row.operations / row.sizes.count)
    for place in 0..<instruction_counter_places() {
      let executed = instruction_counter_executed(place)
      var base: UInt = 0
      guard executed.count > 0, let file = instruction_counter_module(executed.address, &base) else { continue }
      print("\(String(cString: file))\t\(executed.address - base)\t\(Double(executed.count) / operations)")
    }
  }

  /// Returns instructions and allocations for one operation.
  private static func cost(_ row: CountedRow, _ run: (_ size: Int) async throws -> Void) async throws -> [String] {
    // What is made once in a process is made by a run that is not counted.
    instruction_counter_disable()
    try await run(row.sizes.upperBound)
    let small = try await count(row, row.sizes.lowerBound, run)
    let large = try await count(row, row.sizes.upperBound, run)
    return [
      each(row, Int(large.instructions) - Int(small.instructions)),
      each(row, Int(large.allocations) - Int(small.allocations)),
    ]
  }

  private static func each(_ row: CountedRow, _ count: Int) -> String { "\(Double(count) / Double(row.operations))" }

  private static func count(
    _ row: CountedRow, _ size: Int, _ run: (_ size: Int) async throws -> Void
  ) async throws -> InstructionCount {
    instruction_counter_enable()
    try await run(size)
    guard instruction_counter_length() == row.stretch.of else { fail("\(row.name) counts more than it names.") }
    return instruction_counter_count(row.stretch.index)
  }

  private static func fail(_ message: String) -> Never {
    print("error: \(message)")
    exit(1)
  }
}
