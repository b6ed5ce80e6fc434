// Deprecated spellings of AsyncStore 0.0, listed in the guide *Coming from AsyncStore 0.0*.

extension AsyncStore {
  // These are not generic over the sequence, because the compiler would then report a misspelled key path as a value
  // that is not a sequence.

  /// Interprets an effect for each element of a sequence as it arrives.
  @available(*, deprecated, renamed: "bind(id:stream:mapEffect:)")
  public func bind<Element>(
    id: some Hashable & Sendable, to sequence: any AsyncSequence<Element, Never> & Sendable,
    file: StaticString = #fileID, line: UInt = #line, mapEffect: @escaping @Sendable (Element) -> Effect
  ) {
    bind(id: id, stream: sequence, file: file, line: line, mapEffect: mapEffect)
  }

  /// Interprets an effect for each element of a sequence as it arrives.
  @available(*, deprecated, renamed: "bind(id:stream:mapEffect:)")
  public func bind<Element>(
    id: some Hashable & Sendable, to sequence: any AsyncSequence<Element, any Error> & Sendable,
    file: StaticString = #fileID, line: UInt = #line, mapEffect: @escaping @Sendable (Element) -> Effect
  ) {
    bind(id: id, stream: sequence, file: file, line: line, mapEffect: mapEffect)
  }

  /// The values of a property over time; the identifier no longer has a meaning.
  @available(*, deprecated, message: "use 'values(of:)'")
  public func stream<Value: Equatable & Sendable>(
    for id: some Hashable & Sendable, at keyPath: KeyPath<State, Value> & Sendable
  ) -> Values<Value> {
    values(of: keyPath)
  }
}
