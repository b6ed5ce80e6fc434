import AsyncStore

/// The state of most tests: numbers, and lines in the order in which they were committed.
struct Journal: Sendable, Equatable {
  var count = 0
  var other = 0
  var log: [String] = []
}

typealias JournalStore = AsyncStore<Journal, Void>

struct Failure: Error, Equatable, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

extension AsyncStore.Effect where State == Journal, Env == Void {
  /// Writes a line.
  static func log(_ line: String, file: StaticString = #fileID, at number: UInt = #line) -> Self {
    .append(line, to: \.log, file: file, line: number)
  }

  static func log(_ line: some CustomStringConvertible) -> Self { .log(line.description) }

  /// A task that writes a line.
  static func logTask(_ line: String) -> Self { .task { .log(line) } }

  /// A task that waits at a gate, cancelled or not, and then writes a line.
  static func logTask(_ line: String, after gate: Gate) -> Self {
    .task {
      await gate.wait()
      return .log(line)
    }
  }

  static func fail(_ description: String) -> Self { .task { throw Failure(description) } }
}
