extension AsyncStore {
  /// A list of effects, interpreted one after the other, or used as the members of a merge or a race.
  ///
  /// Mutations are stored apart from the other members, so that the machine walks the list without the types of the
  /// state, and consecutive mutations are applied in a plain loop. Both lie in one piece of memory and not in arrays:
  /// unspecialized generic code finds the elements without looking up their type.
  ///
  /// `@unchecked` because its superclass is. The memory is written by ``ListContents``, which hands it over to `init`,
  /// and freed in `deinit`. In between it is only read, except that the holder of the only reference takes the members
  /// out to take the tree apart.
  @usableFromInline
  final class ListNode: EffectNode, @unchecked Sendable {
    private let mutations: UnsafeMutablePointer<ListMutation>
    /// The members in order, or `nil` if all of them are mutations.
    private let members: UnsafeMutablePointer<ListMember>?
    private let mutationCount: Int32
    private var memberCount: Int32
    /// True if a mutation has captured something that has to be released.
    private let hasCaptures: Bool

    @usableFromInline
    init(_ contents: ListContents, _ location: CallSite) {
      mutations = contents.mutations
      members = contents.members
      mutationCount = Int32(contents.mutationCount)
      memberCount = Int32(contents.memberCount)
      hasCaptures = contents.captures != 0
      super.init(mayOperate: contents.traits.mayOperate, height: contents.traits.height, location)
    }

    convenience init(_ effects: [Effect], _ location: CallSite) {
      self.init(effects.withUnsafeBufferPointer { ListContents($0) }, location)
    }

    override var count: Int { Int(memberCount) }

    /// The list as a single effect.
    override var instruction: Instruction<EffectProgram> { .concatenate(EffectProgram(node: self)) }

    override func instruction(at index: Int) -> Instruction<EffectProgram> {
      guard let members else { return .commit }
      return switch members[index] {
      case .mutation: .commit
      case .sleep(let span, _): .sleep(span)
      case .node(let node): node.instruction
      }
    }

    override func commits(from index: Int, to end: Int) -> Int {
      guard let members else { return end - index }
      var next = index
      while next < end, case .mutation = members[next] { next += 1 }
      return next - index
    }

    override func node(at index: Int) -> EffectNode? {
      if let members, case .node(let node) = members[index] { node } else { nil }
    }

    override func apply(_ range: Range<Int>, to state: UnsafeMutableRawPointer) {
      let state = state.assumingMemoryBound(to: State.self)
      var first = range.lowerBound
      if let members {
        guard case .mutation(let place) = members[first] else { preconditionFailure("no mutation at \(first)") }
        first = place
      }
      // Consecutive mutations are adjacent in this memory too.
      for place in first..<(first + range.count) { mutations[place].apply(to: state) }
    }

    override func part(_ range: Range<Int>) -> EffectNode {
      if range.count == 1 { return effect(at: range.lowerBound).asNode }
      return ListNode(range.map { effect(at: $0) }, location)
    }

    override func isPlain(before index: Int) -> Bool {
      // A longer list is divided once, because otherwise it could be walked at each wait.
      guard index <= 4 else { return false }
      for place in 0..<index {
        switch members?[place] ?? .mutation(place) {
        case .mutation(let place): if mutations[place].mutation.isClosure { return false }
        case .sleep: break
        case .node(let node): if !node.isPlain { return false }
        }
      }
      return true
    }

    private func effect(at index: Int) -> Effect {
      switch members?[index] ?? .mutation(index) {
      case .mutation(let place): .set(mutations[place].mutation)
      case .sleep(let span, let location): .node(InstructionNode(.sleep(span), mayOperate: false, location))
      case .node(let node): .node(node)
      }
    }

    var effects: [Effect] { (0..<count).map { effect(at: $0) } }

    override var kind: EffectKind { .concatenate }
    override var isList: Bool { true }

    override func describe(at index: Int) -> EffectDescription { effect(at: index).summary }

    override var hasChildren: Bool { memberCount > 0 }

    override func surrenderChildren(to list: inout ContiguousArray<EffectNode>) {
      for index in 0..<count { if let node = node(at: index) { list.append(node) } }
      members?.deinitialize(count: count)
      memberCount = 0
    }

    deinit {
      takeApartChildren()
      members?.deinitialize(count: Int(memberCount))
      if hasCaptures { mutations.deinitialize(count: Int(mutationCount)) }
      // The memory begins at the mutations, even if there are none.
      Memory.release(mutations)
    }
  }

  /// A mutation of a list.
  ///
  /// The mutation can't be copied, so that it is applied in place, and no reference to its closure is counted.
  @usableFromInline
  struct ListMutation: ~Copyable, Sendable {
    @usableFromInline let mutation: Mutation

    @inlinable
    init(_ mutation: consuming Mutation) { self.mutation = mutation }

    @inline(__always)
    borrowing func apply(to state: UnsafeMutablePointer<State>) { mutation.change.apply(to: state) }
  }
}
