import Synchronization

/// The limit on the values that wait for a reader slower than the store.
public struct ValueBuffering: Hashable, Sendable {
  let capacity: Int
  /// True for a reader that has to know when it has missed a value, and so gets the next value even if it repeats the
  /// last.
  var reportsGaps = false

  /// True if the reader skips a value that equals the last one it read, which happens when the values between were
  /// dropped.
  var skipsRepeats: Bool { capacity < .max && !reportsGaps }

  /// No limit; the default.
  public static let unbounded = ValueBuffering(capacity: .max)

  /// At most `count` values, 1 or more; beyond that, the oldest is dropped, and counted in
  /// ``AsyncStore/Values/Iterator/droppedCount``.
  public static func newest(_ count: Int) -> ValueBuffering {
    trap(unless: count > 0, "A reader's buffer must hold at least 1 value, not \(count).")
    return ValueBuffering(capacity: count)
  }

  /// At most `count` values, for a reader that fails when it has missed a value.
  package static func newestWithoutGaps(_ count: Int) -> ValueBuffering {
    var buffering = newest(count)
    buffering.reportsGaps = true
    return buffering
  }
}

extension AsyncStore {
  /// The values of a property over time; see ``values(of:buffering:)``.
  public struct Values<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// The type of the values.
    public typealias Element = Value
    /// Reading the values never fails.
    public typealias Failure = Never

    let store: AsyncStore
    let keyPath: KeyPath<State, Value> & Sendable
    let buffering: ValueBuffering

    /// Begins to read, starting with the current value.
    public func makeAsyncIterator() -> Iterator {
      let reader = ValueReader(keyPath, capacity: buffering.capacity)
      let hasBegun = !keyPath.mayTrap && store.runtime.add(reader)
      if !hasBegun { reader.end() }
      return Iterator(
        reader: reader, lease: Lease(store.runtime, reader), hasBegun: hasBegun, skipsRepeats: buffering.skipsRepeats)
    }

    /// One reader of the values.
    public struct Iterator: AsyncIteratorProtocol {
      let reader: ValueReader<State, Value>
      let lease: Lease
      let hasBegun: Bool
      let skipsRepeats: Bool
      /// The last value read, kept only to skip repetitions of it.
      private var last: Value?

      init(reader: ValueReader<State, Value>, lease: Lease, hasBegun: Bool, skipsRepeats: Bool) {
        (self.reader, self.lease, self.hasBegun, self.skipsRepeats) = (reader, lease, hasBegun, skipsRepeats)
      }

      /// The number of values that this reader has missed because they arrived faster than it read them.
      public var droppedCount: Int { reader.droppedCount }

      /// The next value.
      ///
      /// Once the waiting values have been read, `nil` if the store has been deactivated or is gone, or the reading
      /// task is cancelled.
      public mutating func next() async -> Value? { keep(await reader.next(after: last)) }

      /// Returns the next value, like ``next()``; values are available on any actor.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
        keep(await reader.next(after: last))
      }

      private mutating func keep(_ value: Value?) -> Value? {
        if skipsRepeats { last = value }
        return value
      }
    }

    /// Ends the reading when the iterator is released.
    ///
    /// The lease does not keep the store alive.
    final class Lease: Sendable {
      private let runtime: Runtime
      private let reader: ValueReader<State, Value>

      init(_ runtime: Runtime, _ reader: ValueReader<State, Value>) {
        self.runtime = runtime
        self.reader = reader
      }

      deinit { runtime.remove(reader) }
    }
  }

  /// The values of a property: the current one first, then each that differs from the previous one, in the order of the
  /// commits.
  ///
  /// ```swift
  /// store.receive(.concatenate(.sleep(.milliseconds(1)), .set(\.count, to: 3)))
  /// var seen: [Int] = []
  /// for await count in store.values(of: \.count).prefix(2) { seen.append(count) }
  /// // seen == [0, 3]
  /// ```
  ///
  /// Any number of readers may read, each at its own pace. The sequence holds the store; its iterators do not. The
  /// sequence ends when the store is deactivated or goes away, and when the reading task is cancelled.
  ///
  /// - Parameters:
  ///   - keyPath: the property. It is also read in later states, where an index may be out of bounds. So the sequence
  ///     of a key path with a `!`, or with a subscript with an index whose value is not optional, has no values, and a
  ///     line on the standard error stream says so. Instead, read a computed property that has a value in every state.
  ///   - buffering: how many values wait for a slow reader; by default any number.
  public func values<Value: Equatable & Sendable>(
    of keyPath: KeyPath<State, Value> & Sendable, buffering: ValueBuffering = .unbounded
  ) -> Values<Value> {
    if keyPath.mayTrap { Thread.warn("AsyncStore: \(AsyncStoreError.warning(of: keyPath))") }
    return Values(store: self, keyPath: keyPath, buffering: buffering)
  }
}

/// The reader behind an iterator of ``AsyncStore/Values``.
///
/// `@unchecked` because its superclass is; its own part is a constant and a mutex.
final class ValueReader<State: Sendable, Value: Equatable & Sendable>: ValueObserver<State, Value>, @unchecked Sendable
{
  private struct Buffer {
    var values = Queue<Value>()
    var droppedCount = 0
    var hasEnded = false
    var waiter: UnsafeContinuation<Void, Never>?

    mutating func takeWaiter() -> UnsafeContinuation<Void, Never>? {
      defer { waiter = nil }
      return waiter
    }
  }

  private let capacity: Int
  private let buffer = Mutex(Buffer())

  init(_ keyPath: KeyPath<State, Value> & Sendable, capacity: Int) {
    self.capacity = capacity
    super.init(keyPath, areEqual: isSame)
  }

  var droppedCount: Int { buffer.withLock { $0.droppedCount } }

  override func deliver() {
    let value = prepared.pointee
    // Released after the lock, because values belong to the user.
    var dropped: Value?
    let waiter = buffer.withLock { buffer -> UnsafeContinuation<Void, Never>? in
      guard !buffer.hasEnded else { return nil }
      dropped = buffer.values.append(value, capacity: capacity)
      if dropped != nil { buffer.droppedCount += 1 }
      return buffer.takeWaiter()
    }
    withExtendedLifetime(dropped) { waiter?.resume() }
  }

  override func end() {
    let waiter = buffer.withLock { buffer in
      buffer.hasEnded = true
      return buffer.takeWaiter()
    }
    waiter?.resume()
  }

  /// The next value, if one is already waiting.
  func poll() -> Value? { buffer.withLock { $0.values.popFirst() } }

  /// The next value that does not repeat `last`; dropped values may lie between the two.
  func next(after last: Value?) async -> Value? {
    while let value = await next() {
      guard let last, repeats(value, last) else { return value }
      buffer.withLock { $0.droppedCount += 1 }
    }
    return nil
  }

  func next() async -> Value? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let isReady = buffer.withLock { buffer in
          if !buffer.values.isEmpty || buffer.hasEnded { return true }
          trap(unless: buffer.waiter == nil, "Two tasks read one iterator. Make an iterator for each task.")
          buffer.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
      // Read under the lock and not passed through the continuation, so that the write of the value happens before this
      // read.
      return buffer.withLock { $0.values.popFirst() }
    } onCancel: {
      end()
    }
  }
}
