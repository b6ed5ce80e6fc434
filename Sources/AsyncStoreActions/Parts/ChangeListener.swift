/// A change of a part of a state.
package struct PartChange<Value: Sendable>: Sendable {
  package let before: Value
  package let after: Value
  /// The transaction that made it, if one did.
  package let transaction: TransactionRun?
}

/// Tells one reader of the changes of a part, as something made of each.
///
/// `@unchecked`: `last`, `pending` and `prepared` are touched only while the store is locked; `prepared` is also read
/// after it, by the one thread that delivers for the store, and only that thread calls `prepare`, which writes it.
private final class ChangeListener<State: Sendable, Value: Equatable & Sendable, Output: Sendable>: CommitListener,
  @unchecked Sendable
{
  private let part: Part<State, Value>
  private let make: @Sendable (PartChange<Value>) -> Output?
  private let continuation: AsyncStream<Output>.Continuation
  private var last: Value?
  private var pending = Queue<PartChange<Value>>()
  private var prepared: PartChange<Value>?

  init(
    _ part: Part<State, Value>, _ make: @escaping @Sendable (PartChange<Value>) -> Output?,
    _ continuation: AsyncStream<Output>.Continuation
  ) {
    self.part = part
    self.make = make
    self.continuation = continuation
  }

  func start(_ state: State) { last = part.get(state) }

  func committed(_ state: State) -> Bool {
    let value = part.get(state)
    defer { last = value }
    guard let before = last, let value, before != value else { return false }
    pending.append(
      PartChange(before: before, after: value, transaction: CommitCause.current as? TransactionRun))
    return true
  }

  func prepare() { prepared = pending.popFirst() }
  func deliver() { if let prepared, let output = make(prepared) { continuation.yield(output) } }
  func end() { continuation.finish() }
}

extension AsyncStore {
  /// Maps each change that later commits make to a part, after the store's lock.
  ///
  /// A part that comes or goes has not changed. One that may trap has no changes; it is never asked for.
  package func changes<Value: Equatable & Sendable, Output: Sendable>(
    of part: Part<State, Value>, _ make: @escaping @Sendable (PartChange<Value>) -> Output?
  ) -> AsyncStream<Output> {
    let (stream, continuation) = AsyncStream.makeStream(of: Output.self)
    guard part.isTotal else {
      continuation.finish()
      return stream
    }
    let listener = ChangeListener(part, make, continuation)
    let listening = listen(listener, start: listener.start)
    continuation.onTermination = { _ in listening.end() }
    if !isActive { continuation.finish() }
    return stream
  }
}
