import AsyncStore

/// A part of a store's state with actions of its own, for a view or a service that knows only the part.
///
/// A scope reads the store's own storage and sends the store's own actions. It copies nothing, observes nothing and
/// keeps nothing alive: if the store is gone, reading returns `nil` and sending does nothing. If the part is missing,
/// reading returns `nil`; an action is still sent, and the model decides what it does.
///
/// ```swift
/// let page = StoreOf<Page>(state: Page(), env: ())
/// let tally = page.scope(\.tally, actions: Page.Action.tally)
/// tally.send(.add(2))
/// // tally.count == 2
/// // page.tally.count == 2
/// ```
///
/// A scope costs its store nothing: a change of the state takes the same time for any number of scopes. A property of a
/// scope that Observation tracks is compared at each commit. For tracked elements with keys, a commit that does not
/// change their collection costs one comparison, for any number of elements. A commit that changes the collection
/// copies its storage once and looks at each tracked element, about a microsecond for each, because a collection is a
/// value, which does not reveal where it has changed.
@dynamicMemberLookup
public struct Scope<State: Sendable, Action: Sendable>: Sendable {
  let source: any ScopeSource<State, Action>

  /// The current part; `nil` if it is missing or the store is gone.
  ///
  /// This is a copy. Inside Observation's tracking, each commit counts as a change of it, unless the part is equatable.
  public var state: State? { source.read(Part(\.self)) }

  /// A property of the current part; `nil` if the part is missing or the store is gone.
  public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<State, Value> & Sendable) -> Value? {
    source.read(Part(reading: keyPath))
  }

  /// A property of the current part; `nil` if the part is missing or the store is gone.
  ///
  /// Inside Observation's tracking, only a commit that changes the property is reported.
  public subscript<Value: Equatable & Sendable>(
    dynamicMember keyPath: KeyPath<State, Value> & Sendable
  ) -> Value? {
    source.readEquatable(Part(reading: keyPath))
  }

  /// Sends an action of the part.
  ///
  /// Safe from any thread. On the actor that the store is bound to, and for a store that is bound to none, the state
  /// has changed when this returns; otherwise, the change follows in a turn on the actor.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - isolation: the caller's isolation; leave it to the compiler.
  /// - Returns: a handle for waiting for the action's effects or cancelling them; its outcome is `inactive` if the
  ///   store is gone.
  @discardableResult
  public func send(_ action: Action, isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    source.send([action], in: nil, isolation: isolation)
  }

  /// Sends several actions of the part, as one commit.
  ///
  /// The actions' effects are merged; otherwise, the rules are those for one action.
  @discardableResult
  public func send(_ actions: [Action], isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    source.send(actions, in: nil, isolation: isolation)
  }

  /// Sends an action, and notifies observers of its changes inside a wrapper.
  @discardableResult
  package func send(
    _ action: Action, in wrapper: @escaping DeliveryWrapper, isolation: isolated (any Actor)? = #isolation
  ) -> EffectHandle {
    source.send([action], in: wrapper, isolation: isolation)
  }

  /// Returns a scope of a part of this part.
  public func scope<Inner: Sendable, InnerAction: Sendable>(
    _ part: Part<State, Inner>, actions embed: @escaping @Sendable (InnerAction) -> Action
  ) -> Scope<Inner, InnerAction> {
    Scope<Inner, InnerAction>(source: source.scope(part, embed))
  }

  /// Returns the values of the part: the current one first, then each that differs from the previous one; `nil` while
  /// the part is missing.
  ///
  /// Reading begins at once. The sequence ends when the store is deactivated or goes away, and when the reading task is
  /// cancelled.
  public func values() -> AsyncStream<State?> where State: Equatable { source.values(Part(\.self)) }
}

extension Scope where State: Equatable {
  /// The current part; `nil` if it is missing or the store is gone.
  ///
  /// This is a copy. Inside Observation's tracking, only a commit that changes the part is reported.
  public var state: State? { source.readEquatable(Part(\.self)) }
}

extension Scope {
  /// Returns a scope of a property of this part.
  public func scope<Inner: Sendable, InnerAction: Sendable>(
    _ keyPath: WritableKeyPath<State, Inner> & Sendable, actions embed: @escaping @Sendable (InnerAction) -> Action
  ) -> Scope<Inner, InnerAction> {
    scope(Part(keyPath), actions: embed)
  }

  /// Returns a scope of the value of an optional property of this part.
  ///
  /// While there is no value, reading returns `nil`. An action is still sent.
  public func scope<Inner: Sendable, InnerAction: Sendable>(
    optional keyPath: WritableKeyPath<State, Inner?> & Sendable,
    actions embed: @escaping @Sendable (InnerAction) -> Action
  ) -> Scope<Inner, InnerAction> {
    scope(Part(optional: keyPath), actions: embed)
  }

  /// Returns a scope of the element of a collection of this part.
  ///
  /// While there is no element with the key, reading returns `nil`. An action is still sent.
  public func scope<Elements: Keyed & Sendable, InnerAction: Sendable>(
    _ keyPath: WritableKeyPath<State, Elements> & Sendable, key: Elements.Key,
    actions embed: @escaping @Sendable (Elements.Key, InnerAction) -> Action
  ) -> Scope<Elements.Value, InnerAction> where Elements.Key: Sendable, Elements.Value: Sendable {
    scope(Part(keyPath, key: key)) { embed(key, $0) }
  }
}

extension AsyncStore where State: Model, Env == State.Environment {
  /// Returns a scope of a part of the state, with actions of its own.
  ///
  /// - Parameters:
  ///   - part: the path to the part.
  ///   - embed: the case of the store's actions that carries the part's actions.
  public func scope<Value: Sendable, Action: Sendable>(
    _ part: Part<State, Value>, actions embed: @escaping @Sendable (Action) -> State.Action
  ) -> Scope<Value, Action> {
    Scope(source: StorePart(store: self, part: part, embed: embed))
  }

  /// Returns a scope of a property of the state, with actions of its own.
  public func scope<Value: Sendable, Action: Sendable>(
    _ keyPath: WritableKeyPath<State, Value> & Sendable, actions embed: @escaping @Sendable (Action) -> State.Action
  ) -> Scope<Value, Action> {
    scope(Part(keyPath), actions: embed)
  }

  /// Returns a scope of the value of an optional property, with actions of its own.
  public func scope<Value: Sendable, Action: Sendable>(
    optional keyPath: WritableKeyPath<State, Value?> & Sendable,
    actions embed: @escaping @Sendable (Action) -> State.Action
  ) -> Scope<Value, Action> {
    scope(Part(optional: keyPath), actions: embed)
  }

  /// Returns a scope of the element of a collection, with actions of its own.
  ///
  /// While there is no element with the key, reading returns `nil`. An action is still sent.
  public func scope<Elements: Keyed & Sendable, Action: Sendable>(
    _ keyPath: WritableKeyPath<State, Elements> & Sendable, key: Elements.Key,
    actions embed: @escaping @Sendable (Elements.Key, Action) -> State.Action
  ) -> Scope<Elements.Value, Action> where Elements.Key: Sendable, Elements.Value: Sendable {
    scope(Part(keyPath, key: key)) { embed(key, $0) }
  }
}
