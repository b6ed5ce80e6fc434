/// An effect without its types: what the machine sees of a node.
///
/// The machine works on this class and not on ``AsyncStore/Node``, so that it is compiled once for this module and not once,
/// unspecialised, for every state.
///
/// `@unchecked` because a class that is not final can't be checked: its only subclass, ``AsyncStore/Node``, is immutable while
/// anyone else can see it.
public class EffectNode: @unchecked Sendable {
  init() {}

  /// How many effects a strand that runs this node runs: the members of a `concatenate`, else the node itself.
  var count: Int { 1 }
  func instruction(at index: Int) -> Instruction<EffectProgram> { .none }
  func describe(at index: Int) -> EffectDescription { preconditionFailure("EffectNode is abstract") }
  /// The label of a `named` effect.
  func label(at index: Int) -> String? { nil }
  /// Whether interpreting it may start an operation some time.
  var mayOperate: Bool { true }
}

/// The store's programs are references to the nodes of effects.
struct EffectProgram: Program, Sendable {
  typealias Identifier = EffectID
  typealias Failure = any Error
  typealias Context = TreeContext

  let node: EffectNode

  var count: Int { node.count }
  func instruction(at index: Int) -> Instruction<EffectProgram> { node.instruction(at: index) }
}

extension AsyncStore {
  /// The contents of an effect that is more than a change of the state.
  public final class Node: EffectNode, @unchecked Sendable {
    enum Content: Sendable {
      case read(@Sendable (borrowing State) -> Effect)
      case update(@Sendable (inout State) -> Effect)
      case operation(@Sendable () async throws -> Effect)
      case environmentOperation(@Sendable (Env) async throws -> Effect)
      /// An effect of another store's.
      case forward(@Sendable () -> EffectHandle)
      case sleep(Moment.Span)
      case timer(Moment.Span, @Sendable (TimerTick) -> Effect)
      case source(SourceStrategy, EffectSource<State, Env>)
      case cancel(Selection<EffectID>)
      case join(Selection<EffectID>)
      case concatenate([Effect])
      case merge(Node, limit: Int)
      case race(Node, toSucceed: Bool)
      case scope(EffectID, ScopePolicy, Node)
      case throttle(EffectID, Moment.Span, ThrottleEdges, Node)
      case named(String, Node)
      case timeout(Moment.Span, Node, otherwise: Node)
      case retry(RetrySchedule, seed: UInt64?, Node)
      case recover(@Sendable (any Error) -> Effect, Node)
      case finally(Node, cleanup: Node)
    }

    // Changed in `deinit` alone, of this node or, while it is uniquely referenced from there, of the node above it.
    private(set) var content: Content
    /// Where the effect was written.
    public let location: SourceLocation
    private let operates: Bool

    init(_ content: Content, _ location: SourceLocation) {
      self.content = content
      self.location = location
      operates = content.mayOperate
    }

    override var mayOperate: Bool { operates }

    override var count: Int {
      if case .concatenate(let members) = content { members.count } else { 1 }
    }

    override func instruction(at index: Int) -> Instruction<EffectProgram> {
      guard case .concatenate(let members) = content else { return content.instruction }
      switch members[index] {
      case .none: return .none
      case .set: return .commit
      case .node(let node):
        if case .concatenate = node.content { return .concatenate(EffectProgram(node: node)) }
        return node.content.instruction
      }
    }

    /// The effect that a site of this node stands for.
    func effect(at index: Int) -> Effect {
      if case .concatenate(let members) = content { members[index] } else { .node(self) }
    }

    override func describe(at index: Int) -> EffectDescription { effect(at: index).summary }

    override func label(at index: Int) -> String? {
      if case .node(let node) = effect(at: index), case .named(let label, _) = node.content { label } else { nil }
    }

    /// Trees are freed without recursion, however deep: the children that nobody else holds are taken apart from here.
    deinit {
      guard content.hasChildren else { return }
      var pending = content.children
      content = .cancel(.identifiers([]))
      while var node = pending.popLast() {
        guard isKnownUniquelyReferenced(&node), node.content.hasChildren else { continue }
        pending.append(contentsOf: node.content.children)
        node.content = .cancel(.identifiers([]))
      }
    }
  }
}

extension AsyncStore.Node.Content {
  var instruction: Instruction<EffectProgram> {
    switch self {
    case .read, .update: .evaluate
    case .operation, .environmentOperation, .forward: .operate
    case .sleep(let span): .sleep(span)
    case .timer(let interval, _): .timer(interval: interval)
    case .source(let strategy, _): .source(strategy)
    case .cancel(let selection): .cancel(selection)
    case .join(let selection): .join(selection)
    case .concatenate: preconditionFailure("a concatenate is a list of instructions")
    case .merge(let list, let limit): .merge(EffectProgram(node: list), limit: limit)
    case .race(let list, let toSucceed): .race(EffectProgram(node: list), toSucceed: toSucceed)
    case .scope(let identifier, let policy, let body): .scope(identifier, policy, body: EffectProgram(node: body))
    case .throttle(let identifier, let span, let edges, let body):
      .throttle(
        identifier, span, leading: edges.contains(.leading), trailing: edges.contains(.trailing),
        body: EffectProgram(node: body))
    case .named(_, let body): .named(body: EffectProgram(node: body))
    case .timeout(let span, let body, let otherwise):
      .timeout(span, body: EffectProgram(node: body), otherwise: EffectProgram(node: otherwise))
    case .retry(let schedule, let seed, let body): .retry(schedule, seed: seed, body: EffectProgram(node: body))
    case .recover(_, let body): .recover(body: EffectProgram(node: body))
    case .finally(let body, let cleanup):
      .finally(body: EffectProgram(node: body), cleanup: EffectProgram(node: cleanup))
    }
  }

  /// The nodes right below; members that only set state have none.
  var children: [AsyncStore.Node] {
    switch self {
    case .read, .update, .operation, .environmentOperation, .forward, .sleep, .timer, .source, .cancel, .join: []
    case .concatenate(let members):
      members.compactMap { if case .node(let node) = $0 { node } else { nil } }
    case .merge(let node, _), .race(let node, _), .scope(_, _, let node), .throttle(_, _, _, let node),
      .named(_, let node), .retry(_, _, let node), .recover(_, let node):
      [node]
    case .timeout(_, let node, let other), .finally(let node, let other): [node, other]
    }
  }

  var hasChildren: Bool {
    switch self {
    case .read, .update, .operation, .environmentOperation, .forward, .sleep, .timer, .source, .cancel, .join: false
    default: true
    }
  }

  var mayOperate: Bool {
    switch self {
    case .read, .update, .operation, .environmentOperation, .forward, .timer, .source, .recover: true
    case .sleep, .cancel, .join: false
    case .concatenate(let members):
      members.contains { if case .node(let node) = $0 { node.mayOperate } else { false } }
    default: children.contains { $0.mayOperate }
    }
  }
}
