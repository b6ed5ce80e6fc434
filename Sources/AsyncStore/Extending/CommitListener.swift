import Synchronization

/// A listener to a store's commits from outside this module.
///
/// `committed`, `committedSilently`, `prepare` and `willEnd` are called under the store's lock, where nothing may call
/// the store; `deliver`, `storeCrashes`, `endAtOnce` and `end` are called outside it. Only one thread at a time
/// delivers for a store, in the order of the commits; `end` comes after the deliveries.
///
/// A listener that keeps values of the state must not release them under the lock, because objects in them may call the
/// store. It keeps such values, asks for a delivery as if there were news, and releases them in `deliver`; see
/// ``ReleasedValues``. Once the subscription has ended, `deliver` is no longer called; so `prepare` must not replace a
/// value that has not been delivered.
package protocol CommitListener<State>: AnyObject, Sendable {
  /// The state of the observed store.
  associatedtype State: Sendable

  /// Looks at the state after a commit.
  ///
  /// - Returns: true if there is something to deliver.
  func committed(_ state: State) -> Bool
  /// Looks at the state after a silent change, which observers are not notified of.
  ///
  /// - Returns: true if there is nevertheless something to deliver.
  func committedSilently(_ state: State) -> Bool
  /// Takes the next thing to deliver.
  func prepare()
  /// Delivers what `prepare` has taken.
  func deliver()
  /// Called with the store's last state when the store is being deactivated or is going away.
  ///
  /// - Parameter endsActivity: true if the store was active until now. An inactive store can be deactivated again.
  func willEnd(_ state: State, endsActivity: Bool)
  /// Called when the store has been deactivated, by each thread that does so, before `deactivate` returns.
  ///
  /// Several threads may call it concurrently, and earlier commits may still be delivered later.
  func endAtOnce()
  /// Called before the store is deactivated as if its process had crashed: nothing may be saved any more.
  func storeCrashes()
  /// Called when the store has been deactivated and all earlier commits have been delivered.
  func end()
}

extension CommitListener {
  package func committedSilently(_ state: State) -> Bool { false }
  package func prepare() {}
  package func willEnd(_ state: State, endsActivity: Bool) {}
  package func endAtOnce() {}
  package func storeCrashes() {}
  package func end() {}
}

/// A listener in a store's list of observers.
///
/// `@unchecked` because its superclass is; its own part is constants of `Sendable` types.
final class ListenerObserver<Listener: CommitListener>: CommitObserver, @unchecked Sendable {
  let listener: Listener
  private let isPermanent: Bool

  init(_ listener: Listener, isPermanent: Bool) {
    self.listener = listener
    self.isPermanent = isPermanent
  }

  override var endsWithActivity: Bool { !isPermanent }

  override func note(_ state: UnsafeRawPointer) -> Bool {
    listener.committed(state.assumingMemoryBound(to: Listener.State.self).pointee)
  }

  override func noteSilently(_ state: UnsafeRawPointer) -> Bool {
    listener.committedSilently(state.assumingMemoryBound(to: Listener.State.self).pointee)
  }

  override func prepare() { listener.prepare() }
  override func deliver() { listener.deliver() }

  override func willEnd(_ state: UnsafeRawPointer, endsActivity: Bool) {
    listener.willEnd(state.assumingMemoryBound(to: Listener.State.self).pointee, endsActivity: endsActivity)
  }

  override func endAtOnce() { listener.endAtOnce() }
  override func storeCrashes() { listener.storeCrashes() }
  override func end() { listener.end() }
}

extension AsyncStore {
  /// The subscription of a listener, which can be ended.
  package struct Subscription: Sendable {
    fileprivate let runtime: Runtime
    fileprivate let observer: CommitObserver
    /// True if the listener is notified of commits; false if the store was not active and the listener is not
    /// permanent.
    package let hasBegun: Bool
    /// The store's phase when the listening began.
    package let phase: StorePhase

    /// Ends the subscription: the listener is notified of no further commits.
    package func end() { runtime.remove(observer) }

    /// Reads the state, even when the last reference to the store is gone, until the listener has been notified of the
    /// last state or the subscription has ended.
    ///
    /// - Parameter hasEnded: returns whether the listener has been notified; called under the store's lock.
    /// - Returns: the result of the body, or `nil` if the state may be gone.
    package func withState<Result>(unless hasEnded: () -> Bool, _ body: (State) -> Result) -> Result? {
      runtime.lock { _ in
        // An observer that has not departed will still be notified before the state goes.
        hasEnded() || observer.hasDeparted.load(ordering: .acquiring)
          ? nil : body(AsyncStore.state(of: runtime).pointee)
      }
    }
  }

  /// Adds a listener that is notified of each commit.
  ///
  /// The store holds the listener; the listener does not hold the store.
  ///
  /// - Parameters:
  ///   - isPermanent: true if the listener stays when the store is deactivated and activated again.
  ///   - start: called under the lock with the state at the beginning of the subscription.
  package func listen<Listener: CommitListener<State>>(
    _ listener: Listener, isPermanent: Bool = false, start: (State) -> Void = { _ in }
  ) -> Subscription {
    let observer = ListenerObserver(listener, isPermanent: isPermanent)
    let phase = runtime.lock { core in
      start(Self.state(of: runtime).pointee)
      if isPermanent || core.phase != .inactive { core.append(observer) }
      return core.phase
    }
    return Subscription(runtime: runtime, observer: observer, hasBegun: isPermanent || phase != .inactive, phase: phase)
  }
}
