import Foundation

/// A place that keeps one value, as bytes that are replaced as a whole.
///
/// Use ``FileStorage``, or conform a type of your own for a database or a server.
///
/// To look at the kept state without a store, use ``load(_:version:migrations:)``.
///
/// Its functions block, and are called on any thread. Only a store that holds ``lock()`` writes, on one thread at a
/// time. Meanwhile others may call `lock`, to be refused, and ``load(_:version:migrations:)`` may call `read`.
///
/// A storage that wants to stop the store that it saves, because its database is lost, does so in a task: `deactivate`
/// and ``Persistence/stop()`` save once more, and wait for the storage to return. Called in one of its functions they
/// trap, like ``Persistence/save()``.
public protocol Storage: Sendable {
  /// The name in errors, for example a path; a store saves at most one part of its state under one name.
  var name: String { get }

  /// Returns the data that was written last, or `nil` if there is none.
  ///
  /// It is also called before each write: a store overwrites only data that it saved or read itself.
  ///
  /// - Throws: ``PersistenceError`` with the code `missing` if the written data is gone and an older version is there;
  ///   any error if it can't be read.
  func read() throws -> Data?

  /// Replaces the kept data.
  ///
  /// All or nothing: whenever the process ends, the storage has either the old data or the new. Once this has returned,
  /// the new data is there for good. If it throws, it may be either; the caller reads or writes again before it relies
  /// on one of them.
  func write(_ data: Data) throws

  /// Replaces kept data that was found to be damaged, as ``write(_:)`` does.
  ///
  /// By default it calls `write`. Keep the damaged data elsewhere if you can, and leave older versions alone.
  func replaceDamaged(_ data: Data) throws

  /// Locks the storage, so that nobody else writes to it.
  ///
  /// A store takes the lock before it reads the data to restore, and holds it until its saving ends. By default the
  /// lock keeps nobody out.
  ///
  /// - Throws: ``PersistenceError`` with the code `inUse`, at once, if somebody else has it; the description names the
  ///   owner.
  func lock() throws -> StorageLock
}

extension Storage {
  /// Replaces the data as ``write(_:)`` does.
  public func replaceDamaged(_ data: Data) throws { try write(data) }

  /// Returns a lock that keeps nobody out.
  public func lock() throws -> StorageLock { StorageLock {} }
}
