import AsyncStoreActions

/// Books that are open for changes.
struct OpenBooks {
  private let store: AsyncStore<Books, Void>
  private let keep: ([KeptChange]) throws -> Void

  /// - Parameter keep: keeps changes, for good and all of them, or throws.
  init(_ books: Books, keep: @escaping ([KeptChange]) throws -> Void) {
    store = AsyncStore(state: books, env: ())
    self.keep = keep
  }

  /// The books as they are now.
  var books: Books { store.state }

  /// Changes the books, and keeps the change for good: it is safe from crashes when this returns.
  ///
  /// - Throws: `LedgerError` if the change is refused, `PersistenceError` if it could not be kept. The books are then
  ///   as they were, and so is the kept data, unless the error's description says that it may have the change.
  func perform(_ change: JournalAction.Change) throws {
    if let refusal = try perform([change]).refusal { throw refusal }
  }

  /// Changes the books several times, up to the first change that is refused, and keeps all the changes at once.
  ///
  /// - Returns: the number of changes that were made, which are safe from crashes now, and the reason why the next one
  ///   was refused.
  /// - Throws: `PersistenceError` if they could not be kept; as for a single change.
  /// - Complexity: linear in the changes; if they could not be kept, linear in all actions of the log.
  func perform(_ changes: [JournalAction.Change]) throws -> (count: Int, refusal: LedgerError?) {
    // Changes the books in place, because a transaction would copy all of them for each change.
    let update = store.update { books in
      var made: [KeptChange] = []
      do throws(LedgerError) {
        for change in changes {
          try books.perform(change)
          made.append(KeptChange(change: change, position: books.journal.position))
        }
        return (made, nil as LedgerError?)
      } catch {
        return (made, error)
      }
    }
    guard let (made, refusal) = update else { preconditionFailure("the store of open books is not active") }
    do {
      if !made.isEmpty { try keep(made) }
    } catch {
      store.receive(.set { $0.goBack(to: $0.log.count - made.count) })
      throw error
    }
    return (made.count, refusal)
  }
}

/// A change of the journal, and the position that it led to.
struct KeptChange: Sendable {
  let change: JournalAction.Change
  let position: Journal.Position
}
