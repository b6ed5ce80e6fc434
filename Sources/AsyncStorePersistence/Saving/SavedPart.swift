import AsyncStore
import Synchronization

/// A part of a store's state that is saved to a storage, until the part is removed or released.
///
/// A store saves no two parts to one storage, because each save of one would overwrite the other.
final class SavedPart: Sendable {
  private struct Entry {
    weak var store: AnyAsyncStore?
    let storage: String
    let key: Int
  }

  /// The parts that the stores of this process save, by the address of the store.
  ///
  /// By now, another store may have that address.
  private static let entries = Mutex((parts: [ObjectIdentifier: [Entry]](), lastKey: 0))

  private let address: ObjectIdentifier
  private let key: Int

  /// Reserves a storage for a store.
  ///
  /// - Throws: ``PersistenceError`` with the code `inUse` if the storage is already reserved.
  init(_ storage: String, of store: AnyAsyncStore) throws {
    let address = ObjectIdentifier(store)
    let key: Int? = Self.entries.withLock { entries in
      // No reference to another store is taken, not even for a moment: it could become the last one, and that store
      // would end on this thread. Two spellings of a character make two files.
      let isTaken = entries.parts[address]?.contains { part in
        part.store === store && part.storage.utf8.elementsEqual(storage.utf8)
      }
      if isTaken == true { return nil }
      entries.lastKey += 1
      entries.parts[address, default: []].append(Entry(store: store, storage: storage, key: entries.lastKey))
      return entries.lastKey
    }
    guard let key else {
      throw PersistenceError(
        .inUse, storage: storage,
        "This store saves a part of its state to \(storage) already. "
          + "Give each part a storage of its own, or stop the other saving."
      )
    }
    self.address = address
    self.key = key
  }

  deinit { remove() }

  /// Frees the storage for another part; a second call does nothing.
  func remove() {
    Self.entries.withLock { entries in
      entries.parts[address]?.removeAll { $0.key == key }
      if entries.parts[address]?.isEmpty == true { entries.parts[address] = nil }
    }
  }
}
