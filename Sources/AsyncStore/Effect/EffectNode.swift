import CAsyncStore

/// A type-erased effect: the machine's view of a node.
///
/// Apart from its closures, an effect does not depend on the type of the state. `AsyncStore.ClosureNode`,
/// `AsyncStore.OperationNode`, `AsyncStore.ListNode` and `AsyncStore.MutationNode` add the closures. So the machine,
/// which works on this class, is compiled once, and not, without specialization, for each state.
///
/// The class is public only because the payload of a public enum's case has to be. It has no public member: inspect an
/// effect through ``AsyncStore/Effect/summary`` and ``AsyncStore/Effect/structure``.
///
/// A class with methods to override and not a protocol: an existential takes two words instead of one, and an
/// `Instruction` with two programs would be larger than four words, the size beyond which it is copied through its
/// metadata.
///
/// `@unchecked` because the class is not final. A node is changed only to take a tree apart, by the holder of the only
/// reference to it or in its `deinit`. While there may be two references, it is immutable.
@_documentation(visibility: internal)
public class EffectNode: @unchecked Sendable {
  /// The place in the source code where the effect was written.
  final let location: CallSite
  /// ``enclosure`` and ``mayOperate`` in one byte, which keeps a node one word smaller.
  private final let traits: UInt8
  /// True for a single operation of this store, which a task continues with by `operationFollowed`, the machine's fast
  /// path.
  ///
  /// Stored beside ``enclosure``, so that the compiler knows that both reads of it give the same value.
  final let isOperation: Bool
  /// The number of levels of nodes below this one, up to ``deep``.
  final let height: UInt8

  init(mayOperate: Bool, enclosure: Enclosure = .none, height: UInt8, _ location: CallSite) {
    traits = enclosure.rawValue << 1 | (mayOperate ? 1 : 0)
    isOperation = enclosure.rawValue == Enclosure.operation.rawValue
    self.height = height
    self.location = location
    // Swift 6.3 places a node that a client creates in an array literal on the client's stack, and overlooks that the
    // array is read at an index that is not a constant: the store would then have a node that is gone.
    keepOnHeap(Unmanaged.passUnretained(self).toOpaque())
  }

  /// True if interpreting the effect may ever start an operation.
  final var mayOperate: Bool { traits & 1 != 0 }

  /// The outermost enclosure of the effect's only operation, or `none` if the effect does anything else.
  final var enclosure: Enclosure { Enclosure(rawValue: traits >> 1) ?? .none }

  /// The effect's own level; each subclass has one.
  var instruction: Instruction<EffectProgram> { preconditionFailure("a node class does not override instruction") }

  /// The number of effects that a fiber runs for this node: the members of a list, otherwise 1.
  var count: Int { 1 }

  /// Returns a node for only these effects of a list.
  func part(_ range: Range<Int>) -> EffectNode { self }

  /// Returns whether the effects of a list before `index` hold no closure and no other effect.
  func isPlain(before index: Int) -> Bool { index == 0 }

  func instruction(at index: Int) -> Instruction<EffectProgram> { instruction }

  func commits(from index: Int, to end: Int) -> Int { 0 }

  /// The scopes that the effect cancels, or `nil` if it does anything else.
  var cancelledScopes: Selection<EffectID>? { nil }

  /// True if this is a list of effects and not a single effect.
  var isList: Bool { false }

  /// Returns the node at an index of a list, or `nil` for a mutation or a sleep, which lists store without a node.
  func node(at index: Int) -> EffectNode? { self }

  /// True for an effect with neither a closure nor another effect inside.
  final var isPlain: Bool { !mayOperate && !hasChildren }

  /// True for a lift, which interprets an effect in another store.
  var isLift: Bool { false }

  /// The lifted effect and the store that interprets it, or `nil` if this is not a lift.
  var lift: (effect: EffectNode, target: AnyAsyncStore)? { nil }

  // MARK: Description

  var kind: EffectKind { instruction.kind }
  var detail: EffectDescription.Detail { instruction.detail }

  final var summary: EffectDescription { EffectDescription(kind, detail, at: location) }

  func describe(at index: Int) -> EffectDescription { summary }

  /// Applies the mutations in this range of a list, each as a commit.
  ///
  /// - Parameter state: the state, of the type that the effect was made for.
  func apply(_ range: Range<Int>, to state: UnsafeMutableRawPointer) {
    preconditionFailure("\(summary) is not a mutation")
  }

  // MARK: Taking apart

  /// The height from which a tree is taken apart in a loop.
  ///
  /// A lower tree is freed like any object, each node with the one above it.
  static let deep: UInt8 = 64

  final var isDeep: Bool { height >= Self.deep }

  /// The height of a node directly above this one.
  final var heightAbove: UInt8 { min(height + 1, Self.deep) }

  var hasChildren: Bool { false }

  /// Moves the nodes directly below this one to a list.
  func surrenderChildren(to list: inout ContiguousArray<EffectNode>) {}

