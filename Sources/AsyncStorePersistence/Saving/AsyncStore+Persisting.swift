import AsyncStore
import Foundation
import Synchronization

extension AsyncStore {
  /// Restores a part of the state, and saves it from then on: after changes, and when the store is deactivated.
  ///
  /// The previously saved state is committed before this returns. If the state can't be restored, this throws, and
  /// leaves the saved data as it is. From then on the storage belongs to this store, which holds ``Storage/lock()``
  /// until it is deactivated or the saving is stopped. The store's clock determines when to save; encoding and writing
  /// run in a task of their own, one save at a time. A failed save is reported, and retried with the state at the time
  /// of the retry. Silent changes, which observers are not notified of, are saved like any other.
  ///
  /// The last state is saved before `deactivate` or `shutdown` returns, and before a store whose last reference is
  /// released is gone; in a mutation of another store, before the call that contains the mutation returns. Saving it
  /// blocks the calling thread, and so does reading. It is tried once for each activation. If it fails,
  /// `onFinalFailure` is called, and ``Persistence/save()`` and the end of a later activation try again.
  ///
  /// **Cancellation.** `deactivate` and ``Persistence/stop()`` cancel a save that has not begun to write; a save that
  /// is writing finishes. Cancelling the store's own effects does not cancel a save.
  ///
  /// **Isolation.** A store that is bound to an actor is persisted on that actor.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// struct Notes: Codable, Sendable { var lines: [String] = [] }
  /// let file = FileStorage(folder.appending(path: "tally.state"))
  /// let notes = AsyncStore(state: Notes(), env: ())
  /// try notes.persist(\.self, in: file)
  /// notes.receive(.append("one", to: \.lines))
  /// notes.deactivate()
  /// let others = AsyncStore(state: Notes(), env: ())
  /// try others.persist(\.self, in: file)
  /// // others.lines == ["one"]
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: the part; `\.self` is the whole state.
  ///   - storage: the storage, which holds one part of one store.
  ///   - version: the version of the data that this program writes; 1 or more.
  ///   - migrations: the steps from older versions.
  ///   - isRestored: returns whether a saved value is restored; by default always. A value that is not restored stays
  ///     in the storage until the first save. Runs under no lock.
  ///   - schedule: when a changed state is saved; by default once it has not changed for a second, and at the latest
  ///     ten seconds after a change.
  ///   - retry: when a failed save is retried; by default after 0.1 s, twice that and so on, at most every 30 s. A part
  ///     whose attempts have all failed is tried again once it has changed, by ``Persistence/save()``, and when the
  ///     store is deactivated. A part that can't be encoded and is not `Equatable` counts as changed if its error
  ///     differs.
  ///   - isolation: the caller's isolation; leave it to the compiler.
  ///   - onFailure: returns an effect for each scheduled save that fails, for example to show the failure; by default
  ///     none. Retries do not wait for this effect. A commit of this effect is a change, too, and is saved after the
  ///     retries: if it changes the saved part each time, a storage that always fails is tried again and again, at the
  ///     pace of the schedule.
  ///   - onFinalFailure: called with the error if the last state can't be saved, on the thread that deactivates or
  ///     releases the store, which waits for it; the store accepts no effects by then. By default it prints a line to
  ///     the standard error stream.
  /// - Returns: an object that saves on demand, provides the last failure, and can stop the saving. It may be dropped.
  /// - Throws: ``PersistenceError`` if the saved data is damaged, missing or newer, or can't be migrated or read;
  ///   `inUse` if somebody else saves to the storage, `notWritable` if it can't be locked; `notRestorable` if the store
  ///   is not active, or the caller is not on its actor. The saved data is then left as it is, and never overwritten.
  @discardableResult
  public func persist<Value: Codable & Sendable>(
    _ keyPath: WritableKeyPath<State, Value> & Sendable, in storage: some Storage, version: Int = 1,
    migrations: [Migration] = [], restoring isRestored: (Value) -> Bool = { _ in true },
    saving schedule: SavingSchedule = .debounce(for: .seconds(1)),
    retry: RetrySchedule = .exponential(first: .milliseconds(100)).capped(at: .seconds(30)),
    isolation: isolated (any Actor)? = #isolation,
    onFailure: @escaping @Sendable (PersistenceError) -> Effect = { _ in .none },
    onFinalFailure: (@Sendable (PersistenceError) -> Void)? = nil
  ) throws -> Persistence {
    let name = storage.name
    let saver = Saver<Value>(storage, try Coding(version: version, migrations: migrations, for: name))
    try checkRestorable(name, isolation: isolation)
    let part = try SavedPart(name, of: self)
    let get: @Sendable (borrowing State) -> (Value, Int) = { ($0[keyPath: keyPath], saver.nextNumber()) }
    let weakly = weakReference
    let save = saver.effect(
      { weakly.withState(if: { saver.mayBegin(on: .change) }, get) }, retry, { weakly.receive(onFailure($0)) })
    let saves = ScheduledSaves(in: makeCompanion(), by: schedule, save)
    let listener = SavingListener<State, Value>(
      saver, of: part, get: { $0[keyPath: keyPath] }, request: { saves.request(in: $0) },
      cancel: { saves.cancel(in: $0) },
      onFinalFailure: onFinalFailure ?? { printWarning("AsyncStore: The last state was not saved. \($0.description)") })
    do {
      let value = try saver.open().flatMap { isRestored($0) ? $0 : nil }
      let subscription = listen(listener, isPermanent: true) { _ in
        if value == nil { listener.begin(withRestoring: false) }
      }
      // The store may have been deactivated while the storage was being read.
      guard subscription.phase == .active, restore(value, at: keyPath, listener, isolation: isolation) else {
        listener.stop(isOver: false)
        subscription.end()
        try refuse(name)
      }
      return persistence(of: part, in: name, saver, listener, subscription, get)
    } catch {
      part.remove()
      saver.stop()
      saver.close()
      throw error
    }
  }
}

