import Synchronization

/// The storages that the stores of this process save to.
///
/// A store saves no two parts to one storage, because each save of one would overwrite the other.
enum SavedParts {
  private struct Part {
    weak var store: AnyAsyncStore?
    let storage: String
    let key: Int
  }

  private static let state = Mutex((parts: [Part](), lastKey: 0))

  /// Notes a storage for a store.
  ///
  /// - Returns: the key by which to remove it.
  /// - Throws: ``PersistenceError`` with the code `inUse` if it is noted already.
  static func add(_ storage: String, of store: AnyAsyncStore) throws -> Int {
    // Kept beyond the lock: a reference that is taken here may become the last one, and the store's end comes back.
    var stores: [AnyAsyncStore] = []
    let key: Int? = state.withLock { state in
      state.parts.removeAll { part in
        guard let store = part.store else { return true }
        stores.append(store)
        return false
      }
      // Two spellings of a character make two files.
      let isTaken = state.parts.contains { $0.store === store && $0.storage.utf8.elementsEqual(storage.utf8) }
      if isTaken { return nil }
      state.lastKey += 1
      state.parts.append(Part(store: store, storage: storage, key: state.lastKey))
      return state.lastKey
    }
    if let key = withExtendedLifetime(stores, { key }) { return key }
    throw PersistenceError(
      .inUse, storage: storage,
      "This store saves a part of its state to \(storage) already. Give each part a storage of its own, or stop the other saving."
    )
  }

  /// Removes a storage; does nothing the second time.
  static func remove(_ key: Int) { state.withLock { $0.parts.removeAll { $0.key == key } } }
}
