import Foundation

/// A place that keeps one value, as bytes that are replaced as a whole.
///
/// Use ``FileStorage``, or conform a type of your own for a database or a server.
///
/// To look at the stored state without a store, use ``load(_:version:migrations:)``.
///
/// The functions of a storage block, and are called on any thread. Only a store that holds ``lock()`` writes, on one
/// thread at a time. Meanwhile, others may call `lock`, and be refused, and ``load(_:version:migrations:)`` may call
/// `read`.
///
/// If a storage has to stop the store that it saves, for example because its database is lost, it must do so in a task:
/// `deactivate` and ``Persistence/stop()`` save once more, and wait for the storage to return. Called in one of the
/// storage's functions, they trap, like ``Persistence/save()``.
public protocol Storage: Sendable {
  /// The name in errors, for example a path. A store saves at most one part of its state under one name.
  var name: String { get }

  /// Returns the data that was last written, or `nil` if there is none.
  ///
  /// A store also calls this before each write: it overwrites only data that it saved or read itself.
  ///
  /// - Throws: ``PersistenceError`` with the code `missing` if the written data is gone and an older version exists;
  ///   any error if the data can't be read.
  func read() throws -> Data?

  /// Replaces the stored data.
  ///
  /// All or nothing: whenever the process ends, the storage has either the old data or the new data. Once this has
  /// returned, the new data is there for good. If this throws, the storage may have either; the caller reads or writes
  /// again before it relies on one of them.
  func write(_ data: Data) throws

  /// Replaces stored data that was found to be damaged, like ``write(_:)``.
  ///
  /// The default implementation calls `write`. Keep the damaged data elsewhere if you can, and leave older versions
  /// alone.
  func replaceDamaged(_ data: Data) throws

  /// Locks the storage, so that nobody else writes to it.
  ///
  /// A store takes the lock before it reads the data to restore, and holds it until its saving ends. The default lock
  /// keeps nobody out.
  ///
  /// - Throws: ``PersistenceError`` with the code `inUse`, at once, if somebody else has the lock; the description
  ///   names the owner.
  func lock() throws -> StorageLock
}

extension Storage {
  /// Replaces the data, like ``write(_:)``.
  public func replaceDamaged(_ data: Data) throws { try write(data) }

  /// Returns a lock that keeps nobody out.
  public func lock() throws -> StorageLock { StorageLock {} }
}
