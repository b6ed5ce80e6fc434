import AsyncStore

extension AsyncStore.Effect {
  /// Interprets an effect for each element of a sequence, one after the other, and ends with the sequence.
  ///
  /// Use it if something has to follow the last element: a `concatenate` around it waits for its end, and so does a
  /// handle. The next element is requested when the effect of the previous one has settled. In contrast, a `stream` is
  /// detached: nobody waits for it, and by default elements do not wait for each other.
  ///
  /// ```swift
  /// let pages = AsyncStream<String> { continuation in
  ///   for page in ["one", "two"] { continuation.yield(page) }
  ///   continuation.finish()
  /// }
  /// await store.run(.concatenate(.forEach(pages) { .append($0, to: \.items) }, .append("end", to: \.items)))
  /// // store.items == ["one", "two", "end"]
  /// ```
  ///
  /// An error that the sequence throws is treated like the error of a `task`. The elements of a Combine publisher are
  /// its `publisher.values`.
  ///
  /// **Cancellation** ends the iteration: later elements have no effect. The effect in flight is cancelled.
  ///
  /// **Isolation.** The sequence is iterated in tasks of its own, on no actor, one at a time. A new iterator is created
  /// each time this effect is interpreted.
  ///
  /// - Parameters:
  ///   - elements: the sequence to iterate.
  ///   - effect: runs in the task that has iterated, under no lock.
  public static func forEach<Elements: AsyncSequence & Sendable>(
    _ elements: Elements, file: StaticString = #fileID, line: UInt = #line,
    _ effect: @escaping @Sendable (Elements.Element) -> Self
  ) -> Self where Elements.AsyncIterator: SendableMetatype {
    .task({ next(of: SerialIterator(elements.makeAsyncIterator()), file, line, effect) }, file: file, line: line)
  }

  private static func next<Iterator: AsyncIteratorProtocol & SendableMetatype>(
    of iterator: SerialIterator<Iterator>, _ file: StaticString, _ line: UInt,
    _ effect: @escaping @Sendable (Iterator.Element) -> Self
  ) -> Self {
    .task(
      {
        guard let next = try await iterator.next(effect) else { return .none }
        return .concatenate(next, Self.next(of: iterator, file, line, effect))
      }, file: file, line: line)
  }
}

/// An iterator that is passed from task to task.
///
/// `@unchecked`: each task begins when the previous one has returned, and nobody else has the iterator.
private final class SerialIterator<Iterator: AsyncIteratorProtocol>: @unchecked Sendable {
  private var iterator: Iterator

  init(_ iterator: Iterator) { self.iterator = iterator }

  /// - Parameter map: called with the element where it is produced, since the element need not be `Sendable`.
  func next<Value>(_ map: (Iterator.Element) -> Value) async throws -> Value? {
    var iterator = iterator
    defer { self.iterator = iterator }
    return try await iterator.next().map(map)
  }
}
