/// An effect without its types: what the machine sees of a node.
///
/// What an effect is made of has nothing to do with the state, save for the closures, which `AsyncStore.ClosureNode` and
/// `AsyncStore.ListNode` add. So the machine, which works on this class, is compiled once, and not once, unspecialised, for
/// every state.
///
/// `@unchecked` because the class is not final, and for `instruction`: a node is changed only to take a tree apart, by whoever
/// holds the only reference to it or runs its `deinit`. As long as two could see it, it is immutable.
public class EffectNode: @unchecked Sendable {
  /// What the effect asks for; of a list: nothing by itself.
  private(set) final var instruction: Instruction<EffectProgram>
  /// Where the effect was written.
  public final let location: SourceLocation
  /// Whether interpreting it may start an operation some time.
  final let mayOperate: Bool
  /// The label of a `named` effect.
  private let label: String?

  init(_ instruction: Instruction<EffectProgram>, label: String? = nil, mayOperate: Bool, _ location: SourceLocation) {
    self.instruction = instruction
    self.label = label
    self.mayOperate = mayOperate
    self.location = location
  }

  /// How many effects a strand that runs this node runs: the members of a list, else the node itself.
  var count: Int { 1 }

  func instruction(at index: Int) -> Instruction<EffectProgram> { instruction }

  func commits(from index: Int, to end: Int) -> Int { 0 }

  /// Whether it is an operation of the store's own.
  final var isOperation: Bool {
    if case .operate = instruction { kind == .task } else { false }
  }

  /// Whether it is a list of effects and not one effect.
  var isList: Bool { false }

  /// The node at a place of a list; `nil`: a mutation.
  func node(at index: Int) -> EffectNode? { self }

  /// The effect of another store's that it lifts.
  var lifted: EffectNode? { nil }

  // MARK: Description

  var kind: EffectKind { instruction.kind }

  final var summary: EffectDescription {
    EffectDescription(kind, label.map { "\"\($0)\"" } ?? instruction.detail, at: location)
  }

  func describe(at index: Int) -> EffectDescription { node(at: index)?.summary ?? summary }

  /// The label of a `named` effect.
  final func label(at index: Int) -> String? { node(at: index)?.label }

  // MARK: Taking apart

  var hasChildren: Bool { instruction.hasPrograms }

  /// Hands over the nodes right below, and has none afterwards.
  func surrenderChildren(to list: inout ContiguousArray<EffectNode>) {
    list.append(contentsOf: instruction.programs.map(\.node))
    instruction = .none
  }

  /// Trees are freed without recursion, however deep: what nobody else holds is taken apart in a loop.
  static func takeApart(_ nodes: consuming ContiguousArray<EffectNode>) {
    while var node = nodes.popLast() {
      if isKnownUniquelyReferenced(&node), node.hasChildren { node.surrenderChildren(to: &nodes) }
    }
  }

  deinit {
    // What a subclass holds is its own business: its part of the object may be gone by now.
    guard instruction.hasPrograms else { return }
    Self.takeApart(takePrograms())
  }

  /// A function of its own, so that nothing but its result holds the nodes when it has returned, in debug builds too.
  private func takePrograms() -> ContiguousArray<EffectNode> {
    defer { instruction = .none }
    return ContiguousArray(instruction.programs.map(\.node))
  }
}

/// The store's programs are references to the nodes of effects.
struct EffectProgram: Program, Sendable {
  typealias Identifier = EffectID
  typealias Failure = any Error
  typealias Context = TreeContext

  let node: EffectNode

  var count: Int { node.count }
  func instruction(at index: Int) -> Instruction<EffectProgram> { node.instruction(at: index) }
  func commits(from index: Int, to end: Int) -> Int { node.commits(from: index, to: end) }
}

extension AsyncStore {
  /// A node with a closure of the user's.
  ///
  /// `@unchecked` because its superclass is. Its own part is a constant of a `Sendable` type, and `liftedNode`, which is changed
  /// as its superclass's instruction is: only by whoever holds the only reference, to take the tree apart.
  @usableFromInline
  final class ClosureNode: EffectNode, @unchecked Sendable {
    enum Closure: Sendable {
      case read(@Sendable (State) -> Effect)
      case update(@Sendable (inout State) -> Effect)
      /// A message to the store that interprets it.
      /// In a box, so that the others stay small enough to be copied without their type.
      indirect case dispatch(any Sendable, @Sendable (AsyncStore.Attachment, inout State) -> Effect)
      /// Changes the state and tells no observer.
      case silent(@Sendable (inout State) -> Void)
      /// An `update` or a `dispatch` whose commit is delivered inside a wrapper.
      indirect case published(DeliveryWrapper, Closure)
      case operation(@Sendable () async throws -> Effect)
      case environmentOperation(@Sendable (Env) async throws -> Effect)
      /// Has another store interpret the node's `lifted` effect.
      case forward(Target)
      case timer(@Sendable (TimerTick) -> Effect)
      case sequence(Iteration)
      case binding(Attachment)
      case recover(@Sendable (any Error) -> Effect)
    }

    /// Iterates a sequence.
    ///
    /// `emit` answers whether to go on.
    typealias Iteration = @Sendable (_ emit: @Sendable (Effect) -> Bool) async throws -> Void
    /// Attaches to another store's commits, and answers how to detach, or nothing if that store is gone.
    typealias Attachment =
      @Sendable (_ downstream: StateRuntime<State, Env>, _ id: StrandID, _ run: Run) -> (@Sendable () -> Void)?

