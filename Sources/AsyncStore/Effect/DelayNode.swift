/// A list of two members: a sleep, and then an effect that is not a mutation.
///
/// Created only for debounces, one for each pressed key. An `AsyncStore.ListNode` would also need an array, a node for
/// the sleep, and memory for the members (`Tests/Benchmarks/instructions P7a`).
///
/// `@unchecked` because its superclass is, and for `body`, which no thread accesses while another changes it. `init`
/// sets it before the node is shared. It is changed only to take a tree apart, by the holder of the only reference or
/// in `deinit`; in between it is only read.
final class DelayNode: EffectNode, @unchecked Sendable {
  private let span: Moment.Span
  /// The effect, or `nil` once the node has been taken apart.
  private var body: EffectNode?

  init(_ span: Moment.Span, before body: consuming EffectNode, _ location: CallSite) {
    let (mayOperate, height) = (body.mayOperate, body.heightAbove)
    self.span = span
    self.body = body
    super.init(mayOperate: mayOperate, height: height, location)
  }

  override var count: Int { 2 }
  override var isList: Bool { true }
  override var kind: EffectKind { .concatenate }

  /// The list as a single effect.
  override var instruction: Instruction<EffectProgram> { .concatenate(EffectProgram(node: self)) }

  override func instruction(at index: Int) -> Instruction<EffectProgram> {
    index == 0 ? .sleep(span) : body?.instruction ?? .none
  }

  override func node(at index: Int) -> EffectNode? { index == 0 ? nil : body }

  override func part(_ range: Range<Int>) -> EffectNode {
    if range.count == 2 { return self }
    return node(at: range.lowerBound) ?? InstructionNode(.sleep(span), mayOperate: false, location)
  }

  override func isPlain(before index: Int) -> Bool { index <= 1 || body?.isPlain ?? true }

  override func describe(at index: Int) -> EffectDescription { part(index..<index + 1).summary }

  override var hasChildren: Bool { body != nil }

  override func surrenderChildren(to list: inout ContiguousArray<EffectNode>) {
    if let body = body.take() { list.append(body) }
  }

  /// Returns the same list with another effect.
  func replacing(_ replacement: (EffectNode) -> EffectNode) -> EffectNode {
    guard let body else { return self }
    return DelayNode(span, before: replacement(body), location)
  }

  deinit { takeApartChildren() }
}
