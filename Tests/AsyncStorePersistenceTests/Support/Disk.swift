import AsyncStorePersistence
import Foundation
import Synchronization

/// A disk that records the changes made to it, and computes what a power failure may leave of them.
///
/// The content of a file is on the disk once the file has been synced, its name once the directory has been synced.
/// Names that have not been synced may be lost, from some point on. A content that has not been synced may be any part
/// of the written data.
final class Disk: FileOperations {
  private enum Change {
    case create(String, Data)
    case link(String, String)
    case rename(String, String)
    case remove(String)
    case sync
  }

  private struct State {
    var changes: [Change] = []
    var files: [String: Data] = [:]
  }

  private let hasLinks: Bool
  private let state: Mutex<State>

  init(hasLinks: Bool, files: [String: Data] = [:]) {
    self.hasLinks = hasLinks
    state = Mutex(State(files: files))
  }

  /// The number of changes so far.
  var steps: Int { state.withLock { $0.changes.count } }
  var contents: [String: String] { state.withLock { $0.files.mapValues { String(decoding: $0, as: UTF8.self) } } }

  /// Returns the possible disks after a power failure that came after this number of changes, or during the next one.
  func remains(afterFailureAt step: Int) -> [Disk] {
    let changes = Array(state.withLock { $0.changes }[..<step])
    let synced = changes.lastIndex { if case .sync = $0 { true } else { false } }.map { $0 + 1 } ?? 0
    var remains: [Disk] = []
    for end in synced...changes.count {
      var files: [String: Data] = [:]
      for change in changes[..<end] { Self.apply(change, to: &files) }
      remains.append(Disk(hasLinks: hasLinks, files: files))
      // A new file that was being written.
      if !changes[..<end].isEmpty, case .create(let path, _) = changes[end - 1] {
        files[path] = Data("torn".utf8)
        remains.append(Disk(hasLinks: hasLinks, files: files))
      }
    }
    return remains
  }

  private func perform(_ change: Change) {
    state.withLock { state in
      state.changes.append(change)
      Self.apply(change, to: &state.files)
    }
  }

  private static func apply(_ change: Change, to files: inout [String: Data]) {
    switch change {
    case .create(let path, let data): files[path] = data
    case .link(let path, let other): files[other] = files[path]
    case .rename(let path, let other):
      files[other] = files[path]
      files[path] = nil
    case .remove(let path): files[path] = nil
    case .sync: break
    }
  }

  // MARK: The operations

  var owner: String { "" }
  func resolve(_ path: String) -> String { path }
  func exists(_ path: String) -> Bool { state.withLock { $0.files[path] != nil } }
  func read(_ path: String, limit: Int) -> Data? { state.withLock { $0.files[path] } }
  func names(in directory: String) -> [String] { state.withLock { $0.files.keys.map { String($0.dropFirst()) } } }
  func create(_ path: String, _ data: Data, like model: String) { perform(.create(path, data)) }

  func link(_ path: String, as other: String) throws {
    guard hasLinks else { throw FileError.notSupported }
    try find(path, "link")
    perform(.link(path, other))
  }

  func rename(_ path: String, to other: String) throws {
    try find(path, "rename")
    perform(.rename(path, other))
  }

  func remove(_ path: String) { perform(.remove(path)) }
  func makeDirectory(_ path: String) {}
  func syncDirectory(_ path: String) { perform(.sync) }
  func lock(_ path: String, owner: String) -> StorageLock { StorageLock {} }

  private func find(_ path: String, _ call: String) throws {
    let exists = state.withLock { $0.files[path] != nil }
    if !exists { throw FileError.failed(call: call, path: path, reason: "no such file") }
  }
}
