extension AsyncStore {
  /// A node with a user's closure, other than the operation of an ``OperationNode``.
  ///
  /// `@unchecked` because its superclass is. Its own part is of `Sendable` types, and changes under the same conditions
  /// as the superclass's content: only by the holder of the only reference, to take the tree apart, or by `deinit`.
  @usableFromInline
  final class ClosureNode: InstructionNode, @unchecked Sendable {
    enum Closure: Sendable {
      case read(@Sendable (State) -> Effect)
      /// Creates an effect when it is reached.
      ///
      /// Unlike `read`, it does not look at the state, so an embedding creates the effect even if the part is missing.
      case deferred(@Sendable () -> Effect)
      case update(@Sendable (inout State) -> Effect)
      /// A message to the store that interprets it. Boxed, so that the other cases stay small enough to be copied
      /// without their type.
      indirect case dispatch(any Sendable, @Sendable (inout AsyncStore.OngoingCommit, inout State) -> Effect)
      /// Changes the state without notifying observers.
      case silent(@Sendable (inout State) -> Void)
      /// An `update` or a `dispatch` whose commit is delivered inside a wrapper.
      indirect case published(DeliveryWrapper, Closure)
      /// An operation that is tried again while the condition holds for its error.
      indirect case attempts(
        @Sendable (Env, EffectAttempt) async throws -> Effect, while: (@Sendable (any Error) -> Bool)?)
      /// The condition of a retry around an effect.
      case condition(@Sendable (any Error) -> Bool)
      /// Interprets an effect in another store; the effect is `nil` once the node has been taken apart.
      case forward(AnyAsyncStore, EffectNode?)
      case timer(@Sendable (TimerTick) -> Effect)
      case sequence(Iteration)
      case binding(BindingSetup)
      case recover(@Sendable (any Error) -> Effect)
      /// The node is being freed.
      case released
    }

    /// A closure that ``ReleaseChain`` keeps until its turn.
    private final class KeptClosure: ReleaseChain.Link {
      private let closure: Closure
      init(_ closure: Closure) { self.closure = closure }
    }

    /// Iterates a sequence.
    ///
    /// `hasEnded` is called before an element is mapped, because a sequence may ignore that its task is cancelled.
    /// `emit` returns whether to continue.
    typealias Iteration =
      @Sendable (_ hasEnded: @Sendable () -> Bool, _ emit: @Sendable (Effect) -> Bool) async throws -> Void
    /// Begins to observe another store, and returns a closure that ends the observation, or `nil` if that store is
    /// gone.
    typealias BindingSetup =
      @Sendable (_ run: Run) -> (@Sendable () -> Void)?

    // Read only by holders of the node, and changed only when nobody else holds it.
    @exclusivity(unchecked) private(set) var closure: Closure

    init(
      _ instruction: Instruction<EffectProgram>, _ closure: Closure, enclosure: Enclosure = .none, _ location: CallSite
    ) {
      self.closure = closure
      super.init(instruction, mayOperate: true, enclosure: enclosure, location)
    }

    init(lifting effect: EffectNode, to target: AnyAsyncStore, _ location: CallSite) {
      closure = .forward(target, effect)
      super.init(.lift, mayOperate: true, height: effect.heightAbove, location)
    }

    override var isLift: Bool { if case .forward(_, _?) = closure { true } else { false } }

    override var lift: (effect: EffectNode, target: AnyAsyncStore)? {
      guard case .forward(let target, let effect?) = closure else { return nil }
      return (effect, target)
    }

    override var hasChildren: Bool { isLift || super.hasChildren }

    override func surrenderChildren(to list: inout ContiguousArray<EffectNode>) {
      super.surrenderChildren(to: &list)
      guard case .forward(let target, let effect?) = closure else { return }
      list.append(effect)
      closure = .forward(target, nil)
    }

    deinit {
      if isLift { takeApartChildren() }
      // A closure literal, because a reference to the method would count references to the node.
      ReleaseChain.release(link: { KeptClosure(closure) }, { releaseClosure() })
    }

    // The class's closure has one layout, so that replacing it needs no type metadata.
    @inline(never)
    private func releaseClosure() { closure = .released }

    override var kind: EffectKind {
      switch closure {
      case .read, .deferred: .read
      case .update, .dispatch, .published: .update
      case .silent: .set
      case .attempts: .task
      case .condition: .retry
      case .forward: .lift
      case .timer: .timer
      case .sequence: .stream
      case .binding: .binding
      case .recover: .recover
      case .released: .none
      }
    }
  }
}
