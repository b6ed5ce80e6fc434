extension AsyncStore {
  /// Storage for a `ListNode`, which takes ownership of it.
  ///
  /// Filled by inlinable code: where the type of the state is known, a member takes a few instructions; generic code
  /// would look up the type for each.
  @usableFromInline
  struct ListContents {
    @usableFromInline let mutations: UnsafeMutablePointer<ListMutation>
    @usableFromInline let members: UnsafeMutablePointer<ListMember>?
    @usableFromInline let mutationCount: Int
    @usableFromInline let memberCount: Int
    /// The bits of ``Mutation/captures`` of all mutations; 0 if there is nothing to release.
    @usableFromInline var captures: UInt = 0
    @usableFromInline var traits = ListTraits()

    /// Moves the effects out of an array and leaves it empty.
    ///
    /// Nothing is copied, and no reference is counted, if nobody else has the array; otherwise, the array is copied
    /// first. The effects are taken from the end, where an array gives up an element without touching the others.
    /// Effects that were moved out are not released with the array, which would check each element's kind.
    @inlinable
    init(moving effects: inout [Effect]) {
      self.init(for: effects.withUnsafeBufferPointer { Self.counts(of: $0) })
      if mutationCount == effects.count {
        moveMutations(outOf: &effects)
        return
      }
      var (mutationIndex, member) = (mutationCount, memberCount)
      while let effect = effects.popLast() {
        switch consume effect {
        case .none: continue
        case .set(let set):
          mutationIndex -= 1
          member -= 1
          put(set, at: mutationIndex, as: member)
        case .node(let node):
          member -= 1
          put(node, as: member)
        }
      }
    }

    /// Moves mutations out of an array that contains nothing else.
    ///
    /// A separate loop, because it fits in registers: half of the instructions.
    ///
    /// Taking each out with `popLast` would take three times as many, because the array would check each time whether
    /// it is shared.
    @inlinable
    @inline(__always)
    mutating func moveMutations(outOf effects: inout [Effect]) {
      var captures: UInt = 0
      // The array is not shared from here on.
      effects.withUnsafeMutableBufferPointer { effects in
        guard let first = effects.baseAddress else { return }
        for index in 0..<effects.count {
          guard case .set(let mutation) = (first + index).move() else { preconditionFailure("not a set") }
          captures |= mutation.captures
          (mutations + index).initialize(to: ListMutation(mutation))
        }
      }
      self.captures = captures
      Self.forgetAll(of: &effects)
    }

    /// Empties an array whose elements have been moved out.
    ///
    /// The array is treated as one of words, which need no release. Its layout is the same, since an effect takes four
    /// words whatever the store. If that should change, a trap reports it, and not only a test.
    @inlinable
    @inline(__always)
    static func forgetAll(of effects: inout [Effect]) {
      precondition(MemoryLayout<Effect>.stride == MemoryLayout<FourWords>.stride)
      withUnsafeMutablePointer(to: &effects) { effects in
        effects.withMemoryRebound(to: [FourWords].self, capacity: 1) { $0.pointee.removeAll(keepingCapacity: true) }
      }
    }

    /// Copies effects.
    ///
    /// - Parameter effects: a buffer and not an array, because arrays are slow where the type of the state is not
    ///   known.
    @inlinable
    init(_ effects: UnsafeBufferPointer<Effect>) {
      self.init(for: Self.counts(of: effects))
      var (mutation, member) = (0, 0)
      for index in 0..<effects.count {
        switch effects[index] {
        case .none: continue
        case .set(let set):
          put(set, at: mutation, as: member)
          mutation += 1
        case .node(let node): put(node, as: member)
        }
        member += 1
      }
    }

    @inlinable
    init(for counts: (mutations: Int, members: Int)) {
      (mutationCount, memberCount) = counts
      // A list that contains only mutations needs no members.
      let isMixed = mutationCount < memberCount
      let size = mutationCount * MemoryLayout<ListMutation>.stride
      let memory = Memory.allocate(
        bytes: size + (isMixed ? memberCount * MemoryLayout<ListMember>.stride : 0),
        alignment: MemoryLayout<ListMutation>.alignment)
      mutations = memory.bindMemory(to: ListMutation.self, capacity: mutationCount)
      members = isMixed ? (memory + size).bindMemory(to: ListMember.self, capacity: memberCount) : nil
    }

    @inlinable
    static func counts(of effects: UnsafeBufferPointer<Effect>) -> (mutations: Int, members: Int) {
      var first = 0
      while first < effects.count, case .set = effects[first] { first += 1 }
      var (mutations, members) = (first, first)
      for index in first..<effects.count {
        switch effects[index] {
        case .none: continue
        case .set: mutations += 1
        case .node: break
        }
        members += 1
      }
      return (mutations, members)
    }

    @inlinable
    @inline(__always)
    mutating func put(_ mutation: consuming Mutation, at place: Int, as member: Int) {
      captures |= mutation.captures
      (mutations + place).initialize(to: ListMutation(mutation))
      if let members { (members + member).initialize(to: .mutation(place)) }
    }

    @inlinable
    @inline(__always)
    mutating func put(_ node: EffectNode, as member: Int) {
      if let members { (members + member).initialize(to: traits.member(node)) }
    }
  }
}

/// The size and the alignment of an effect.
@usableFromInline
struct FourWords: BitwiseCopyable {
  private let words: (UInt, UInt, UInt, UInt)
}

/// The properties of a list that follow from its members.
@usableFromInline
struct ListTraits {
  private(set) var mayOperate = false
  private(set) var height: UInt8 = 0

  @usableFromInline
  init() {}

  @usableFromInline
  mutating func member(_ node: EffectNode) -> ListMember {
    mayOperate = mayOperate || node.mayOperate
    height = max(height, node.heightAbove)
    // `mayOperate` first: a sleep starts no operation, and copying another node's instruction would count references.
    if !node.mayOperate, case .sleep(let span) = node.instruction { return .sleep(span, node.location) }
    return .node(node)
  }
}

/// A member of a list.
///
/// Declared outside ``AsyncStore``, whose generic parameters it does not use, so that its code is not generic.
@usableFromInline
enum ListMember {
  /// The index among the list's mutations.
  case mutation(Int)
  /// A sleep, without the node that it came in. Most waiting effects are lists that begin with a sleep.
  case sleep(Int64, CallSite)
  case node(EffectNode)
}