    /// Another store, and how it begins an effect in a tree.
    struct Target: Sendable {
      let runtime: Runtime
      /// It holds the store.
      let begin: @Sendable (EffectNode, TreeContext) -> Void
    }

    let closure: Closure
    private var liftedNode: EffectNode?

    init(_ instruction: Instruction<EffectProgram>, _ closure: Closure, _ location: SourceLocation) {
      self.closure = closure
      super.init(instruction, mayOperate: true, location)
    }

    /// An operation, made where the types of the state are known: there the class is at hand, in generic code it would have
    /// to be looked up each time.
    @usableFromInline
    convenience init(_ operation: @escaping @Sendable () async throws -> Effect, _ location: SourceLocation) {
      self.init(.operate, .operation(operation), location)
    }

    init(lifting effect: EffectNode, to target: Target, _ location: SourceLocation) {
      closure = .forward(target)
      liftedNode = effect
      super.init(.operate, mayOperate: true, location)
    }

    override var lifted: EffectNode? { liftedNode }
    override var hasChildren: Bool { liftedNode != nil || super.hasChildren }

    override func surrenderChildren(to list: inout ContiguousArray<EffectNode>) {
      super.surrenderChildren(to: &list)
      if let liftedNode { list.append(liftedNode) }
      liftedNode = nil
    }

    deinit {
      guard liftedNode != nil else { return }
      var children: ContiguousArray<EffectNode> = []
      surrenderChildren(to: &children)
      Self.takeApart(consume children)
    }

    override var kind: EffectKind {
      switch closure {
      case .read: .read
      case .update, .dispatch, .published: .update
      case .silent: .set
      case .operation, .environmentOperation: .task
      case .forward: .lift
      case .timer: .timer
      case .sequence: .stream
      case .binding: .binding
      case .recover: .recover
      }
    }
  }

  /// A list of effects, interpreted one after the other, or taken as the members of a merge or a race.
  ///
  /// Nodes and mutations are kept apart, so that the machine walks the list without the types of the state, and so that
  /// mutations in a row are applied in a plain loop.
  ///
  /// `@unchecked` because its superclass is. The buffer of mutations is written in `init`, freed in `deinit`, and only read in
  /// between; `members` is changed only by whoever holds the only reference, to take the tree apart.
  final class ListNode: EffectNode, @unchecked Sendable {
    private var members: ContiguousArray<ListMember>
    /// A buffer and not an array: generic code that is not specialised finds its elements without asking for their type.
    private let mutations: UnsafeMutablePointer<Mutation>
    private let mutationCount: Int

    init(_ effects: [Effect], _ location: SourceLocation) {
      var mayOperate = false
      var members: ContiguousArray<ListMember> = []
      members.reserveCapacity(effects.count)
      let mutations = UnsafeMutablePointer<Mutation>.allocate(capacity: effects.count)
      var next = 0
      effects.withUnsafeBufferPointer { effects in
        for index in 0..<effects.count {
          switch effects[index] {
          case .none: break
          case .set(let mutation):
            (mutations + next).initialize(to: mutation)
            members.append(.mutation(next))
            next += 1
          case .node(let node):
            mayOperate = mayOperate || node.mayOperate
            members.append(.node(node))
          }
        }
      }
      self.members = members
      self.mutations = mutations
      mutationCount = next
      super.init(.none, mayOperate: mayOperate, location)
    }

    override var count: Int { members.count }

    override func instruction(at index: Int) -> Instruction<EffectProgram> {
      switch members[index] {
      case .mutation: .commit
      case .node(let node): node.isList ? .concatenate(EffectProgram(node: node)) : node.instruction
      }
    }

    override func commits(from index: Int, to end: Int) -> Int {
      var next = index
      while next < end, case .mutation = members[next] { next += 1 }
      return next - index
    }

    override func node(at index: Int) -> EffectNode? {
      if case .node(let node) = members[index] { node } else { nil }
    }

    /// Applies the mutations at these places, each of them a commit.
    func apply(_ range: Range<Int>, to state: UnsafeMutablePointer<State>, afterEach: () -> Void) {
      guard case .mutation(let first) = members[range.lowerBound] else {
        preconditionFailure("no mutation at \(range.lowerBound)")
      }
      // Mutations in a row are neighbours here too.
      for place in first..<(first + range.count) {
        mutations[place].body(&state.pointee)
        afterEach()
      }
    }

    func effect(at index: Int) -> Effect {
      switch members[index] {
      case .mutation(let place): .set(mutations[place])
      case .node(let node): .node(node)
      }
    }

    var effects: [Effect] { members.indices.map { effect(at: $0) } }

    override var kind: EffectKind { .concatenate }
    override var isList: Bool { true }

    override func describe(at index: Int) -> EffectDescription { effect(at: index).summary }

    override var hasChildren: Bool { !members.isEmpty }

    override func surrenderChildren(to list: inout ContiguousArray<EffectNode>) {
      for case .node(let node) in members { list.append(node) }
      members = []
    }

    deinit {
      var children: ContiguousArray<EffectNode> = []
      surrenderChildren(to: &children)
      // A second reference to the list would be one to each node.
      Self.takeApart(consume children)
      mutations.deinitialize(count: mutationCount)
      mutations.deallocate()
    }
  }
}

/// What stands at a place of a list.
///
/// Outside of ``AsyncStore``, whose types it has no part of, so that arrays of it are compiled for it.
private enum ListMember {
  case mutation(Int)
  case node(EffectNode)
}
