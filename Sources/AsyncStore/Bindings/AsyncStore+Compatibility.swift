// Deprecated spellings of AsyncStore 0.0, which the guide *Coming from AsyncStore 0.0* lists.

extension AsyncStore {
  // Not generic over the sequence, because the compiler would then call a misspelled key path a value that is not a
  // sequence.

  /// Interprets an effect for each element of a sequence, as they come.
  @available(*, deprecated, renamed: "bind(id:stream:mapEffect:)")
  public func bind<Element>(
    id: some Hashable & Sendable, to sequence: any AsyncSequence<Element, Never> & Sendable,
    file: StaticString = #fileID, line: UInt = #line, mapEffect: @escaping @Sendable (Element) -> Effect
  ) {
    bind(id: id, stream: sequence, file: file, line: line, mapEffect: mapEffect)
  }

  /// Interprets an effect for each element of a sequence, as they come.
  @available(*, deprecated, renamed: "bind(id:stream:mapEffect:)")
  public func bind<Element>(
    id: some Hashable & Sendable, to sequence: any AsyncSequence<Element, any Error> & Sendable,
    file: StaticString = #fileID, line: UInt = #line, mapEffect: @escaping @Sendable (Element) -> Effect
  ) {
    bind(id: id, stream: sequence, file: file, line: line, mapEffect: mapEffect)
  }

  /// The values of a property over time; the identifier has no meaning any more.
  @available(*, deprecated, message: "use 'values(of:)'")
  public func stream<Value: Equatable & Sendable>(
    for id: some Hashable & Sendable, at keyPath: KeyPath<State, Value> & Sendable
  ) -> Values<Value> {
    values(of: keyPath)
  }
}
