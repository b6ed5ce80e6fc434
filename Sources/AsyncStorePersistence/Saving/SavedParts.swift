import Synchronization

/// The storages that the stores of this process save to.
///
/// A store saves no two parts to one storage: each save of one would be the end of the other.
enum SavedParts {
  private struct Part {
    weak var store: AnyAsyncStore?
    let storage: String
  }

  private static let parts = Mutex<[Part]>([])

  /// Notes a storage for a store.
  ///
  /// - Throws: ``PersistenceError`` with the code `inUse` if it is noted already.
  static func add(_ storage: String, of store: AnyAsyncStore) throws {
    let isNew = parts.withLock { parts in
      parts.removeAll { $0.store == nil }
      if parts.contains(where: { $0.store === store && $0.storage == storage }) { return false }
      parts.append(Part(store: store, storage: storage))
      return true
    }
    if isNew { return }
    throw PersistenceError(
      .inUse, storage: storage,
      "This store saves a part of its state to \(storage) already. Give each part a storage of its own, or stop the other saving."
    )
  }

  static func remove(_ storage: String, of store: AnyAsyncStore) {
    parts.withLock { $0.removeAll { $0.store === store && $0.storage == storage } }
  }
}
