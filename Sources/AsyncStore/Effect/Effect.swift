extension AsyncStore {
  /// A description of work for a store: inert data that does nothing until a store receives it.
  ///
  /// Effects compose: a few kinds form the kernel (``EffectKind`` lists them), and the factories and modifiers of this
  /// type derive everything else from it.
  ///
  /// ```swift
  /// let load: CounterStore.Effect = .concatenate(
  ///   .set(\.isLoading, to: true),
  ///   .task { .set(\.count, to: try await fetchCount()) },
  ///   .set(\.isLoading, to: false)
  /// )
  /// await store.run(load)
  /// // store.count == 3
  /// // load.children.map(\.summary.kind) == [.set, .task, .set]
  /// ```
  ///
  /// An effect is a value: it can be kept, sent to another thread, and received any number of times and by several
  /// stores. Tests and tools inspect it through its ``structure``.
  public enum Effect: Sendable {
    /// Does nothing.
    case none
    /// Changes the state.
    ///
    /// This case needs no node: the mutation is stored in the effect itself.
    case set(Mutation)
    /// Any other effect.
    case node(EffectNode)
  }
}

extension AsyncStore.Effect {
  /// The effect as a list of effects to interpret one after the other, or `nil` if there is nothing to do.
  var program: EffectProgram? {
    if case .none = self { nil } else { EffectProgram(node: asNode) }
  }

  /// The effect as a node, for effects that enclose another one.
  @inlinable
  var asNode: EffectNode {
    switch self {
    case .none:
      AsyncStore.ListNode(AsyncStore.ListContents(.init(start: nil, count: 0)), CallSite(address: 0, line: 0))
    case .set(let mutation): AsyncStore.MutationNode(mutation)
    case .node(let node): node
    }
  }

  /// The effect without its types, or `nil` if there is nothing to do.
  @inlinable
  package var node: EffectNode? { isNone ? nil : asNode }

  var asProgram: EffectProgram { EffectProgram(node: asNode) }

  @inline(__always)
  var isSet: Bool { if case .set = self { true } else { false } }

  /// Applies the mutation of a set in place.
  @inline(__always)
  func applySet(to state: UnsafeMutablePointer<State>) {
    switch self {
    case .set(let mutation): mutation.change.apply(to: state)
    default: preconditionFailure("not a set")
    }
  }

  /// Creates an effect without a closure.
  ///
  /// Inlined, like the overload with a closure, so that the instruction is moved into the node and not copied.
  @inline(__always)
  static func node(
    _ instruction: Instruction<EffectProgram>, mayOperate: Bool = false, enclosure: Enclosure = .none,
    _ file: StaticString, _ line: UInt
  ) -> Self {
    .node(
      InstructionNode(instruction, mayOperate: mayOperate, enclosure: enclosure, CallSite(file: file, line: line)))
  }

  /// Creates an effect with a closure.
  @inline(__always)
  static func node(
    _ instruction: Instruction<EffectProgram>, _ closure: AsyncStore.ClosureNode.Closure,
    enclosure: Enclosure = .none, _ file: StaticString, _ line: UInt
  ) -> Self {
    .node(AsyncStore.ClosureNode(instruction, closure, enclosure: enclosure, CallSite(file: file, line: line)))
  }

  /// Creates an effect that encloses this one.
  func enclosed(
    _ file: StaticString, _ line: UInt, in instruction: (EffectProgram) -> Instruction<EffectProgram>
  ) -> Self {
    let body = asProgram
    return .node(instruction(body), mayOperate: body.node.mayOperate, file, line)
  }
}
