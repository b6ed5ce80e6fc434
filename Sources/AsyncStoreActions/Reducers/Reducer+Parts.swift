import AsyncStore

extension Reducer {
  /// Returns this reducer for a state that contains this one's state as a part.
  ///
  /// The result handles the actions of one case; if the part is missing, it does nothing. Actions that its effects send
  /// go to the whole, in that case. If the part is removed, its effects in flight continue, and change nothing.
  ///
  /// The identifiers of the part's effects are those of the whole; below a keyed part, they lie under its key.
  ///
  /// - Parameters:
  ///   - part: the path to the part.
  ///   - actions: the case that carries the part's actions.
  ///   - environment: makes the environment of the part's effects; called in the task of each operation that takes it,
  ///     under no lock.
  /// - Complexity: that of the reducer, and linear in the number of nodes of the effect that it returns.
  public func pullback<Whole: Model>(
    to part: Part<Whole, State>, actions: ActionCase<Whole.Action, Action>,
    environment: @escaping @Sendable (Whole.Environment) -> Environment
  ) -> Reducer<Whole, Whole.Action, Whole.Environment> {
    let embed = EffectEmbedding(part, environment: environment, action: actions.embed)
    return Reducer<Whole, Whole.Action, Whole.Environment> { whole, action in
      guard let action = actions.extract(action) else { return .none }
      return embed.reduce(&whole) { self.reduce(&$0, action) }
    }
  }

  /// Returns this reducer for a state that contains this one's state as a part, with the same environment.
  public func pullback<Whole: Model>(
    to part: Part<Whole, State>, actions: ActionCase<Whole.Action, Action>
  ) -> Reducer<Whole, Whole.Action, Whole.Environment> where Whole.Environment == Environment {
    pullback(to: part, actions: actions, environment: { $0 })
  }

  /// Returns this reducer, which needs no environment, for a state that contains this one's state as a part.
  @_disfavoredOverload
  public func pullback<Whole: Model>(
    to part: Part<Whole, State>, actions: ActionCase<Whole.Action, Action>
  ) -> Reducer<Whole, Whole.Action, Whole.Environment> where Environment == Void {
    pullback(to: part, actions: actions, environment: { _ in })
  }

  /// Returns this reducer for each element of a collection, by key.
  ///
  /// An action for a missing key does nothing. The identifiers of an element's effects lie under its key, so that two
  /// elements don't interfere with each other.
  ///
  /// - Parameters:
  ///   - elements: the collection.
  ///   - actions: the case that carries a key and an action.
  ///   - environment: makes the environment of the elements' effects; called as in
  ///     ``pullback(to:actions:environment:)``.
  /// - Complexity: that of the reducer and of finding the element, and linear in the number of nodes of the effect.
  public func forEach<Whole: Model, Elements: Keyed & Sendable>(
    _ elements: WritableKeyPath<Whole, Elements> & Sendable,
    actions: ActionCase<Whole.Action, (Elements.Key, Action)>,
    environment: @escaping @Sendable (Whole.Environment) -> Environment
  ) -> Reducer<Whole, Whole.Action, Whole.Environment> where Elements.Value == State, Elements.Key: Sendable {
    Reducer<Whole, Whole.Action, Whole.Environment> { whole, action in
      guard let (key, action) = actions.extract(action) else { return .none }
      let embed = EffectEmbedding(Part(elements, key: key), environment: environment) { actions.embed((key, $0)) }
      return embed.reduce(&whole) { self.reduce(&$0, action) }
    }
  }
}

extension Model {
  /// Changes, with an action of the part, a part of this model that is itself a model; called within `update`.
  ///
  /// ```swift
  /// struct Page: Model {
  ///   enum Action: Sendable { case tally(Tally.Action) }
  ///   var tally = Tally()
  ///
  ///   static func update(_ state: inout Page, _ action: Action) -> Effect {
  ///     switch action {
  ///     case .tally(let action): update(Part(\.tally), of: &state, action, as: Action.tally)
  ///     }
  ///   }
  /// }
  /// let page = StoreOf<Page>(state: Page(), env: ())
  /// page.send(.tally(.increment))
  /// // page.tally.count == 1
  /// ```
  ///
  /// For identifiers and missing parts, see ``Reducer/pullback(to:actions:environment:)``.
  ///
  /// - Parameters:
  ///   - part: the path to the part; if the part is missing, nothing happens.
  ///   - state: the whole.
  ///   - action: the part's action.
  ///   - embed: makes actions of the whole from actions that the part's effects send; runs under the store's lock when
  ///     such an effect is reached.
  ///   - environment: makes the environment of the part's effects; called in the task of each operation that takes it,
  ///     under no lock.
  /// - Complexity: that of the part's `update`, and linear in the number of nodes of the effect that it returns.
  public static func update<Child: Model>(
    _ part: Part<Self, Child>, of state: inout Self, _ action: Child.Action,
    as embed: @escaping @Sendable (Child.Action) -> Action,
    environment: @escaping @Sendable (Environment) -> Child.Environment
  ) -> Effect {
    EffectEmbedding(part, environment: environment, action: embed).reduce(&state) { Child.update(&$0, action) }
  }

  /// Changes, with an action of the part, a part of this model with the same environment; called within `update`.
  public static func update<Child: Model>(
    _ part: Part<Self, Child>, of state: inout Self, _ action: Child.Action,
    as embed: @escaping @Sendable (Child.Action) -> Action
  ) -> Effect where Child.Environment == Environment {
    update(part, of: &state, action, as: embed, environment: { $0 })
  }

  /// Changes, with an action of the part, a part of this model that needs no environment; called within `update`.
  @_disfavoredOverload
  public static func update<Child: Model>(
    _ part: Part<Self, Child>, of state: inout Self, _ action: Child.Action,
    as embed: @escaping @Sendable (Child.Action) -> Action
  ) -> Effect where Child.Environment == Void {
    update(part, of: &state, action, as: embed, environment: { _ in })
  }
}

extension EffectEmbedding where Whole: Model, WholeEnv == Whole.Environment {
  /// Creates the embedding of a part whose actions are a case of the whole's.
  init<Action: Sendable>(
    _ part: AsyncStoreActions.Part<Whole, Part>, environment: @escaping @Sendable (WholeEnv) -> PartEnv,
    action embed: @escaping @Sendable (Action) -> Whole.Action
  ) {
    self.init(
      get: part.get, modify: part.change, environment: environment,
      send: { message in
        if let batch = message as? ActionBatch<Action> { return .send(batch.actions.map(embed)) }
        if let message = message as? TransactionMessage<Part, PartEnv> {
          return message.embedded(in: part, environment: environment, TransactionEmbedding(embed))
        }
        guard let action = message as? Action else { preconditionFailure("\(message) is no action of the part") }
        return .send(embed(action))
      }, prefix: part.keys)
  }

  /// Runs a part's reducer in place.
  func reduce(_ whole: inout Whole, _ body: (inout Part) -> PartEffect) -> WholeEffect {
    var effect = PartEffect.none
    modify(&whole) { effect = body(&$0) }
    return self(effect)
  }
}
