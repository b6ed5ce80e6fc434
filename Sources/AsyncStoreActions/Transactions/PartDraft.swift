/// A draft of a part of another draft's state.
///
/// While the part is missing, reading returns its value at the beginning of the operation, and changing it does
/// nothing.
struct PartDraft<Whole: Sendable, WholeEnv: Sendable, State: Sendable, Env: Sendable>: DraftContent {
  let outer: any DraftContent<Whole, WholeEnv>
  let part: Part<Whole, State>
  let embed: TransactionEmbedding<Whole, WholeEnv>.Action
  /// The part when the operation began.
  let first: State

  var current: State { part.get(outer.current) ?? first }
  var whole: State { part.get(outer.whole) ?? first }

  func read<Value: Equatable & Sendable>(
    _ name: ReadName?, _ body: @escaping @Sendable (State) -> Value
  ) -> Value {
    // The read has no name here, because its name belongs to a property of another type.
    outer.read(nil) { [part] whole in part.get(whole).map(body) } ?? body(first)
  }

  func change(_ change: @escaping @Sendable (inout State) throws -> Void) throws {
    try outer.change { [part] whole in
      var failure: (any Error)?
      part.change(&whole) { value in
        do { try change(&value) } catch { failure = error }
      }
      if let failure { throw failure }
    }
  }

  func send(_ action: any Sendable, _ drafted: DraftedAction<State, Env>) {
    let (action, drafted) = embed(action)
    outer.send(action, drafted)
  }
}
