extension AsyncStore.Effect {
  /// Runs effects concurrently; settles when all of them have.
  ///
  /// Each effect's prefix, up to its first wait, runs before the next effect begins. After that there is no particular
  /// order. An effect that fails or is cancelled does not affect the others.
  ///
  /// Laws 1 and 3: `merge()` is `none`, `merge(e)` is `e`.
  @inlinable
  public static func merge(_ effects: Self..., file: StaticString = #fileID, line: UInt = #line) -> Self {
    effects.withUnsafeBufferPointer {
      onlyMember(of: $0) ?? merge(AsyncStore.ListContents($0), limit: .max, file, line)
    }
  }

  /// Runs the effects of a list concurrently.
  ///
  /// - Parameters:
  ///   - effects: any number; an empty list is ``none``.
  ///   - limit: the maximum number of effects in flight at once, which begin in the order of the list; at least 1,
  ///     otherwise traps. Unlimited by default.
  @inlinable
  public static func merge(
    effects: consuming some Sequence<Self>, limit: Int = .max, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    requireRoom(limit)
    var list = Array(effects)
    if let only = list.withUnsafeBufferPointer({ onlyMember(of: $0) }) { return only }
    return merge(AsyncStore.ListContents(moving: &list), limit: limit, file, line)
  }

  @usableFromInline
  static func requireRoom(_ limit: Int) {
    trap(unless: limit > 0, "A merge's limit must be at least 1, not \(limit).")
  }

  @inlinable
  static func merge(_ members: AsyncStore.ListContents, limit: Int, _ file: StaticString, _ line: UInt) -> Self {
    merge(AsyncStore.ListNode(members, CallSite(file: file, line: line)), limit: limit, file, line)
  }

  @usableFromInline
  static func merge(_ list: EffectNode, limit: Int, _ file: StaticString, _ line: UInt) -> Self {
    .node(.merge(EffectProgram(node: list), limit: limit), mayOperate: list.mayOperate, file, line)
  }

  /// Runs effects strictly one after the other.
  ///
  /// An effect begins only once everything that the previous effect waits for has settled, including the effects that
  /// its tasks returned. A failed or cancelled effect does not end the list.
  ///
  /// Laws 1 and 2: `concatenate()` is `none`, `concatenate(e)` is `e`, and nesting changes nothing.
  @inlinable
  public static func concatenate(_ effects: Self..., file: StaticString = #fileID, line: UInt = #line) -> Self {
    effects.withUnsafeBufferPointer { onlyMember(of: $0) ?? concatenate(AsyncStore.ListContents($0), file, line) }
  }

  /// Runs the effects of a list strictly one after the other.
  ///
  /// - Parameter effects: any number; an empty list is ``none``.
  /// - Complexity: linear in the number of effects; consecutive sets are applied in a plain loop.
  @inlinable
  public static func concatenate(
    effects: consuming some Sequence<Self>, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    var list = Array(effects)
    if let only = list.withUnsafeBufferPointer({ onlyMember(of: $0) }) { return only }
    return concatenate(AsyncStore.ListContents(moving: &list), file, line)
  }

  @inlinable
  static func concatenate(_ members: AsyncStore.ListContents, _ file: StaticString, _ line: UInt) -> Self {
    .node(AsyncStore.ListNode(members, CallSite(file: file, line: line)))
  }

  /// Returns the effect that a list with at most one member is equivalent to, or `nil` if it has more members.
  @inlinable
  static func onlyMember(of members: UnsafeBufferPointer<Self>) -> Self? {
    var only: Int?
    for index in 0..<members.count {
      if case .none = members[index] { continue }
      if only != nil { return nil }
      only = index
    }
    guard let only else { return Self.none }
    return members[only]
  }

  /// Runs effects concurrently until one of them wins, and cancels the others.
  ///
  /// The barrier holds: no loser commits after the winner has settled. The race itself settles when the losers'
  /// operations have returned.
  ///
  /// An effect that its identifier's policy drops settles at once, and so wins a race to settle.
  ///
  /// - Parameters:
  ///   - effects: any number; an empty list is ``none``. A member that is ``none`` settles at once, and so wins unless
  ///     an earlier one has won. If a member wins in its own prefix, the later ones never begin.
  ///   - goal: the rule that decides the winner; by default the first to settle.
  public static func race(
    _ effects: Self..., goal: RaceGoal = .firstToSettle, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    race(effects: effects, goal: goal, file: file, line: line)
  }

  /// Runs the effects of a list concurrently until one of them wins, and cancels the others.
  ///
  /// - Parameters:
  ///   - effects: any number; an empty list is ``none``. A member that is ``none`` settles at once, and so wins unless
  ///     an earlier one has won. If a member wins in its own prefix, the later ones never begin.
  ///   - goal: the rule that decides the winner; by default the first to settle.
  public static func race(
    effects: some Sequence<Self>, goal: RaceGoal = .firstToSettle, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    // A list leaves out `none`; in a race, `none` takes part and wins.
    let members = effects.map { $0.isNone ? .node($0.asNode) : $0 }
    guard !members.isEmpty else { return .none }
    let contents = members.withUnsafeBufferPointer { AsyncStore.ListContents($0) }
    let list = AsyncStore.ListNode(contents, CallSite(file: file, line: line))
    return .node(
      .race(EffectProgram(node: list), toSucceed: goal.toSucceed), mayOperate: list.mayOperate, file, line)
  }

  /// True if this is the effect ``none``.
  public var isNone: Bool {
    if case .none = self { true } else { false }
  }
}
