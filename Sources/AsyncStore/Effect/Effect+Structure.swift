extension AsyncStore.Effect {
  /// The kind of an effect, with its durations, identifiers and labels, and the effects inside it.
  ///
  /// Tests and tools switch over it. It contains neither closures nor the effects that they return.
  public enum Structure: Sendable {
    /// Does nothing.
    case none
    /// Changes the state.
    case set
    /// Continues with an effect computed from the state.
    case read
    /// Changes the state and continues with an effect computed from it.
    case update
    /// Runs an operation.
    case task
    /// Runs an operation, and retries it when it fails.
    case retryingTask(RetrySchedule)
    /// Interprets an effect in another store.
    case lift(to: AnyAsyncStore)
    /// Waits.
    case sleep(Duration)
    /// Interprets an effect at regular intervals.
    case timer(Duration)
    /// Interprets an effect for each element of a sequence.
    case stream(StreamStrategy)
    /// Interprets an effect for each value of a store's property.
    case binding(StreamStrategy)
    /// Cancels everything in flight under identifiers.
    case cancel(Target)
    /// Waits for everything in flight under identifiers.
    case join(Target)
    /// Runs effects concurrently.
    case merge([AsyncStore.Effect], limit: Int)
    /// Runs effects one after the other.
    case concatenate([AsyncStore.Effect])
    /// Runs effects one after the other, and ends at the first that fails.
    case sequence([AsyncStore.Effect])
    /// Runs effects concurrently until one of them wins.
    case race([AsyncStore.Effect], goal: RaceGoal)
    /// Gives an effect an identifier.
    case id(AsyncStore.Effect, EffectID, policy: IdentifierPolicy)
    /// Runs an effect once its identifier has been quiet for a time.
    case debounce(AsyncStore.Effect, for: Duration, id: EffectID)
    /// Runs an effect at most once in a window of time.
    case throttle(AsyncStore.Effect, for: Duration, id: EffectID, edges: ThrottleEdges)
    /// Gives an effect a label.
    case label(AsyncStore.Effect, String)
    /// Cancels an effect that takes too long.
    case timeout(AsyncStore.Effect, Duration, else: AsyncStore.Effect)
    /// Tries an effect again when it fails.
    case retry(AsyncStore.Effect, RetrySchedule)
    /// Handles an effect's errors.
    case recover(AsyncStore.Effect)
    /// Runs an effect after another one, however that one ended.
    case finally(AsyncStore.Effect, cleanup: AsyncStore.Effect)
    /// Declares what undoes an effect.
    case compensate(AsyncStore.Effect, with: AsyncStore.Effect)

    /// The identifiers that a cancel or a join names.
    public enum Target: Hashable, Sendable {
      /// The identifiers themselves.
      case ids([EffectID])
      /// An identifier and everything under it.
      case prefix(EffectID)
      /// Everything in flight.
      case all
    }
  }
}

extension AsyncStore.Effect {
  /// The structure of this effect, one level deep.
  ///
  /// ```swift
  /// let search = CounterStore.Effect.task { .set(\.count, to: try await fetchCount()) }
  ///   .debounce(for: .milliseconds(300), id: "search")
  ///
  /// var waits = false
  /// if case .debounce(let loading, for: .milliseconds(300), id: "search") = search.structure,
  ///   case .task = loading.structure
  /// {
  ///   waits = true
  /// }
  /// // waits == true
  /// ```
  ///
  /// A debounce is a sleep followed by an effect, both under an identifier whose newest effect replaces the others,
  /// however it was written. ``children`` and ``summary`` describe it that way.
  ///
  /// - Complexity: linear in the number of effects directly inside.
  public var structure: Structure {
    switch self {
    case .none: .none
    case .set: .set
    case .node(let node): Self.structure(of: node)
    }
  }

  private static func structure(of node: EffectNode) -> Structure {
    switch node.instruction {
    case .none: .none
    case .commit: .set
    case .evaluate: evaluation(node.kind)
    case .operate: .task
    case .attempts(let plan): .retryingTask(plan.schedule)
    case .lift: node.lift.map { .lift(to: $0.target) } ?? .none
    case .sleep(let span): .sleep(.nanoseconds(span))
    case .timer(let span): .timer(.nanoseconds(span))
    case .source(let strategy):
      node.kind == .binding ? .binding(StreamStrategy(source: strategy)) : .stream(StreamStrategy(source: strategy))
    case .cancel(let selection): .cancel(Structure.Target(selection))
    case .join(let selection): .join(Structure.Target(selection))
    case .concatenate: .concatenate(Self.node(node).children)
    case .merge(_, let limit): .merge(Self.node(node).children, limit: limit)
    case .race(_, let toSucceed): .race(Self.node(node).children, goal: RaceGoal(toSucceed: toSucceed))
    case .sequence: .sequence(Self.node(node).children)
    case .replacing(let body, let id): replacement(Self(body), id)
    case .scope(let id, let policy, let body): .id(Self(body), id, policy: IdentifierPolicy(scope: policy))
    case .throttle(let id, let span, let leading, let trailing, let body):
      .throttle(
        Self(body), for: .nanoseconds(span), id: id, edges: ThrottleEdges(leading: leading, trailing: trailing))
    case .label(let body, let label): .label(Self(body), label)
    case .timeout(let span, let body, let other): .timeout(Self(body), .nanoseconds(span), else: Self(other))
    case .retry(let plan, let body): .retry(Self(body), plan.schedule)
    case .recover(let body, _): .recover(Self(body))
    case .finally(let body, let cleanup): .finally(Self(body), cleanup: Self(cleanup))
    case .compensate(let body, let undo): .compensate(Self(body), with: Self(undo))
    }
  }

  private static func evaluation(_ kind: EffectKind) -> Structure {
    switch kind {
    case .read: .read
    case .set: .set
    default: .update
    }
  }

  private static func replacement(_ body: Self, _ id: EffectID) -> Structure {
    let members = body.children
    guard case .node(let node) = body, node.isList, members.count == 2, case .sleep(let duration) = members[0].structure
    else { return .id(body, id, policy: .replace) }
    return .debounce(members[1], for: duration, id: id)
  }
}

extension AsyncStore.Effect.Structure.Target {
  init(_ selection: Selection<EffectID>) {
    switch selection {
    case .identifiers(let ids): self = .ids(ids)
    case .prefix(let prefix): self = .prefix(prefix)
    case .all: self = .all
    }
  }
}

extension ThrottleEdges {
  init(leading: Bool, trailing: Bool) {
    self = leading ? (trailing ? [.leading, .trailing] : .leading) : (trailing ? .trailing : [])
  }
}
