#if Services
  import AsyncStore

  extension AsyncStore {
    /// Returns every value of a property over time, for a reader that fails when it falls too far behind.
    ///
    /// Use it for a stream to a client that must not miss a value: a client that is too slow gets an error, loses its
    /// connection, and can start again from the current value. For a client that needs only the newest value, use
    /// `values(of:buffering:)` with `.newest(1)`, which never fails. Neither keeps more values than its limit, however
    /// slow the client is.
    ///
    /// ```swift
    /// var reader = store.values(of: \.count, failingBehind: 2).makeAsyncIterator()
    /// for count in 1...3 { store.receive(.set(\.count, to: count)) }
    /// do {
    ///   _ = try await reader.next()
    /// } catch {
    ///   // error.code == .slowReader
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: the property, as for `values(of:buffering:)`.
    ///   - count: the number of values that may wait for the reader, at least 1, otherwise traps.
    ///   - file: the file of the call, for the error.
    ///   - line: the line of the call, for the error.
    /// - Returns: a sequence; each iterator begins with the current value. **Cancellation** of the reading task ends
    ///   the sequence with `nil`.
    public func values<Value: Equatable & Sendable>(
      of keyPath: KeyPath<State, Value> & Sendable, failingBehind count: Int, file: StaticString = #fileID,
      line: UInt = #line
    ) -> BoundedValues<State, Env, Value> {
      BoundedValues(
        values: values(of: keyPath, buffering: .newestWithoutGaps(count)), limit: count,
        location: CallSite(file: file, line: line))
    }
  }

  /// The values of a property, for readers that fail when they fall behind; see `values(of:failingBehind:file:line:)`.
  public struct BoundedValues<State: Sendable, Env: Sendable, Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// The type of the values.
    public typealias Element = Value
    /// The error of a reader that has fallen behind.
    public typealias Failure = StoreServiceError

    let values: AsyncStore<State, Env>.Values<Value>
    let limit: Int
    let location: CallSite

    /// Begins to read, starting with the current value.
    public func makeAsyncIterator() -> Iterator {
      Iterator(values: values.makeAsyncIterator(), limit: limit, location: location)
    }

    /// One reader of the values.
    public struct Iterator: AsyncIteratorProtocol {
      private var values: AsyncStore<State, Env>.Values<Value>.Iterator
      private let limit: Int
      private let location: CallSite
      private var hasFailed = false

      init(values: AsyncStore<State, Env>.Values<Value>.Iterator, limit: Int, location: CallSite) {
        (self.values, self.limit, self.location) = (values, limit, location)
      }

      /// The next value; `nil` when the store has been deactivated or is gone, when the reading task is cancelled, and
      /// after an error.
      ///
      /// - Throws: ``StoreServiceError`` with the code `slowReader`, once and at once, if a value did not fit since the
      ///   last call, even if the store or the task has ended since.
      public mutating func next() async throws(StoreServiceError) -> Value? { try await next(isolation: nil) }

      /// Returns the next value, like ``next()``.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreServiceError) -> Value? {
        if hasFailed { return nil }
        try checkKeepsUp()
        let value = await values.next(isolation: actor)
        try checkKeepsUp()
        return value
      }

      private mutating func checkKeepsUp() throws(StoreServiceError) {
        guard values.droppedCount > 0 else { return }
        hasFailed = true
        throw StoreServiceError(.slowReader, "The reader is more than \(limit) values behind.", at: location)
      }
    }
  }
#endif
