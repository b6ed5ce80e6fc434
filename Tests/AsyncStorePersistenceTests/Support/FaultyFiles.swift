import AsyncStorePersistence
import Foundation
import Synchronization

/// The operating system's files, with one failing operation.
final class FaultyFiles: FileOperations {
  /// The ways in which an operation fails.
  enum Fault: CaseIterable {
    /// The operation does nothing.
    case before
    /// The operation writes half of the data.
    case between
    /// The operation succeeds, and reports an error all the same.
    case after
  }

  private struct State {
    var operations = 0
    var failing: (operation: Int, fault: Fault)?
  }

  private let files = SystemFiles()
  private let state = Mutex(State())

  /// The number of operations so far that change something.
  var operations: Int { state.withLock { $0.operations } }

  /// Makes one operation fail, counted from 0 from now on.
  func fail(at operation: Int, _ fault: Fault) {
    state.withLock { $0.failing = ($0.operations + operation, fault) }
  }

  func heal() { state.withLock { $0.failing = nil } }

  private func change<Result>(_ half: () throws -> Void = {}, _ body: () throws -> Result) throws -> Result {
    let fault = state.withLock { state in
      defer { state.operations += 1 }
      return state.failing.flatMap { $0.operation == state.operations ? $0.fault : nil }
    }
    let error = FileError.failed(call: "test", path: "", reason: "No space left on device")
    switch fault {
    case nil: return try body()
    case .before: throw error
    case .between:
      try half()
      throw error
    case .after:
      _ = try body()
      throw error
    }
  }

  var owner: String { files.owner }
  func resolve(_ path: String) throws -> String { try files.resolve(path) }
  func exists(_ path: String) throws -> Bool { try files.exists(path) }
  func read(_ path: String, limit: Int) throws -> Data? { try files.read(path, limit: limit) }
  func names(in directory: String) throws -> [String] { try files.names(in: directory) }
  func lock(_ path: String, owner: String) throws -> StorageLock { try files.lock(path, owner: owner) }

  func create(_ path: String, _ data: Data, like model: String) throws {
    try change {
      try files.create(path, data.prefix(data.count / 2), like: model)
    } _: {
      try files.create(path, data, like: model)
    }
  }
  func link(_ path: String, as other: String) throws { try change { try files.link(path, as: other) } }
  func rename(_ path: String, to other: String) throws { try change { try files.rename(path, to: other) } }
  func remove(_ path: String) throws { try change { try files.remove(path) } }
  func makeDirectory(_ path: String) throws { try change { try files.makeDirectory(path) } }
  func syncDirectory(_ path: String) throws { try change { try files.syncDirectory(path) } }
}
