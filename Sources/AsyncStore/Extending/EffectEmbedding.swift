/// The conversion of effects on a part of a state to effects on the whole.
package struct EffectEmbedding<Whole: Sendable, WholeEnv: Sendable, Part: Sendable, PartEnv: Sendable>: Sendable {
  package typealias WholeEffect = AsyncStore<Whole, WholeEnv>.Effect
  package typealias PartEffect = AsyncStore<Part, PartEnv>.Effect
  private typealias WholeClosure = AsyncStore<Whole, WholeEnv>.ClosureNode.Closure
  private typealias PartClosure = AsyncStore<Part, PartEnv>.ClosureNode.Closure
  private typealias PartDispatch = @Sendable (inout AsyncStore<Part, PartEnv>.OngoingCommit, inout Part) -> PartEffect

  /// Returns the part, or `nil` if it is missing.
  let get: @Sendable (Whole) -> Part?
  /// Changes the part in place; does nothing if the part is missing.
  package let modify: @Sendable (inout Whole, (inout Part) -> Void) -> Void
  let environment: @Sendable (WholeEnv) -> PartEnv
  /// Creates the whole's closure for a message to the part from the part's own handling of it.
  private let dispatch: @Sendable (any Sendable, @escaping PartDispatch, DeliveryWrapper?) -> WholeClosure
  /// The prefix of the identifiers of the part's effects, if any, so that several parts of a kind can use the same
  /// ones.
  let prefix: EffectID?
  /// The wrapper around the delivery of the commits, if any.
  private var wrapper: DeliveryWrapper?

  package init(
    get: @escaping @Sendable (Whole) -> Part?,
    modify: @escaping @Sendable (inout Whole, (inout Part) -> Void) -> Void,
    environment: @escaping @Sendable (WholeEnv) -> PartEnv, send: @escaping @Sendable (any Sendable) -> WholeEffect,
    prefix: EffectID?
  ) {
    self.get = get
    self.modify = modify
    self.environment = environment
    dispatch = { message, _, wrapper in
      // Another message to the whole, computed when it is reached, like everything that the part decides.
      .deferred { wrapper.map { send(message).published(in: $0) } ?? send(message) }
    }
    self.prefix = prefix
  }

  /// Creates an embedding that keeps the state and the effects, and delivers the commits inside a wrapper.
  init(publishingIn wrapper: @escaping DeliveryWrapper) where Whole == Part, WholeEnv == PartEnv {
    get = { $0 }
    modify = { whole, body in body(&whole) }
    environment = { $0 }
    dispatch = { message, body, nearest in
      let wrapper = nearest ?? wrapper
      return .published(wrapper, .dispatch(message, { body(&$0, &$1).published(in: wrapper) }))
    }
    prefix = nil
    self.wrapper = wrapper
  }

  /// Returns the same effect for the whole: same tree, same order, same identifiers below ``prefix``.
  ///
  /// Linear in the number of nodes of the tree, which it walks without recursion.
  package func callAsFunction(_ effect: PartEffect) -> WholeEffect {
    switch effect {
    case .none: .none
    case .set(let mutation): embed(mutation)
    case .node(let node): .node(embed(node))
    }
  }

  private func embed(_ root: EffectNode) -> EffectNode {
    var embedded: [ObjectIdentifier: EffectNode] = [:]
    var pending: [(node: EffectNode, isReady: Bool)] = [(root, false)]
    while let (node, isReady) = pending.popLast() {
      if embedded[ObjectIdentifier(node)] != nil { continue }
      if isReady {
        embedded[ObjectIdentifier(node)] = rebuild(node) { child in
          guard let child = embedded[ObjectIdentifier(child)] else { preconditionFailure("a child comes first") }
          return child
        }
      } else {
        pending.append((node, true))
        for child in children(of: node) { pending.append((child, false)) }
      }
    }
    guard let result = embedded[ObjectIdentifier(root)] else { preconditionFailure("the root comes last") }
    return result
  }

  private func children(of node: EffectNode) -> [EffectNode] {
    guard node.isList else { return node.instruction.programs.map(\.node) }
    return (0..<node.count).compactMap { node.node(at: $0) }
  }

  private func rebuild(_ node: EffectNode, child: (EffectNode) -> EffectNode) -> EffectNode {
    if let node = node as? AsyncStore<Part, PartEnv>.MutationNode { return embed(node.mutation).asNode }
    if let list = node as? AsyncStore<Part, PartEnv>.ListNode {
      let effects: [WholeEffect] = list.effects.map { effect in
        switch effect {
        case .none: .none
        case .set(let mutation): embed(mutation)
        case .node(let node):
          if case .sleep = node.instruction { .node(node) } else { .node(child(node)) }
        }
      }
      return AsyncStore<Whole, WholeEnv>.ListNode(effects, list.location)
    }
    if let delay = node as? DelayNode { return delay.replacing(child) }
    if let node = node as? AsyncStore<Part, PartEnv>.OperationNode {
      return AsyncStore<Whole, WholeEnv>.OperationNode(embed(node.operation), node.location)
    }
    let instruction = node.instruction.replacing(
      programs: { EffectProgram(node: child($0.node)) },
      identifiers: { [prefix] in prefix?.appending($0) ?? $0 },
      all: prefix.map { .prefix($0) } ?? .all)
    if let closure = (node as? AsyncStore<Part, PartEnv>.ClosureNode)?.closure {
      if let lift = node.lift {
        return AsyncStore<Whole, WholeEnv>.ClosureNode(lifting: lift.effect, to: lift.target, node.location)
      }
      return AsyncStore<Whole, WholeEnv>.ClosureNode(
        instruction, embed(closure), enclosure: instruction.enclosure, node.location)
    }
    return InstructionNode(
      instruction, mayOperate: node.mayOperate, enclosure: instruction.enclosure, node.location)
  }

  private func embed(_ mutation: AsyncStore<Part, PartEnv>.Mutation) -> WholeEffect {
    let body = { @Sendable [modify] (whole: inout Whole) in
      modify(&whole) { part in withUnsafeMutablePointer(to: &part) { mutation.change.apply(to: $0) } }
    }
    if wrapper == nil { return .set(AsyncStore<Whole, WholeEnv>.Mutation(body, mutation.location)) }
    let update = WholeClosure.update { whole in
      body(&whole)
      return .none
    }
    return .node(AsyncStore<Whole, WholeEnv>.ClosureNode(.evaluate, published(update), mutation.location))
  }

  private func published(_ closure: WholeClosure) -> WholeClosure {
    wrapper.map { .published($0, closure) } ?? closure
  }

  private func published(in wrapper: @escaping DeliveryWrapper) -> Self {
    var copy = self
    copy.wrapper = wrapper
    return copy
  }

  private func embed(
    _ operation: AsyncStore<Part, PartEnv>.Operation
  ) -> AsyncStore<Whole, WholeEnv>.Operation {
    switch operation {
    case .plain(let operation): .plain { self(try await operation()) }
    case .onEnvironment(let operation): .onEnvironment { self(try await operation(environment($0))) }
    case .onAttempt(let operation): .onAttempt { self(try await operation(environment($0), $1)) }
    case .none: preconditionFailure("a node that is being freed is not embedded")
    }
  }

  private func embed(_ closure: PartClosure) -> WholeClosure {
    switch closure {
    case .read(let body): .read { whole in get(whole).map { self(body($0)) } ?? .none }
    case .deferred(let body): .deferred { self(body()) }
    case .update(let body): published(.update { evaluate(body, &$0) })
    case .silent(let body): .silent { whole in modify(&whole) { body(&$0) } }
    case .dispatch(let message, let body): dispatch(message, body, wrapper)
    // The wrapper nearest to the commit applies.
    case .published(let wrapper, let inner): published(in: wrapper).embed(inner)
    case .attempts(let operation, let isRetried):
      .attempts({ self(try await operation(environment($0), $1)) }, while: isRetried)
    case .condition(let isRetried): .condition(isRetried)
    case .forward: preconditionFailure("a lift is rebuilt with what it lifts")
    case .timer(let mapEffect): .timer { self(mapEffect($0)) }
    case .sequence(let iterate): .sequence { hasEnded, emit in try await iterate(hasEnded) { emit(self($0)) } }
    case .recover(let handler): .recover { self(handler($0)) }
    case .released: preconditionFailure("an embedded node is being freed")
    case .binding: fatalError("A binding can't become an effect of another state. Bind the other store itself.")
    }
  }

  private func evaluate(_ body: (inout Part) -> PartEffect, _ whole: inout Whole) -> WholeEffect {
    var effect = PartEffect.none
    modify(&whole) { effect = body(&$0) }
    return self(effect)
  }
}