extension Saver {
  /// Returns an effect that saves the part as it is when the effect is reached, and retries by the schedule.
  fileprivate func effect(
    _ read: @escaping @Sendable () -> (Value, Int)?, _ retry: RetrySchedule,
    _ onFailure: @escaping @Sendable (PersistenceError) -> Void
  ) -> AsyncStore<Void, Void>.Effect {
    .task {
      guard let (value, number) = read() else { return .none }
      do {
        try self.save(value, number: number, on: .change)
        return .none
      } catch let error as PersistenceError {
        onFailure(error)
        throw error
      }
    }.retry(retry).recover { _ in
      self.giveUp()
      return .none
    }
  }
}

extension AsyncStore {
  /// Commits the saved value.
  ///
  /// - Parameter value: the value, or `nil` if there is nothing to restore.
  /// - Returns: false if the store did not commit it.
  private func restore<Value: Codable & Sendable>(
    _ value: Value?, at keyPath: WritableKeyPath<State, Value> & Sendable, _ listener: SavingListener<State, Value>,
    isolation: isolated (any Actor)?
  ) -> Bool {
    guard let value else { return true }
    let replaced = Mutex<Value?>(nil)
    let restoring = Effect.set { state in
      // Released after the lock, because objects in it may call the store.
      replaced.withLock { $0 = state[keyPath: keyPath] }
      state[keyPath: keyPath] = value
      listener.begin(withRestoring: true)
    }
    guard case .finished? = receive(restoring, isolation: isolation).outcomeIfSettled else { return false }
    return true
  }

  private func persistence<Value: Codable & Sendable>(
    of part: SavedPart, in name: String, _ saver: Saver<Value>, _ listener: SavingListener<State, Value>,
    _ subscription: Subscription, _ get: @escaping @Sendable (borrowing State) -> (Value, Int)
  ) -> Persistence {
    Persistence(
      save: { [weak self] in
        // The store itself is held only if its end saves nothing any more.
        if let (value, number) = subscription.withState(unless: { listener.hasEnded }, get) {
          return try saver.save(value, number: number, on: .demand)
        }
        if try listener.saveLast() { return }
        if let (value, number) = self?.withState(get) {
          return try saver.save(value, number: number, on: .demand)
        }
        throw PersistenceError(
          .storeEnded, storage: name,
          "The store whose state \(name) keeps is gone, and its saving had been stopped before, so its last state is "
            + "not known."
        )
      },
      stop: { [weak self] in
        // First, because a save reads the state until then, and may do so only while observers are being notified of
        // the store's end.
        listener.stop(isOver: listener.hasEnded && self == nil)
        subscription.end()
        part.remove()
      },
      failure: { saver.lastFailure })
  }

  /// - Throws: ``PersistenceError`` with the code `notRestorable`.
  private func checkRestorable(_ storage: String, isolation: isolated (any Actor)?) throws {
    guard isActive else { try refuse(storage) }
    guard commitsAtOnce(isolation: isolation) else {
      throw PersistenceError(
        .notRestorable, storage: storage,
        "This store belongs to an actor. Call persist on that actor, so that it can restore the state from \(storage) before it returns."
      )
    }
  }

  private func refuse(_ storage: String) throws -> Never {
    throw PersistenceError(
      .notRestorable, storage: storage,
      "This store is not active, so the state from \(storage) can't be restored. Activate the store first, and then call persist."
    )
  }
}
