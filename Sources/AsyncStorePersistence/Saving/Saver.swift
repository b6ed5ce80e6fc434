import Foundation
import Synchronization

/// Writes one value after the other to a storage, never an older one over a newer one.
final class Saver<Value: Codable & Sendable>: Sendable {
  private struct State {
    /// What is in the storage, as far as this process knows.
    var saved: Data?
    /// The number of the newest value that was given to the storage.
    var newest = 0
  }

  private let storage: any Storage
  private let coding: Coding<Value>
  /// Held while the storage is written.
  private let state = Mutex(State())
  private let lastNumber = Atomic<Int>(0)
  private let failure = Mutex<PersistenceError?>(nil)

  init(_ storage: any Storage, _ coding: Coding<Value>) {
    self.storage = storage
    self.coding = coding
  }

  var lastFailure: PersistenceError? { failure.withLock { $0 } }

  /// The value that is kept, or `nil` if there is none yet.
  func load() throws -> Value? {
    try state.withLock { state in
      guard let data = try storage.read() else { return nil }
      let value = try coding.decode(data, from: storage.name)
      state.saved = data
      return value
    }
  }

  /// The number of the next value; called in the order of the commits.
  func nextNumber() -> Int { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Writes a value, unless a newer one has been written, or an equal one.
  func save(_ value: Value, number: Int) throws {
    do {
      let data = try coding.encode(value, for: storage.name)
      try state.withLock { state in
        guard number > state.newest else { return }
        if data != state.saved {
          try storage.write(data)
          state.saved = data
        }
        state.newest = number
      }
      failure.withLock { $0 = nil }
    } catch {
      let error =
        error as? PersistenceError
        ?? PersistenceError(.notWritable, storage: storage.name, "\(storage.name) can't be written: \(error)")
      failure.withLock { $0 = error }
      throw error
    }
  }
}
