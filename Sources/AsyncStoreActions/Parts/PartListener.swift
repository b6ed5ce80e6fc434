import AsyncStore

/// A change of a part of a state.
package struct PartChange<Value: Sendable>: Sendable {
  package let before: Value
  package let after: Value
  /// The transaction that made the change, if there is one.
  package let transaction: TransactionRun?
}

/// Delivers the mapped changes of a part to one stream.
///
/// `@unchecked`: `last`, `pending` and `prepared` are touched only while the store is locked, with one exception: the
/// thread that delivers for the store also reads and writes `prepared` after the lock. Only that thread calls
/// `prepare`.
private final class PartListener<State: Sendable, Value: Equatable & Sendable, Output: Sendable>: CommitListener,
  @unchecked Sendable
{
  /// A change of a part that may be missing.
  typealias Change = PartChange<Value?>

  private let part: Part<State, Value>
  private let make: @Sendable (Change) -> Output?
  private let continuation: AsyncStream<Output>.Continuation
  private var last: Value?
  private var pending = Queue<Change>()
  private var prepared: Change?

  init(
    _ part: Part<State, Value>, _ continuation: AsyncStream<Output>.Continuation,
    _ make: @escaping @Sendable (Change) -> Output?
  ) {
    self.part = part
    self.continuation = continuation
    self.make = make
  }

  /// - Returns: the part when the reading began.
  func start(_ state: State) -> Value? {
    last = part.get(state)
    return last
  }

  func committed(_ state: State) -> Bool {
    let value = part.get(state)
    if repeats(value, last) { return false }
    pending.append(Change(before: last, after: value, transaction: CommitCause.current as? TransactionRun))
    last = value
    return true
  }

  // A change that is not delivered, because the reading has ended meanwhile, stays here: it must not be released under
  // the lock.
  func prepare() { if prepared == nil { prepared = pending.popFirst() } }
  func deliver() { if let change = prepared.take(), let output = make(change) { continuation.yield(output) } }
  func end() { continuation.finish() }
}

extension AsyncStore {
  /// Returns the values of a part: the current one first, then each that differs from the previous one, in the order of
  /// the commits; `nil` while the part is missing.
  ///
  /// A NaN does not differ from the same NaN. Reading begins at once. The sequence does not keep the store alive. It
  /// ends when the store is deactivated or goes away, and when the reading task is cancelled. It is for one reader;
  /// values wait for a slow reader without a limit. If the part's key path may trap in a later state, with a `!` or an
  /// index, the sequence has no values.
  ///
  /// - Complexity: a comparison of the part at each commit, while it is read.
  public func values<Value: Equatable & Sendable>(of part: Part<State, Value>) -> AsyncStream<Value?> {
    read(part) {
      $0
    } from: {
      $0.after
    }
  }

  /// Maps each change that later commits make to a part, after the store's lock.
  ///
  /// The arrival or removal of the part is not a change. A part that may trap has no changes, and is never read.
  package func changes<Value: Equatable & Sendable, Output: Sendable>(
    of part: Part<State, Value>, _ make: @escaping @Sendable (PartChange<Value>) -> Output?
  ) -> AsyncStream<Output> {
    read(part) { _ in
      nil
    } from: { change in
      guard let before = change.before, let after = change.after else { return nil }
      return make(PartChange(before: before, after: after, transaction: change.transaction))
    }
  }

  /// - Parameters:
  ///   - first: makes the first element from the part's current value, under the store's lock.
  ///   - make: makes the other elements.
  private func read<Value: Equatable & Sendable, Output: Sendable>(
    _ part: Part<State, Value>, first: (Value?) -> Output?,
    from make: @escaping @Sendable (PartChange<Value?>) -> Output?
  ) -> AsyncStream<Output> {
    let (stream, continuation) = AsyncStream.makeStream(of: Output.self)
    guard part.isTotal else {
      continuation.finish()
      return stream
    }
    let listener = PartListener(part, continuation, make)
    let subscription = listen(listener) { state in
      // Nobody waits for the element yet.
      if let element = first(listener.start(state)) { continuation.yield(element) }
    }
    continuation.onTermination = { _ in subscription.end() }
    if !subscription.hasBegun { continuation.finish() }
    return stream
  }
}
