/// A conversion of transactions on a part to transactions on the whole.
struct TransactionEmbedding<Whole: Sendable, WholeEnv: Sendable>: Sendable {
  /// Makes an action of the whole from an action of the part.
  typealias Action = @Sendable (any Sendable) -> (any Sendable, DraftedAction<Whole, WholeEnv>)

  let action: Action

  /// Creates the embedding of a part without actions.
  init() {
    action = { fatalError("\($0) was sent in a child store, which takes no actions. Send it to a scope.") }
  }

  /// Creates the embedding of a part whose actions are a case of the whole's.
  init<PartAction: Sendable>(_ embed: @escaping @Sendable (PartAction) -> Whole.Action)
  where Whole: Model, WholeEnv == Whole.Environment {
    action = { action in
      guard let action = action as? PartAction else { preconditionFailure("\(action) is no action of the part") }
      let whole = embed(action)
      return (whole, DraftedAction(whole))
    }
  }
}

extension StateTransaction {
  /// Returns the same transaction for the whole.
  func embedded<Whole: Sendable, WholeEnv: Sendable>(
    in part: Part<Whole, State>, environment: @escaping @Sendable (WholeEnv) -> Env,
    _ embedding: TransactionEmbedding<Whole, WholeEnv>
  ) -> StateTransaction<Whole, WholeEnv> {
    let missing = TransactionError(.missing, "The part that \(name) is to change is not there.")
    switch body {
    case .change(let change):
      return StateTransaction<Whole, WholeEnv>(name) { whole in
        var result = Result<Void, any Error>.failure(missing)
        part.change(&whole) { value in result = Result { try change(&value) } }
        try result.get()
      }
    case .operation(let operation):
      return StateTransaction<Whole, WholeEnv>(name, attemptLimit: attemptLimit) { draft in
        let content = draft.content
        // A part that may trap is read only from the state that it was first read from.
        if !part.isTotal { _ = content.whole }
        guard content.read(nil, { whole in part.get(whole) != nil }), let first = part.get(content.current) else {
          throw missing
        }
        let inner = PartDraft<Whole, WholeEnv, State, Env>(
          outer: content, part: part, embed: embedding.action, first: first)
        try await operation(
          TransactionDraft(
            inner, env: environment(draft.env), attempt: draft.attempt, previousError: draft.findPreviousError))
      }
    }
  }
}
