import Foundation

extension AsyncStore {
  /// Restores a part of the state, and saves it from then on: after changes, and when the store is deactivated.
  ///
  /// What was saved before is committed when this returns. Saving is an effect of the store like any other; an encoder and a system call run
  /// in a task of their own. A save that fails is reported, and tried again until it succeeds or a newer one
  /// takes its place.
  ///
  /// **Cancellation.** `deactivate` and ``Persistence/stop()`` cancel a save that has not begun to write; one that writes finishes. The last
  /// state is saved before `deactivate` returns, and before a store that is dropped is gone; that, and reading, blocks the calling thread.
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
  ///   - keyPath: the part; `\.self` is all of the state.
  ///   - storage: where it is kept; one part of one store to a storage.
  ///   - version: which version of the data this program writes; 1 or more.
  ///   - migrations: the steps from older versions.
  ///   - schedule: when a changed state is saved; by default when it has not changed for a second.
  ///   - retry: when a failed save is tried again; by default after 0.1 s, twice that and so on, at most every 30 s.
  ///   - isolation: where the caller is; leave it to the compiler.
  ///   - onFailure: the effect of each failed save, to show it for example; by default none.
  /// - Returns: what saves on demand, knows the last failure, and ends the saving. It may be dropped.
  /// - Throws: ``PersistenceError`` if what was saved is damaged, or newer, or can't be migrated or read. It is then left as it is, and nothing
  ///   is ever saved over it.
  @discardableResult
  public func persist<Value: Codable & Sendable>(
    _ keyPath: WritableKeyPath<State, Value> & Sendable, in storage: some Storage, version: Int = 1,
    migrations: [Migration] = [], saving schedule: SavingSchedule = .debounced(.seconds(1)),
    retry: RetrySchedule = .exponential(first: .milliseconds(100)).capped(at: .seconds(30)),
    isolation: isolated (any Actor)? = #isolation,
    onFailure: @escaping @Sendable (PersistenceError) -> Effect = { _ in .none }
  ) throws -> Persistence {
    let saver = Saver<Value>(storage, Coding(version: version, migrations: migrations))
    if let value = try saver.load() { receive(.set(keyPath, to: value), isolation: isolation) }
    let id = EffectID("AsyncStorePersistence").appending(storage.name)
    let effect = schedule.apply(saver.effect(of: keyPath, retry, onFailure), id)
    let listener = SavingListener<State, Env, Value>(saver, get: { $0[keyPath: keyPath] }) { [weak self] in
      self?.receive(effect, isolation: nil)
    }
    let listening = listen(listener, isPermanent: true)
    return Persistence(
      save: { [weak self] in
        guard let self else {
          if try listener.saveLast() { return }
          throw PersistenceError(
            .storeEnded, storage: storage.name,
            "The store whose state \(storage.name) keeps is gone, and its saving had been stopped before: what it ended with is unknown."
          )
        }
        let (value, number) = withState { state in (state[keyPath: keyPath], saver.nextNumber()) }
        try saver.save(value, number: number)
      },
      stop: { [weak self] in
        listening.end()
        self?.receive(.cancel(id), isolation: nil)
      },
      failure: { saver.lastFailure })
  }
}

extension Saver {
  /// Saves the part as it is when this effect is reached, and tries again as often as the schedule has it.
  fileprivate func effect<State, Env>(
    of keyPath: KeyPath<State, Value> & Sendable, _ retry: RetrySchedule,
    _ onFailure: @escaping @Sendable (PersistenceError) -> AsyncStore<State, Env>.Effect
  ) -> AsyncStore<State, Env>.Effect {
    .read { state in
      let (value, number) = (state[keyPath: keyPath], self.nextNumber())
      return .task {
        do {
          try self.save(value, number: number)
          return .none
        } catch let error as PersistenceError {
          return .concatenate(onFailure(error), .task { throw error })
        }
      }.retry(retry)
    }
  }
}
