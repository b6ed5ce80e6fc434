import AsyncStoreActions

/// Books that are open for changes.
struct OpenBooks {
  let store: AsyncStore<Books, Void>
  private let keep: (JournalAction.Change, Journal.Position) throws -> Void

  /// - Parameter keep: keeps an action and the position in the journal that it led to, for good, or throws.
  init(_ books: Books, keep: @escaping (JournalAction.Change, Journal.Position) throws -> Void) {
    store = AsyncStore(state: books, env: ())
    self.keep = keep
  }

  /// The books as they are now.
  var books: Books { store.state }

  /// Changes the books, and keeps the change for good: it is safe from crashes when this returns.
  ///
  /// - Throws: `LedgerError` if the change is refused, `PersistenceError` if it could not be kept. Everything is as it
  ///   was then.
  func perform(_ change: JournalAction.Change) throws {
    let before = books
    if case .failed(let error) = store.begin(.performing(change)).status { throw error }
    do {
      try keep(change, books.journal.position)
    } catch {
      store.receive(.set { $0 = before })
      throw error
    }
  }
}
