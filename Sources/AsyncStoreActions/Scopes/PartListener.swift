/// Tells one reader of the values of a part.
///
/// `@unchecked`: `last`, `pending` and `prepared` are touched only while the store is locked; `prepared` is also read
/// after it, by the one thread that delivers for the store, and only that thread calls `prepare`, which writes it.
final class PartListener<State: Sendable, Value: Equatable & Sendable>: CommitListener, @unchecked Sendable {
  private let part: Part<State, Value>
  private let continuation: AsyncStream<Value?>.Continuation
  private var last: Value?
  private var pending = Queue<Value?>()
  private var prepared: Value?

  init(_ part: Part<State, Value>, _ continuation: AsyncStream<Value?>.Continuation) {
    self.part = part
    self.continuation = continuation
  }

  /// Gives the reader the value that is there when the reading begins, which nobody waits for yet.
  func start(_ state: State) {
    last = part.get(state)
    continuation.yield(last)
  }

  func committed(_ state: State) -> Bool {
    let value = part.get(state)
    if value == last { return false }
    last = value
    pending.append(value)
    return true
  }

  func prepare() { prepared = pending.popFirst() ?? nil }
  func deliver() { continuation.yield(prepared) }
  func end() { continuation.finish() }
}

extension AsyncStore {
  /// The values of a part: the current one first, then each that differs from the one before it, in the order of the
  /// commits; `nil` while it is missing.
  ///
  /// Reading begins at once. The sequence does not keep the store alive; it ends when the store is deactivated or goes
  /// away, and when the reading task is cancelled. It is for one reader; values wait for a slow one without a limit.
  /// The sequence of a part by a key path that may trap in a later state, with a `!` or an index, has no values.
  ///
  /// - Complexity: a comparison of the part at each commit, as long as it is read.
  public func values<Value: Equatable & Sendable>(of part: Part<State, Value>) -> AsyncStream<Value?> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value?.self)
    guard part.isTotal else {
      continuation.finish()
      return stream
    }
    let listener = PartListener(part, continuation)
    let listening = listen(listener, start: listener.start)
    continuation.onTermination = { _ in listening.end() }
    if !isActive { continuation.finish() }
    return stream
  }
}
