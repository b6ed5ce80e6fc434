extension AsyncStore.Effect {
  /// Changes the state with a closure.
  ///
  /// Use it for a change that involves several properties or the old value; for one property there is `set(_:to:)`.
  ///
  /// - Parameter mutation: runs while the store is locked, on the thread that interprets the effect, or on the store's
  ///   actor if it has one. Its whole change is one commit; nobody sees half of it. It must not call its own store:
  ///   that traps. Don't call other stores either: two stores whose mutations call each other from two threads wait for
  ///   each other forever.
  /// - Complexity: the closure and one lock; no allocation, no task.
  @inlinable
  public static func set(
    _ mutation: @escaping @Sendable (inout State) -> Void, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .set(AsyncStore.Mutation(mutation, CallSite(file: file, line: line)))
  }

  /// Sets one property of the state.
  ///
  /// ```swift
  /// store.receive(.set(\.count, to: 3))
  /// // store.count == 3
  /// ```
  ///
  /// - Complexity: one lock and the assignment; no task. A stored property of a trivial type of at most eight bytes,
  ///   such as a number or a `Bool`, is kept in the effect itself and needs no allocation; any other value is kept in a
  ///   closure.
  @inlinable
  @inline(__always)
  public static func set<Value: Sendable>(
    _ keyPath: WritableKeyPath<State, Value> & Sendable, to value: Value, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Self {
    // Only this closure captures the key path. A key path literal then becomes part of the closure's code and is not
    // requested at run time, if all of this is inlined before the optimizer looks at it.
    let assign = { @Sendable (state: inout State, value: Value) in state[keyPath: keyPath] = value }
    if let assignment = Assignment(value, at: keyPath) {
      return .set(AsyncStore.Mutation(assignment, CallSite(file: file, line: line)))
    }
    return .set({ assign(&$0, value) }, file: file, line: line)
  }

  /// Sets one property of the state, of a bitwise-copyable type.
  ///
  /// The compiler chooses this overload if it knows the type to be so. Nothing is left to release after the change.
  ///
  /// - Complexity: one lock and the assignment; no task. A stored property of at most eight bytes needs no allocation;
  ///   any other value is kept in a closure.
  @inlinable
  @inline(__always)
  public static func set<Value: Sendable & BitwiseCopyable>(
    _ keyPath: WritableKeyPath<State, Value> & Sendable, to value: Value, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Self {
    let assign = { @Sendable (state: inout State, value: Value) in state[keyPath: keyPath] = value }
    if let assignment = Assignment(trivial: value, at: keyPath) {
      return .set(AsyncStore.Mutation(assignment, CallSite(file: file, line: line)))
    }
    return .set({ assign(&$0, value) }, file: file, line: line)
  }

  /// Continues with an effect that is computed from the state when this effect is reached.
  ///
  /// - Parameter body: runs while the store is locked, on the thread that interprets the effect, or on the store's
  ///   actor if it has one; must not call the store, which traps.
  public static func read(
    _ body: @escaping @Sendable (State) -> Self, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(.evaluate, .read(body), file, line)
  }

  /// Changes the state and continues with an effect computed in the same commit.
  ///
  /// Use it if a decision and a change must be one step: nothing comes between the two.
  ///
  /// - Parameter body: runs while the store is locked, on the thread that interprets the effect, or on the store's
  ///   actor if it has one; must not call the store, which traps. Its whole change is one commit.
  public static func update(
    _ body: @escaping @Sendable (inout State) -> Self, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(.evaluate, .update(body), file, line)
  }

  // MARK: Collections

  /// Appends an element to a collection of the state.
  public static func append<Elements: RangeReplaceableCollection & Sendable>(
    _ element: Elements.Element, to keyPath: WritableKeyPath<State, Elements> & Sendable,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self where Elements.Element: Sendable {
    .set({ $0[keyPath: keyPath].append(element) }, file: file, line: line)
  }

  /// Inserts an element into a collection of the state.
  ///
  /// - Parameters:
  ///   - element: the element to insert.
  ///   - keyPath: the collection.
  ///   - index: a valid index when the effect is reached, or `endIndex`; anything else traps as it does on the
  ///     collection itself.
  public static func insert<Elements: RangeReplaceableCollection & Sendable>(
    _ element: Elements.Element, into keyPath: WritableKeyPath<State, Elements> & Sendable, at index: Elements.Index,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self where Elements.Element: Sendable, Elements.Index: Sendable {
    .set({ $0[keyPath: keyPath].insert(element, at: index) }, file: file, line: line)
  }

  /// Removes the element at an index of a collection of the state.
  ///
  /// - Parameters:
  ///   - keyPath: the collection.
  ///   - index: a valid index when the effect is reached; anything else traps as it does on the collection itself.
  public static func remove<Elements: RangeReplaceableCollection & Sendable>(
    from keyPath: WritableKeyPath<State, Elements> & Sendable, at index: Elements.Index,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self where Elements.Index: Sendable {
    .set({ $0[keyPath: keyPath].remove(at: index) }, file: file, line: line)
  }

  /// Removes the first element of a collection of the state; an empty collection stays empty.
  public static func removeFirst<Elements: RangeReplaceableCollection & Sendable>(
    from keyPath: WritableKeyPath<State, Elements> & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .set({ if !$0[keyPath: keyPath].isEmpty { $0[keyPath: keyPath].removeFirst() } }, file: file, line: line)
  }

  /// Removes the last element of a collection of the state; an empty collection stays empty.
  public static func removeLast<Elements: RangeReplaceableCollection & BidirectionalCollection & Sendable>(
    from keyPath: WritableKeyPath<State, Elements> & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .set({ _ = $0[keyPath: keyPath].popLast() }, file: file, line: line)
  }
}
