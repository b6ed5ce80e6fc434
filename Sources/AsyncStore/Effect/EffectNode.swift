/// An effect without its types: what the machine sees of a node.
///
/// What an effect is made of has nothing to do with the state, save for the closures, which `AsyncStore.ClosureNode`,
/// `AsyncStore.ListNode` and `AsyncStore.MutationNode` add. So the machine, which works on this class, is compiled
/// once, and not once, unspecialised, for every state.
///
/// `@unchecked` because the class is not final. A node is changed only to take a tree apart, by the holder of the only
/// reference to it or in its `deinit`; as long as two could see it, it is immutable.
public class EffectNode: @unchecked Sendable {
  /// Where the effect was written.
  public final let location: CallSite
  /// Whether interpreting it may start an operation some time.
  final let mayOperate: Bool
  /// How many levels of nodes lie below it, up to ``deep``.
  final let height: UInt8

  init(mayOperate: Bool, height: UInt8, _ location: CallSite) {
    self.mayOperate = mayOperate
    self.height = height
    self.location = location
  }

  /// What the effect asks for.
  var instruction: Instruction<EffectProgram> { preconditionFailure("abstract") }

  /// How many effects a fiber that runs this node runs: the members of a list, else the node itself.
  var count: Int { 1 }

  /// A node for these effects of a list, and for none of the others.
  func part(_ range: Range<Int>) -> EffectNode { self }

  /// True if the effects of a list before `index` hold nothing.
  func isPlain(before index: Int) -> Bool { index == 0 }

  func instruction(at index: Int) -> Instruction<EffectProgram> { instruction }

  func commits(from index: Int, to end: Int) -> Int { 0 }

  /// True for a single operation of this store: a task goes on with it by the machine's short way, `operationGoesOn`.
  var isOperation: Bool { false }

  /// Whether it is a list of effects and not one effect.
  var isList: Bool { false }

  /// The node at a place of a list; `nil` for a mutation or a sleep, which lists keep without a node.
  func node(at index: Int) -> EffectNode? { self }

  /// True for an effect with neither a closure nor another effect inside.
  final var isPlain: Bool { !mayOperate && !hasChildren }

  /// True for a lift, which has another store interpret an effect.
  var isLift: Bool { false }

  /// That effect, and the other store.
  var lift: (effect: EffectNode, target: AnyAsyncStore)? { nil }

  // MARK: Description

  var kind: EffectKind { instruction.kind }
  var detail: EffectDescription.Detail { instruction.detail }

  final var summary: EffectDescription { EffectDescription(kind, detail, at: location) }

  func describe(at index: Int) -> EffectDescription { node(at: index)?.summary ?? summary }

  /// Applies the mutations at these places of a list, each of them a commit.
  ///
  /// - Parameter state: of the type that the effect is made for.
  func apply(_ range: Range<Int>, to state: UnsafeMutableRawPointer) {
    preconditionFailure("\(summary) is no mutation")
  }

  // MARK: Taking apart

  /// From this height on a tree is taken apart in a loop; a lower one may go as any object does, each node with the one
  /// above it.
  static let deep: UInt8 = 64

  final var isDeep: Bool { height >= Self.deep }

  /// The height of a node above this one.
  final var heightAbove: UInt8 { min(height + 1, Self.deep) }

  var hasChildren: Bool { false }

  /// Hands over the nodes right below, and has none afterwards.
  func surrenderChildren(to list: inout ContiguousArray<EffectNode>) {}

  /// Deep trees are freed without recursion: what nobody else holds is taken apart in a loop.
  static func takeApart(_ nodes: consuming ContiguousArray<EffectNode>) {
    while var node = nodes.popLast() {
      if isKnownUniquelyReferenced(&node), node.hasChildren { node.surrenderChildren(to: &nodes) }
    }
  }
}

/// An effect without a closure, and what those with one have in common.
///
/// `@unchecked` because its superclass is, and for `content`, which is changed only to take a tree apart, by the holder
/// of the only reference or in `deinit`.
@usableFromInline
class InstructionNode: EffectNode, @unchecked Sendable {
  private final var content: Instruction<EffectProgram>

  /// - Parameter height: that of what a subclass holds beside the instruction.
  init(_ instruction: Instruction<EffectProgram>, mayOperate: Bool, height: UInt8 = 0, _ location: CallSite) {
    content = instruction
    super.init(mayOperate: mayOperate, height: max(height, instruction.height), location)
  }

  /// One below which there is nothing.
  init(leaf instruction: Instruction<EffectProgram>, mayOperate: Bool, _ location: CallSite) {
    content = instruction
    super.init(mayOperate: mayOperate, height: 0, location)
  }

  override final var instruction: Instruction<EffectProgram> { content }
  override final func instruction(at index: Int) -> Instruction<EffectProgram> { content }

  // Asked where it lies: a copy would count references to all that is in it.
  override var kind: EffectKind { content.kind }
  override final var detail: EffectDescription.Detail { content.detail }

  override var hasChildren: Bool { content.hasPrograms }

  override func surrenderChildren(to list: inout ContiguousArray<EffectNode>) {
    list.append(contentsOf: takePrograms())
  }

  deinit {
    // What a subclass holds is its own business: its part of the object may be gone by now.
    guard isDeep, content.hasPrograms else { return }
    Self.takeApart(takePrograms())
  }

  /// A function of its own, so that nothing but its result holds the nodes when it has returned, in debug builds too.
  private func takePrograms() -> ContiguousArray<EffectNode> {
    defer { content = .none }
    return ContiguousArray(content.programs.map(\.node))
  }
}

/// The store's programs are references to the nodes of effects.
struct EffectProgram: Program, Sendable {
  typealias Identifier = EffectID
  typealias Failure = any Error
  typealias Context = TreeContext
  typealias Label = String
  typealias Description = EffectDescription

  let node: EffectNode

  var count: Int { node.count }
  var isOperation: Bool { node.isOperation }
  func instruction(at index: Int) -> Instruction<EffectProgram> { node.instruction(at: index) }
  func commits(from index: Int, to end: Int) -> Int { node.commits(from: index, to: end) }
  func description(at index: Int) -> EffectDescription { node.describe(at: index) }
  static func withoutReferences(_ description: EffectDescription) -> EffectDescription {
    description.withoutReferences
  }
  func part(_ range: Range<Int>) -> EffectProgram { EffectProgram(node: node.part(range)) }
  func isPlain(before index: Int) -> Bool { node.isPlain(before: index) }

  static func undo(_ newest: EffectProgram, then older: EffectProgram) -> EffectProgram {
    let mayOperate = newest.node.mayOperate || older.node.mayOperate
    return EffectProgram(
      node: InstructionNode(.finally(body: newest, cleanup: older), mayOperate: mayOperate, newest.node.location))
  }
}
