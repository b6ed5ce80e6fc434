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
