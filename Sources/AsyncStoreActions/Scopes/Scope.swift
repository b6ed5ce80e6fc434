/// A part of a store's state with actions of its own: what a view or a service that knows only the part is given.
///
/// It reads the store's own storage and sends the store's own actions. It copies nothing, observes nothing and keeps
/// nothing alive: where the store is gone, or the part is missing, reading answers `nil` and sending does nothing.
///
/// ```swift
/// let page = StoreOf<Page>(state: Page(), env: ())
/// let tally = page.scope(\.tally, actions: Page.Action.tally)
/// tally.send(.add(2))
/// // tally.count == 2
/// // page.tally.count == 2
/// ```
///
/// A scope costs its store nothing: however many there are, a change of the state takes the same time. What Observation
/// tracks of one is compared at each commit. What it tracks of elements with keys costs a commit that leaves their
/// collection alone one comparison, however many they are. A commit that changes the collection copies its storage once
/// and looks at each tracked element, about a microsecond for each: a collection is a value, which does not tell where
/// it has changed.
@dynamicMemberLookup
public struct Scope<State: Sendable, Action: Sendable>: Sendable {
  let source: any ScopeSource<State, Action>

  /// The part as it is now; `nil` if it is missing or the store is gone.
  ///
  /// A copy. Tracked by Observation as a property of the store is.
  public var state: State? { source.read(Part(\.self)) }

  /// A property of the part as it is now; `nil` if the part is missing or the store is gone.
  public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<State, Value> & Sendable) -> Value? {
    source.read(Part(reading: keyPath))
  }

  /// A property of the part as it is now; `nil` if the part is missing or the store is gone.
  ///
  /// Inside Observation's tracking only a commit that really changes the property is noticed.
  public subscript<Value: Equatable & Sendable>(
    dynamicMember keyPath: KeyPath<State, Value> & Sendable
  ) -> Value? {
    source.readEquatable(Part(reading: keyPath))
  }

  /// Sends an action of the part.
  ///
  /// Safe from any thread. On the actor that the store is bound to, and for a store that is bound to none, the state
  /// has changed when this returns; else the change follows in a turn on the actor.
  ///
  /// - Parameters:
  ///   - action: what happens.
  ///   - isolation: where the caller is; leave it to the compiler.
  /// - Returns: a handle to wait for the effects of the action, or to cancel them; its outcome is `inactive` if the
  ///   store is gone.
  @discardableResult
  public func send(_ action: Action, isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    source.send([action], in: nil, isolation: isolation)
  }

  /// Sends several actions of the part, as one commit.
  ///
  /// Their effects are merged; all else is as for one action.
  @discardableResult
  public func send(_ actions: [Action], isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    source.send(actions, in: nil, isolation: isolation)
  }

  /// Sends an action, whose changes observers are told of inside a wrapper.
  @discardableResult
  package func send(
    _ action: Action, in wrapper: @escaping DeliveryWrapper, isolation: isolated (any Actor)? = #isolation
  ) -> EffectHandle {
    source.send([action], in: wrapper, isolation: isolation)
  }

  /// A part of this part.
  public func scope<Inner: Sendable, InnerAction: Sendable>(
    _ part: Part<State, Inner>, actions embed: @escaping @Sendable (InnerAction) -> Action
  ) -> Scope<Inner, InnerAction> {
    Scope<Inner, InnerAction>(source: source.scope(part, embed))
  }

  /// The values of the part: the current one first, then each that differs from the one before it; `nil` while it is
  /// missing.
  ///
  /// Reading begins at once. The sequence ends when the store is deactivated or goes away, and when the reading task is
  /// cancelled.
  public func values() -> AsyncStream<State?> where State: Equatable { source.values(Part(\.self)) }
}

extension Scope {
  /// A property of this part.
  public func scope<Inner: Sendable, InnerAction: Sendable>(
    _ keyPath: WritableKeyPath<State, Inner> & Sendable, actions embed: @escaping @Sendable (InnerAction) -> Action
  ) -> Scope<Inner, InnerAction> {
    scope(Part(keyPath), actions: embed)
  }

  /// The element of a collection of this part.
  ///
  /// While there is no element with the key, reading it answers `nil` and sending does nothing.
  public func scope<Elements: Keyed & Sendable, InnerAction: Sendable>(
    _ keyPath: WritableKeyPath<State, Elements> & Sendable, key: Elements.Key,
    actions embed: @escaping @Sendable (Elements.Key, InnerAction) -> Action
  ) -> Scope<Elements.Value, InnerAction> where Elements.Key: Sendable, Elements.Value: Sendable {
    scope(Part(keyPath, key: key)) { embed(key, $0) }
  }
}

extension AsyncStore where State: Model, Env == State.Environment {
  /// A part of the state with actions of its own.
  ///
  /// - Parameters:
  ///   - part: where the part is.
  ///   - embed: the case of the store's actions that carries the part's.
  public func scope<Value: Sendable, Action: Sendable>(
    _ part: Part<State, Value>, actions embed: @escaping @Sendable (Action) -> State.Action
  ) -> Scope<Value, Action> {
    Scope(source: StorePart(store: self, part: part, embed: embed))
  }

  /// A property of the state with actions of its own.
  public func scope<Value: Sendable, Action: Sendable>(
    _ keyPath: WritableKeyPath<State, Value> & Sendable, actions embed: @escaping @Sendable (Action) -> State.Action
  ) -> Scope<Value, Action> {
    scope(Part(keyPath), actions: embed)
  }

  /// The value of an optional property, with actions of its own.
  public func scope<Value: Sendable, Action: Sendable>(
    optional keyPath: WritableKeyPath<State, Value?> & Sendable,
    actions embed: @escaping @Sendable (Action) -> State.Action
  ) -> Scope<Value, Action> {
    scope(Part(optional: keyPath), actions: embed)
  }

  /// The element of a collection, with actions of its own.
  ///
  /// While there is no element with the key, reading it answers `nil` and sending does nothing.
  public func scope<Elements: Keyed & Sendable, Action: Sendable>(
    _ keyPath: WritableKeyPath<State, Elements> & Sendable, key: Elements.Key,
    actions embed: @escaping @Sendable (Elements.Key, Action) -> State.Action
  ) -> Scope<Elements.Value, Action> where Elements.Key: Sendable, Elements.Value: Sendable {
    scope(Part(keyPath, key: key)) { embed(key, $0) }
  }
}
