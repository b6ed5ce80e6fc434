// Spellings of AsyncStore 0.0 that have a better replacement, listed in the guide *Coming from AsyncStore 0.0*.

extension AsyncStore.Effect {
  /// Runs an asynchronous operation under an identifier; cancels an operation in flight under that identifier first.
  @available(*, deprecated, renamed: "task(_:_:)")
  public static func task(
    operation: @escaping @Sendable () async throws -> Self, id: some Hashable & Sendable,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    task(operation, id, file: file, line: line)
  }

  /// Runs an operation once its identifier has been quiet for a number of seconds.
  @available(*, deprecated, message: "use 'debounce(_:for:id:)', with a duration")
  public static func debounce(
    operation: @escaping @Sendable () async throws -> Self, id: some Hashable & Sendable, delay seconds: Double,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    debounce(operation, for: seconds, id: id, file: file, line: line)
  }

  /// Runs an operation on a value once its identifier has been quiet for a number of seconds.
  @available(*, deprecated, message: "use 'dataTask(_:_:)' and its 'debounce(for:id:)', with a duration")
  public static func debounceDataTask<Value: Sendable>(
    _ value: Value, _ operation: @escaping @Sendable (Value) async throws -> Self, _ id: some Hashable & Sendable,
    _ seconds: Double, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    debounce({ try await operation(value) }, for: seconds, id: id, file: file, line: line)
  }

  /// Inserts an element into a collection of the state.
  @available(*, deprecated, message: "use 'insert(_:into:at:)'")
  public static func insert<Elements: RangeReplaceableCollection & Sendable>(
    _ element: Elements.Element, at index: Elements.Index, to keyPath: WritableKeyPath<State, Elements> & Sendable,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self where Elements.Element: Sendable, Elements.Index: Sendable {
    insert(element, into: keyPath, at: index, file: file, line: line)
  }

  /// Removes the element at an index of a collection of the state.
  @available(*, deprecated, message: "use 'remove(from:at:)'")
  public static func remove<Elements: RangeReplaceableCollection & Sendable>(
    at index: Elements.Index, from keyPath: WritableKeyPath<State, Elements> & Sendable,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self where Elements.Index: Sendable {
    remove(from: keyPath, at: index, file: file, line: line)
  }
}
