/// One level of an effect tree.
///
/// At most four words; rare cases are boxed, as in ``Directive``. A larger value would be copied and destroyed through
/// its value witness table, which costs more than everything the machine does with it.
enum Instruction<P: Program> {
  case none
  /// Applies a mutation to the state.
  case commit
  /// Applies a mutation that returns the effect to continue with.
  case evaluate
  /// Runs an asynchronous operation that returns the effect to continue with.
  case operate
  /// Interprets an effect in another store; an operation in all other respects.
  case lift
  case sleep(Moment.Span)
  case timer(interval: Moment.Span)
  /// Opens a source outside the machine, such as a sequence, a key path or another store, which emits effects until it
  /// ends or is cancelled.
  case source(SourceStrategy)
  case cancel(Selection<P.Identifier>)
  case join(Selection<P.Identifier>)
  case concatenate(P)
  case merge(P, limit: Int)
  case race(P, toSucceed: Bool)
  /// Begins under an identifier, in place of what is in flight there. This is the most common policy, and the only one
  /// that fits without a box.
  case replacing(body: P, P.Identifier)
  /// Begins under an identifier with any other policy.
  indirect case scope(P.Identifier, ScopePolicy, body: P)
  indirect case throttle(P.Identifier, Moment.Span, leading: Bool, trailing: Bool, body: P)
  case label(body: P, P.Label)
  case timeout(Moment.Span, body: P, otherwise: P)
  indirect case retry(RetryPlan, body: P)
  /// Runs an asynchronous operation again when it fails; an operation in all other respects.
  indirect case attempts(RetryPlan)
  case recover(body: P, handler: P)
  case finally(body: P, cleanup: P)
  /// Ends at the first member that fails or does not complete.
  case sequence(P)
  case compensate(body: P, with: P)
}

extension Instruction {
  /// Returns the instruction that begins `body` under an identifier.
  static func scope(under identifier: P.Identifier, _ policy: ScopePolicy, body: P) -> Self {
    policy == .replace ? .replacing(body: body, identifier) : .scope(identifier, policy, body: body)
  }

  /// The part of an instruction in the outcome of the tree.
  enum Role {
    /// Does nothing itself, so that the effect before it still counts as the last one.
    case transparent
    /// Begins an effect under an identifier, if the policy permits.
    case scope
    case effect
  }

  // Inlined, because the call would copy and destroy the whole instruction, some 60 instructions for each effect.
  @inline(__always)
  var role: Role {
    switch self {
    case .none, .concatenate, .label: .transparent
    case .merge(let members, _): members.count < 2 ? .transparent : .effect
    case .sleep(let span): span <= 0 ? .transparent : .effect
    case .replacing, .scope, .throttle: .scope
    case .commit, .evaluate, .operate, .lift, .timer, .source, .cancel, .join, .race, .timeout, .retry, .attempts,
      .recover, .finally, .sequence, .compensate:
      .effect
    }
  }

  /// True if the fiber that runs the instruction catches errors of the effects inside, so that it can't be a fiber that
  /// catches them for a `recover`.
  @inline(__always)
  var catchesErrors: Bool {
    switch self {
    case .race, .retry, .sequence, .compensate: true
    case .none, .commit, .evaluate, .operate, .lift, .sleep, .timer, .source, .cancel, .join, .concatenate, .merge,
      .replacing, .scope, .throttle, .label, .timeout, .attempts, .recover, .finally:
      false
    }
  }
}
