extension AsyncStore {
  /// A list of effects, interpreted one after the other, or taken as the members of a merge or a race.
  ///
  /// The mutations are kept apart from the rest, so that the machine walks the list without the types of the state, and so that
  /// mutations in a row are applied in a plain loop. Both lie in one piece of memory and not in arrays: generic code that is not
  /// specialised finds its elements without asking for their type.
  ///
  /// `@unchecked` because its superclass is. The memory is written in `init`, freed in `deinit`, and only read in between, save
  /// that whoever holds the only reference takes the members out, to take the tree apart.
  final class ListNode: EffectNode, @unchecked Sendable {
    private let mutations: UnsafeMutablePointer<Mutation>
    private let members: UnsafeMutablePointer<ListMember>
    private let mutationCount: Int32
    private var memberCount: Int32

    /// - Parameter effects: a buffer and not an array: arrays are slow where the type of the state is not known.
    init(_ effects: UnsafeBufferPointer<Effect>, _ location: SourceLocation) {
      var (mutationCount, memberCount) = (0, 0)
      for index in 0..<effects.count {
        switch effects[index] {
        case .none: continue
        case .set: mutationCount += 1
        case .node: break
        }
        memberCount += 1
      }
      let size = mutationCount * MemoryLayout<Mutation>.stride
      let memory = UnsafeMutableRawPointer.allocate(
        byteCount: size + memberCount * MemoryLayout<ListMember>.stride, alignment: MemoryLayout<ListMember>.alignment)
      let mutations = memory.bindMemory(to: Mutation.self, capacity: mutationCount)
      let members = (memory + size).bindMemory(to: ListMember.self, capacity: memberCount)
      var (nextMutation, next) = (0, 0)
      var mayOperate = false
      var height: UInt8 = 0
      for index in 0..<effects.count {
        switch effects[index] {
        case .none: continue
        case .set(let mutation):
          (mutations + nextMutation).initialize(to: mutation)
          (members + next).initialize(to: .mutation(nextMutation))
          nextMutation += 1
        case .node(let node):
          (members + next).initialize(to: ListMember(node))
          mayOperate = mayOperate || node.mayOperate
          height = max(height, node.heightAbove)
        }
        next += 1
      }
      self.mutations = mutations
      self.members = members
      self.mutationCount = Int32(mutationCount)
      self.memberCount = Int32(memberCount)
      super.init(.none, mayOperate: mayOperate, height: height, location)
    }

    override var count: Int { Int(memberCount) }

    override func instruction(at index: Int) -> Instruction<EffectProgram> {
      switch members[index] {
      case .mutation: .commit
      case .sleep(let span, _): .sleep(span)
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

    override func apply(_ range: Range<Int>, to state: UnsafeMutableRawPointer, afterEach: () -> Void) {
      let state = state.assumingMemoryBound(to: State.self)
      guard case .mutation(let first) = members[range.lowerBound] else {
        preconditionFailure("no mutation at \(range.lowerBound)")
      }
      // Mutations in a row are neighbours here too.
      for place in first..<(first + range.count) {
        mutations[place].body(&state.pointee)
        afterEach()
      }
    }

    private func effect(at index: Int) -> Effect {
      switch members[index] {
      case .mutation(let place): .set(mutations[place])
      case .sleep(let span, let location): .node(EffectNode(.sleep(span), mayOperate: false, location))
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
      members.deinitialize(count: count)
      memberCount = 0
    }

    deinit {
      if isDeep {
        var children: ContiguousArray<EffectNode> = []
        surrenderChildren(to: &children)
        // A second reference to the list would be one to each node.
        Self.takeApart(consume children)
      }
      members.deinitialize(count: Int(memberCount))
      mutations.deinitialize(count: Int(mutationCount))
      // Where the memory begins, whatever is there.
      UnsafeMutableRawPointer(mutations).deallocate()
    }
  }

  /// A mutation, where a node is needed: as the body of an effect that encloses it.
  ///
  /// `@unchecked` because its superclass is; its own part is a constant of a `Sendable` type.
  final class MutationNode: EffectNode, @unchecked Sendable {
    let mutation: Mutation

    init(_ mutation: Mutation) {
      self.mutation = mutation
      super.init(.commit, mayOperate: false, mutation.location)
    }

    override func commits(from index: Int, to end: Int) -> Int { end - index }

    override func node(at index: Int) -> EffectNode? { nil }

    override func apply(_ range: Range<Int>, to state: UnsafeMutableRawPointer, afterEach: () -> Void) {
      mutation.body(&state.assumingMemoryBound(to: State.self).pointee)
      afterEach()
    }
  }
}

/// What stands at a place of a list.
///
/// Outside of ``AsyncStore``, whose types it has no part of, so that it is compiled for it.
private enum ListMember {
  /// Where among the list's mutations.
  case mutation(Int)
  /// Without the node that it came in: most of what waits is a list that begins with a sleep.
  case sleep(Moment.Span, SourceLocation)
  case node(EffectNode)

  init(_ node: EffectNode) {
    if case .sleep(let span) = node.instruction { self = .sleep(span, node.location) } else { self = .node(node) }
  }
}
