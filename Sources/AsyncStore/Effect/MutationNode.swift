extension AsyncStore {
  /// A mutation as a node, for use as the body of an effect that encloses it.
  ///
  /// `@unchecked` because its superclass is; its own part is a constant of a `Sendable` type.
  @usableFromInline
  final class MutationNode: EffectNode, @unchecked Sendable {
    let mutation: Mutation

    @usableFromInline
    init(_ mutation: Mutation) {
      self.mutation = mutation
      super.init(mayOperate: false, height: 0, mutation.location)
    }

    override var instruction: Instruction<EffectProgram> { .commit }

    override func commits(from index: Int, to end: Int) -> Int { end - index }

    override func node(at index: Int) -> EffectNode? { nil }

    override func apply(_ range: Range<Int>, to state: UnsafeMutableRawPointer) {
      mutation.change.apply(to: state.assumingMemoryBound(to: State.self))
    }
  }
}
