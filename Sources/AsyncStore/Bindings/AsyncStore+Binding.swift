extension AsyncStore {
  // MARK: Binding

  /// Interprets an effect for the current value of a property of this store's own state, and for each later value.
  ///
  /// - Parameters:
  ///   - id: the binding's identifier. A new binding replaces one under the same identifier; `cancel` ends it.
  ///   - keyPath: the property. Consecutive equal values count as one. If the key path may trap in a later state,
  ///     because of a `!` or of a subscript with an index whose value is not optional, the binding fails with
  ///     ``AsyncStoreError``'s code `unsafeKeyPath`.
  ///   - strategy: the rule for effects of earlier values that are still in flight; by default they continue.
  ///   - mapEffect: runs after the commit, not under the lock, on the thread that delivers for the store, usually the
  ///     one that committed. While another thread is delivering, it delivers these values too, and a task takes over
  ///     from a thread that would deliver without an end. For a store bound to an actor, it runs on that actor, for the
  ///     first value in a later turn.
  @inlinable
  public func bind<Value: Equatable & Sendable>(
    id: some Hashable & Sendable, to keyPath: KeyPath<State, Value> & Sendable, strategy: StreamStrategy = .each,
    file: StaticString = #fileID, line: UInt = #line, mapEffect: @escaping @Sendable (Value) -> Effect
  ) {
    bind(id: id, to: self, on: keyPath, strategy: strategy, file: file, line: line, mapEffect: mapEffect)
  }

  /// Interprets an effect for the current value of a property of another store, and for each later value.
  ///
  /// Each value arrives once, in the order of the other store's commits, and is usually delivered on the thread that
  /// commits it: there is no stream between the stores. Neither store keeps the other alive; the binding ends when
  /// either does. Bindings under the same identifier in different stores are independent of each other.
  ///
  /// Bindings may form a cycle, which settles when the values stop changing. A cycle that does not settle is reported
  /// to the instrument.
  ///
  /// - Parameters:
  ///   - id: the binding's identifier in this store. A new binding replaces one under the same identifier; `cancel`
  ///     ends it.
  ///   - upstream: the other store.
  ///   - keyPath: the other store's property. Consecutive equal values count as one. If the key path may trap in a
  ///     later state, the binding fails, as ``bind(id:to:strategy:file:line:mapEffect:)`` says.
  ///   - strategy: the rule for effects of earlier values that are still in flight; by default they continue.
  ///   - mapEffect: runs after the commit, not under a lock.
  @inlinable
  public func bind<UpState, UpEnv, Value: Equatable & Sendable>(
    id: some Hashable & Sendable, to upstream: AsyncStore<UpState, UpEnv>,
    on keyPath: KeyPath<UpState, Value> & Sendable, strategy: StreamStrategy = .each, file: StaticString = #fileID,
    line: UInt = #line, mapEffect: @escaping @Sendable (Value) -> Effect
  ) {
    bind(
      EffectID(id), to: upstream, on: keyPath, areEqual: { isSame($0, $1) }, strategy: strategy, file: file,
      line: line, mapEffect: { mapEffect($0.pointee) })
  }

  /// Maps a value to an effect.
  ///
  /// The mapping takes a pointer, valid during the call, so that a value is copied only in inlinable code, where its
  /// type is known, or not at all.
  @usableFromInline
  typealias ValueMapping<Value> = @Sendable (UnsafePointer<Value>) -> Effect

  @usableFromInline
  func bind<UpState, UpEnv, Value: Sendable>(
    _ name: EffectID, to upstream: AsyncStore<UpState, UpEnv>, on keyPath: KeyPath<UpState, Value> & Sendable,
    areEqual: @escaping ValueComparison<Value>, strategy: StreamStrategy, file: StaticString, line: UInt,
    mapEffect: @escaping ValueMapping<Value>
  ) {
    if keyPath.mayTrap {
      let error = AsyncStoreError.unsafe(keyPath, at: CallSite(file: file, line: line))
      let failure = Effect.task({ () async throws -> Effect in throw error }, file: file, line: line)
      receive(failure.id(name, file: file, line: line), isolation: nil)
      return
    }
    let setup: ClosureNode.BindingSetup = { [weak upstream] run in
      guard let upstream = upstream?.runtime else { return nil }
      let binding = BindingObserver(
        keyPath, areEqual: areEqual, name: name, run: run, mapEffect: mapEffect)
      guard upstream.add(binding) else { return nil }
      return { upstream.remove(binding) }
    }
    receive(
      .node(.source(strategy.source), .binding(setup), file, line).id(name, file: file, line: line), isolation: nil
    )
  }

  /// Interprets an effect for each element of a sequence as it arrives.
  ///
  /// - Parameters:
  ///   - id: the binding's identifier. A new binding replaces one under the same identifier; `cancel` ends it.
  ///   - stream: iterated in a task of its own until it ends or the binding is cancelled. An error that it throws goes
  ///     to `mapError`.
  ///   - strategy: the rule for effects of earlier elements that are still in flight; by default they continue.
  ///   - mapEffect: runs in that task, not under the store's lock.
  public func bind<Elements: AsyncSequence & Sendable>(
    id: some Hashable & Sendable, stream: Elements, strategy: StreamStrategy = .each, file: StaticString = #fileID,
    line: UInt = #line, mapEffect: @escaping @Sendable (Elements.Element) -> Effect
  ) {
    receive(
      .stream(stream, strategy: strategy, file: file, line: line, mapEffect: mapEffect).id(id, file: file, line: line),
      isolation: nil)
  }
}
