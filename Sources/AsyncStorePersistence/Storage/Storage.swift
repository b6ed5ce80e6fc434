import Foundation

/// A place for a state: one value of bytes that is replaced as a whole.
///
/// ``FileStorage`` is the one to use; conform a type of your own for a database or a server.
///
/// To look at what is kept without a store, use ``load(_:version:migrations:)``.
///
/// Its functions block, and are called on any thread. Only a store that holds ``lock()`` writes, on one thread at a
/// time. Meanwhile others may call `lock`, to be refused, and ``load(_:version:migrations:)`` may call `read`.
public protocol Storage: Sendable {
  /// The name in errors; a path for example. One store keeps one part of its state in a storage of one name.
  var name: String { get }

  /// The data that was written last, or `nil` if there is none.
  ///
  /// It is called before each write, too: a store saves over nothing but what it saved or read itself.
  ///
  /// - Throws: ``PersistenceError`` with the code `missing` if what was written is gone and an older version is there;
  ///   anything else if it can't be read.
  func read() throws -> Data?

  /// Replaces what is kept.
  ///
  /// All or nothing: whenever the process ends, either the old data or the new is kept. When it returns the new data is
  /// kept for good. When it throws it may be either; the caller reads or writes again before it relies on one of them.
  func write(_ data: Data) throws

  /// Replaces what is kept and found to be damaged, as ``write(_:)`` does.
  ///
  /// By default it is `write`. Keep the damaged data elsewhere if you can, and older versions as they are.
  func replaceDamaged(_ data: Data) throws

  /// Keeps others from writing.
  ///
  /// A store takes the lock before it reads what it restores, and holds it until its saving ends. By default it keeps
  /// nobody out.
  ///
  /// - Throws: ``PersistenceError`` with the code `inUse`, at once, if somebody else has it; the description names the
  ///   owner.
  func lock() throws -> StorageLock
}

extension Storage {
  /// Writes as ``write(_:)`` does.
  public func replaceDamaged(_ data: Data) throws { try write(data) }

  /// Keeps nobody out.
  public func lock() throws -> StorageLock { StorageLock {} }
}
