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
