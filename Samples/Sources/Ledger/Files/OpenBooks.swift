import AsyncStorePersistence

/// The books of a storage, open for changes.
struct OpenBooks {
  let store = AsyncStore(state: Books(), env: ())
  private let persistence: Persistence

  /// Restores the books; they are new if nothing was ever kept.
  ///
  /// - Throws: `PersistenceError` if what is kept is damaged, or was written by a newer version; it is left as it is.
  init(in storage: some Storage) throws {
    persistence = try store.persist(\.self, in: storage, version: 1, saving: .onDemand)
  }

  /// The books as they are now.
  var books: Books { store.state }

  /// Changes the books, and keeps the change for good: it is safe from crashes when this returns.
  ///
  /// - Throws: `LedgerError` if the change is refused, `PersistenceError` if it could not be kept. Everything is as it was then.
  func perform(_ change: JournalAction.Change) throws {
    let before = books
    if case .failed(let error) = store.begin(.performing(change)).status { throw error }
    do {
      try persistence.save()
    } catch {
      store.receive(.set { $0 = before })
      throw error
    }
  }

  /// Ends it: from here on nothing is written any more.
  func close() { persistence.stop() }
}
