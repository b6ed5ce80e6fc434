import AsyncStorePersistence
import Foundation
import Synchronization

/// A storage that a test can inspect, and cause to fail.
final class MemoryStorage: Storage {
  struct Broken: Error {}

  private struct State {
    var data: Data?
    var writes: [Data] = []
    /// The number of writes that are still to fail, and the number that have failed.
    var failures = 0
    var failed = 0
  }

  let name: String
  private let state: Mutex<State>
  private let attempts = AsyncStream.makeStream(of: Bool.self)

  init(_ data: Data? = nil, failures: Int = 0, name: String = "memory") {
    self.name = name
    state = Mutex(State(data: data, failures: failures))
  }

  var data: Data? { state.withLock { $0.data } }
  var writes: [Data] { state.withLock { $0.writes } }

  /// The number of writes that have failed.
  var failures: Int { state.withLock { $0.failed } }

  func fail(times count: Int) { state.withLock { $0.failures = count } }

  func read() -> Data? { data }

  func write(_ data: Data) throws {
    let isWritten = state.withLock { state in
      if state.failures > 0 {
        state.failures -= 1
        state.failed += 1
        return false
      }
      state.data = data
      state.writes.append(data)
      return true
    }
    attempts.continuation.yield(isWritten)
    if !isWritten { throw Broken() }
  }

  /// Waits until something more has been written.
  func written() async {
    for await isWritten in attempts.stream where isWritten { return }
  }

  /// The value that was written last.
  func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value? {
    guard let data, let end = data.firstIndex(of: 0x0A) else { return nil }
    return try JSONDecoder().decode(type, from: data[(end + 1)...])
  }
}
