import AsyncStoreTesting
import Synchronization
import SystemPackage

@testable import Dupes

/// A file system that the test makes up, with what goes wrong with it, and a record of what was done to it.
final class FakeFileSystem: Sendable {
  private struct Content {
    var tree = FakeTree()
    var failures: [FilePath: [Errno?]] = [:]
    var faults: [FilePath: Faults] = [:]
    var attempts: [FilePath: Int] = [:]
    var open = 0
    var mostOpen = 0
    var bytesRead = 0
  }

  private let content = Mutex(Content())
  private let faults: Faults?

  /// - Parameters:
  ///   - files: the texts of files by their paths; these name the folders too.
  ///   - faults: what goes wrong with every operation; by default nothing.
  init(_ files: [String: String] = [:], faults: Faults? = nil) {
    self.faults = faults
    // In an order: it decides on the order of a folder's names.
    change { tree in
      for (path, text) in files.sorted(by: { $0.key < $1.key }) { tree.addFile(FilePath(path), text) }
    }
  }

  func change(_ body: (inout FakeTree) -> Void) { content.withLock { body(&$0.tree) } }

  // MARK: What goes wrong

  /// Has the next operations on a path fail, one after the other; `nil`: that one goes well.
  func fail(_ path: FilePath, with errors: Errno?...) { content.withLock { $0.failures[path] = errors } }

  /// Has all operations on a path go wrong in their own way.
  func give(_ faults: Faults, to path: FilePath) { content.withLock { $0.faults[path] = faults } }

  // MARK: What was done to it

  var openCount: Int { content.withLock { $0.open } }
  var mostOpenCount: Int { content.withLock { $0.mostOpen } }
  var bytesRead: Int { content.withLock { $0.bytesRead } }
  func attempts(at path: FilePath) -> Int { content.withLock { $0.attempts[path] ?? 0 } }

  // MARK: The environment

  var fileSystem: FileSystem {
    FileSystem(
      entry: { path in try await self.use(path) { try $0.tree.entry(path) } },
      list: { folder in try await self.use(folder.path) { try $0.tree.listing(of: folder.path) } },
      read: { file, offset, count in
        try await self.use(file.path) { content in
          let bytes = try content.tree.bytes(of: file, from: offset, count: count)
          content.bytesRead += bytes.count
          return bytes
        }
      }
    )
  }

  /// Opens, goes wrong or does something, and closes.
  private func use<Value: Sendable>(
    _ path: FilePath, _ operation: @Sendable (inout Content) throws -> Value
  ) async throws -> Value {
    let (faults, failure) = begin(path)
    defer { content.withLock { $0.open -= 1 } }
    do {
      try await faults?.strike()
    } catch is InjectedFailure {
      throw FileError(path, .system(.ioError))
    }
    if let failure { throw FileError(path, .system(failure)) }
    return try content.withLock { try operation(&$0) }
  }

  private func begin(_ path: FilePath) -> (Faults?, Errno?) {
    content.withLock { content in
      content.open += 1
      content.mostOpen = max(content.mostOpen, content.open)
      content.attempts[path, default: 0] += 1
      let isScripted = content.failures[path]?.isEmpty == false
      let failure = isScripted ? content.failures[path]?.removeFirst() : nil
      return (content.faults[path] ?? faults, failure ?? nil)
    }
  }
}