  /// Takes the nodes below a deep node apart, for its `deinit`.
  final func takeApartChildren() {
    guard isDeep else { return }
    var children: ContiguousArray<EffectNode> = []
    surrenderChildren(to: &children)
    // Consumed, because a second reference to the array would be one to each node.
    Self.takeApart(consume children)
  }

  /// Frees deep trees without recursion: takes apart, in a loop, the nodes that nobody else holds.
  static func takeApart(_ nodes: consuming ContiguousArray<EffectNode>) {
    while var node = nodes.popLast() {
      if isKnownUniquelyReferenced(&node), node.hasChildren { node.surrenderChildren(to: &nodes) }
    }
  }
}

/// An effect without a closure, and the superclass of effects with one.
///
/// `@unchecked` because its superclass is, and for `content`, which is changed only to take a tree apart, by the holder
/// of the only reference or in `deinit`.
@usableFromInline
class InstructionNode: EffectNode, @unchecked Sendable {
  private final var content: Instruction<EffectProgram>

  /// - Parameters:
  ///   - enclosure: the instruction's enclosure. The caller knows it; looking it up in the instruction counts
  ///     references to everything inside, 200 instructions for a timeout.
  ///   - height: the height of a subclass's contents other than the instruction.
  init(
    _ instruction: Instruction<EffectProgram>, mayOperate: Bool, enclosure: Enclosure = .none, height: UInt8 = 0,
    _ location: CallSite
  ) {
    assert(enclosure == instruction.enclosure, "an effect's enclosure is not that of its instruction")
    content = instruction
    super.init(mayOperate: mayOperate, enclosure: enclosure, height: max(height, instruction.height), location)
  }

  override final var instruction: Instruction<EffectProgram> { content }
  override final func instruction(at index: Int) -> Instruction<EffectProgram> { content }

  // Read in place, because a copy would count references to everything in it.
  override var kind: EffectKind { content.kind }
  override final var detail: EffectDescription.Detail { content.detail }

  override final var cancelledScopes: Selection<EffectID>? {
    if case .cancel(let scopes) = content { scopes } else { nil }
  }

  override var hasChildren: Bool { content.hasPrograms }

  override func surrenderChildren(to list: inout ContiguousArray<EffectNode>) {
    list.append(contentsOf: takePrograms())
  }

  deinit {
    // A subclass frees its own contents: its part of the object may already be gone.
    guard isDeep, content.hasPrograms else { return }
    Self.takeApart(takePrograms())
  }

  /// Moves the programs out of the node.
  ///
  /// A separate method, so that after it has returned only its result holds the nodes, even in debug builds.
  private func takePrograms() -> ContiguousArray<EffectNode> {
    defer { content = .none }
    return ContiguousArray(content.programs.map(\.node))
  }
}

/// A program of the store: a reference to the node of an effect.
struct EffectProgram: Program, Sendable {
  typealias Identifier = EffectID
  typealias Failure = any Error
  typealias Context = TreeContext
  typealias Label = String
  typealias Description = EffectDescription
  typealias Record = EventRecord
  typealias Origin = EffectOrigin

  let node: EffectNode

  var count: Int { node.count }
  var isOperation: Bool { node.isOperation }
  var enclosure: Enclosure { node.enclosure }
  func instruction(at index: Int) -> Instruction<EffectProgram> { node.instruction(at: index) }
  func effectLifted(at index: Int, into store: ObjectIdentifier?) -> EffectProgram? {
    guard let lift = node.node(at: index)?.lift, ObjectIdentifier(lift.target.runtime) == store else { return nil }
    return EffectProgram(node: lift.effect)
  }
  func commits(from index: Int, to end: Int) -> Int { node.commits(from: index, to: end) }
  func description(at index: Int) -> EffectDescription { node.describe(at: index) }
  static func withoutReferences(_ description: EffectDescription) -> EffectDescription {
    description.withoutReferences
  }
  @inline(__always)
  static func record(
    _ description: EffectDescription?, reusing spare: consuming EventRecord?,
    _ locate: (inout EffectPlace<EffectProgram>) -> Void
  ) -> EventRecord {
    let record = spare ?? EventRecord()
    record.use(for: description ?? EffectDescription(.concatenate), locate)
    return record
  }
  func part(_ range: Range<Int>) -> EffectProgram { EffectProgram(node: node.part(range)) }
  func isPlain(before index: Int) -> Bool { node.isPlain(before: index) }

  static func isCancellation(_ failure: any Error) -> Bool { failure is CancellationError }

  static func undo(_ newest: EffectProgram, then older: EffectProgram) -> EffectProgram {
    let mayOperate = newest.node.mayOperate || older.node.mayOperate
    return EffectProgram(
      node: InstructionNode(.finally(body: newest, cleanup: older), mayOperate: mayOperate, newest.node.location))
  }
}
