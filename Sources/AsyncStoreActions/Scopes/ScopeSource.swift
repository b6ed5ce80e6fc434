import AsyncStore

/// The store behind a scope, without the type of the whole.
protocol ScopeSource<State, Action>: Sendable {
  associatedtype State: Sendable
  associatedtype Action: Sendable

  func read<Value: Sendable>(_ part: Part<State, Value>) -> Value?
  func readEquatable<Value: Sendable & Equatable>(_ part: Part<State, Value>) -> Value?
  func values<Value: Sendable & Equatable>(_ part: Part<State, Value>) -> AsyncStream<Value?>
  func send(_ actions: [Action], in wrapper: DeliveryWrapper?, isolation: isolated (any Actor)?) -> EffectHandle
  func scope<Inner: Sendable, InnerAction: Sendable>(
    _ part: Part<State, Inner>, _ embed: @escaping @Sendable (InnerAction) -> Action
  ) -> any ScopeSource<Inner, InnerAction>
}

/// A part of a store's state.
struct StorePart<Whole: Model, State: Sendable, Action: Sendable>: ScopeSource {
  weak let store: StoreOf<Whole>?
  let part: Part<Whole, State>
  let embed: @Sendable (Action) -> Whole.Action

  func read<Value: Sendable>(_ inner: Part<State, Value>) -> Value? {
    let part = part.appending(inner)
    return store?[dynamicMember: \.[part: part]]
  }

  func readEquatable<Value: Sendable & Equatable>(_ inner: Part<State, Value>) -> Value? {
    let part = part.appending(inner)
    guard part.isTotal else { return store?[dynamicMember: \.[part: part]] }
    return store?.read(total: \.[part: part], from: part.source) ?? nil
  }

  func values<Value: Sendable & Equatable>(_ inner: Part<State, Value>) -> AsyncStream<Value?> {
    let part = part.appending(inner)
    return store?.values(of: part) ?? AsyncStream { $0.finish() }
  }

  func send(_ actions: [Action], in wrapper: DeliveryWrapper?, isolation: isolated (any Actor)?) -> EffectHandle {
    guard let store else { return .ofNothing }
    if let wrapper { return store.receive(.send(actions.map(embed)).published(in: wrapper), isolation: isolation) }
    if actions.count == 1 { return store.send(embed(actions[0]), isolation: isolation) }
    return store.send(actions.map(embed), isolation: isolation)
  }

  func scope<Inner: Sendable, InnerAction: Sendable>(
    _ inner: Part<State, Inner>, _ embed: @escaping @Sendable (InnerAction) -> Action
  ) -> any ScopeSource<Inner, InnerAction> {
    StorePart<Whole, Inner, InnerAction>(store: store, part: part.appending(inner)) { [outer = self.embed] in
      outer(embed($0))
    }
  }
}

extension Model {
  /// A part of the state as a key path, for Observation, bindings and sequences of values.
  subscript<Value: Sendable>(part part: Part<Self, Value>) -> Value? { part.get(self) }
}
