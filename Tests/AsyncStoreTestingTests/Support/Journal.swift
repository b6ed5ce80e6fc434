import AsyncStore
import Synchronization

/// The state of most tests: a number, and lines in the order in which they were committed.
struct Journal: Sendable, Equatable {
  var count = 0
  var log: [String] = []
}

typealias JournalStore = AsyncStore<Journal, Void>

extension AsyncStore.Effect where State == Journal, Env == Void {
  /// Writes a line.
  static func log(_ line: String) -> Self { .append(line, to: \.log) }

  /// An operation that writes a line when it returns.
  static func logTask(_ line: String) -> Self { .task { .log(line) } }
}

/// A value that operations write and a test reads.
final class Note<Value: Sendable>: Sendable {
  private let content: Mutex<Value>

  init(_ value: Value) { content = Mutex(value) }

  var value: Value {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }

  func change(_ body: @Sendable (inout Value) -> Void) { content.withLock { body(&$0) } }
}

extension Note where Value == [String] {
  convenience init() { self.init([]) }

  func add(_ line: String) { change { $0.append(line) } }
}

/// Something goes wrong in a test on purpose.
struct Failure: Error, Equatable {
  var description: String
  init(_ description: String) { self.description = description }
}
