import Client
import Foundation
import InstructionCounter
import SingleThread
import Workloads

/// Prints a line for each row that its arguments name, or for all.
///
/// A line has the row's name, then instructions and allocations for one operation, ours and by hand, then the bars, with
/// tabs between. `Tests/Benchmarks/instructions` makes the table of it.
@main
enum Count {
  static func main() {
    guard instruction_counter_prepare() else { fail("Instructions are counted on Linux on x86-64 only.") }
    let names = CommandLine.arguments.dropFirst()
    let rows = (CountedRow.ofWorkloads + CountedRow.ofClients).filter { row in
      names.isEmpty || names.contains { row.name.hasPrefix($0) }
    }
    guard !rows.isEmpty else { fail("There is no row \(names.joined(separator: ", ")).") }
    print("glibc \(String(cString: instruction_counter_library()))")
    single_thread_start()
    // Off the main actor, which has a queue of its own.
    Task.detached {
      do {
        for row in rows {
          print(try await line(row))
          fflush(nil)
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
