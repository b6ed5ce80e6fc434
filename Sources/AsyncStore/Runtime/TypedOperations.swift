/// The operations of a runtime that need the types of its store, above all those that call effects' closures.
///
/// All are static, because nothing in flight may hold the store; the runtime has everything that they need.
/// `AsyncStore` conforms.
protocol TypedOperations {
  /// Evaluates an effect that needs the state, under the lock, and commits its change.
  ///
  /// - Returns: the effect to continue with, and whether anything was committed.
  static func evaluate(
    _ node: EffectNode, on runtime: Runtime, _ core: inout Core
  ) -> (program: EffectProgram?, isCommit: Bool)
  /// Starts a source: a sequence's task, or a binding.
  ///
  /// - Parameter context: the tree whose task-local values are bound on this thread.
  static func open(_ run: Run, in context: TreeContext?)
  /// Runs a fiber's operation in a task, and usually those that follow it in the same fiber.
  static func drive(_ run: Run)
  /// Maps a timer's tick to an effect, and interprets the effect.
  ///
  /// - Parameter hasCalledOut: true if user code was called since the tick was due.
  static func interpretTick(
    _ tick: Tick, of id: FiberID, _ node: EffectNode, hasCalledOut: Bool, on runtime: Runtime)
  /// Returns whether the retry makes another attempt after this error.
  static func decide(_ error: any Error, by node: EffectNode) -> Bool
  /// Maps an error to the effect that takes the failed one's place.
  static func map(_ error: any Error, by node: EffectNode) -> EffectProgram?
  /// Releases the state but not its memory.
  static func releaseState(of content: StoreContent)
  /// Releases the environment but not its memory.
  static func releaseEnv(of content: StoreContent)
}

/// The code that needs the store's types: it calls effects' closures, and interprets the effects that they return.
extension AsyncStore: TypedOperations {
  static func evaluate(
    _ node: EffectNode, on runtime: Runtime, _ core: inout Core
  ) -> (program: EffectProgram?, isCommit: Bool) {
    var (closure, wrapper) = (closure(of: node), nil as DeliveryWrapper?)
    while case .published(let outer, let inner) = closure { (closure, wrapper) = (inner, outer) }
    var effect = Effect.none
    var released = ReleasedValues()
    let change = runtime.change(&core, in: wrapper) { state in
      let state = state.assumingMemoryBound(to: State.self)
      switch closure {
      case .update(let body):
        effect = body(&state.pointee)
        return .commit()
      case .dispatch(_, let body):
        var ongoing = OngoingCommit(object: runtime.associatedObject)
        effect = body(&ongoing, &state.pointee)
        released = ongoing.released
        return ongoing.commitsNothing ? .none : .commit(because: ongoing.cause)
      case .silent(let body):
        body(&state.pointee)
        return .silent
      case .read(let body):
        effect = body(state.pointee)
        return .none
      case .deferred(let body):
        effect = body()
        return .none
      default:
        preconditionFailure("\(node.summary) can't be evaluated")
      }
    }
    if !released.isEmpty { core.deliveries.append(.released(released)) }
    return (effect.program, change.isChange)
  }

  static func map(_ error: any Error, by node: EffectNode) -> EffectProgram? {
    guard case .recover(let handler) = closure(of: node) else {
      preconditionFailure("\(node.summary) has no error handler")
    }
    return handler(error).program
  }

  static func decide(_ error: any Error, by node: EffectNode) -> Bool {
    switch closure(of: node) {
    case .condition(let isRetried), .attempts(_, while: let isRetried?): return isRetried(error)
    default: preconditionFailure("\(node.summary) has no condition")
    }
  }

  static func releaseState(of content: StoreContent) {
    content.state.assumingMemoryBound(to: State.self).deinitialize(count: 1)
  }

  static func releaseEnv(of content: StoreContent) {
    // Usually there is nothing to release, but generic code needs 50 instructions to find that out.
    guard !_isPOD(Env.self) else { return }
    content.env.assumingMemoryBound(to: Env.self).deinitialize(count: 1)
  }

  static func env(of runtime: Runtime) -> Env { runtime.content.env.assumingMemoryBound(to: Env.self).pointee }

  /// Returns the closure of a node.
  ///
  /// Only this store's own effects reach this function, and each node passed to it is of this class.
  static func closure(of node: EffectNode) -> ClosureNode.Closure {
    unsafeDowncast(node, to: ClosureNode.self).closure
  }
}
