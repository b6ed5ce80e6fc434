import Foundation

/// Where a state is kept: one value of bytes that is replaced as a whole.
///
/// ``FileStorage`` is the one to use; conform a type of your own for a database or a server.
///
/// To look at what is kept without a store, use ``load(_:version:migrations:)``.
///
/// Its functions block, and are called on one thread at a time.
public protocol Storage: Sendable {
  /// What errors call it; a path for example.
  var name: String { get }

  /// What was written last, or `nil` if nothing ever was.
  func read() throws -> Data?

  /// Replaces what is kept.
  ///
  /// All or nothing: whenever the process ends, either the old data or the new is kept. When it returns the new data is kept
  /// for good.
  func write(_ data: Data) throws
}
