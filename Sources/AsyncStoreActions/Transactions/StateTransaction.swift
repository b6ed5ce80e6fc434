/// Changes that are made all together or not at all.
///
/// A transaction works on a draft: a copy of the state that nobody else sees. At its end, its changes are made to the
/// state, in order, in one commit. If it throws or is cancelled, nothing has changed. No call completes it, so none can
/// be forgotten.
///
/// Transactions are *serializable*: their result is the same as if they had run one after the other. Everything that a
/// transaction has read of its draft must still hold when it is committed. If others have changed it, nothing is
/// committed, and the operation is run again on a new draft. A transaction that only reads completes whatever others
/// have changed: its draft was the state at one moment.
///
/// Side effects outside its draft, such as a request to a server, are not rolled back, and happen again when it is run
/// again. Give a transaction that must not be run again `attemptLimit: 1`; put side effects that may happen only after
/// the commit into the effect of an action that it sends.
///
/// ```swift
/// let rename = StateTransaction<Counter, UserService>("rename") { draft in
///   try draft.change { $0.isLoading = true }
///   let user = try await draft.env.user()
///   try draft.change { $0.user = user }
///   try draft.change { $0.isLoading = false }
/// }
/// let status = await store.begin(rename).outcome
/// // "\(status)" == "completed"
/// // store.user == "Ada"
/// ```
///
/// Like an effect, it is a value that does nothing by itself. See `begin(_:id:pacing:after:isolation:file:line:)`, and
/// ``TransactionGraph`` for several transactions that depend on each other.
public struct StateTransaction<State: Sendable, Env: Sendable>: Sendable {
  /// The name, used in errors and in print, and as the label of its effects in logs and metrics.
  ///
  /// Each name has metrics of its own, which the program keeps: use few names, without numbers in them.
  public let name: String
  /// The maximum number of runs in all, if others change what the transaction reads.
  public let attemptLimit: Int
  let body: Body

  typealias Operation = @Sendable (TransactionDraft<State, Env>) async throws -> Void

  enum Body: Sendable {
    case change(@Sendable (inout State) throws -> Void)
    case operation(Operation)
  }

  /// Creates a transaction that takes time.
  ///
  /// Changes that others make to the state meanwhile are kept: the commit repeats the draft's changes on the state at
  /// that time.
  ///
  /// - Parameters:
  ///   - name: the name of the transaction.
  ///   - attemptLimit: the maximum number of runs in all, if others change what it has read; at least 1, otherwise
  ///     traps. 1,000 by default. A run is repeated only because a commit of others succeeded. Before the eleventh run
  ///     and each later one, it pauses for 0.1 to 12.8 ms on the store's clock, so that a slow transaction gets its
  ///     turn among many quick ones. After the last run, it fails with a ``TransactionError`` with the code `conflict`.
  ///     Use 1 for an operation that must not be run again.
  ///   - operation: runs in a task of its own, on no actor, like the operation of a `task`. Its draft is the state when
  ///     the transaction's turn comes. Its error is the transaction's error, unless it has been cancelled.
  ///
  /// **Cancellation.** If the transaction is cancelled before its start, the operation never runs. A running operation
  /// sees `Task.isCancelled`, and its changes to its draft are dropped, even if it returns normally. An error that it
  /// then throws still goes to `mapError`.
  ///
  /// - Complexity: at the end, all changes of the draft are repeated, under the store's lock.
  public init(
    _ name: String, attemptLimit: Int = 1_000,
    _ operation: @escaping @Sendable (TransactionDraft<State, Env>) async throws -> Void
  ) {
    trap(unless: attemptLimit > 0, "The attempt limit of \(name) must be at least 1, not \(attemptLimit).")
    self.name = name
    self.attemptLimit = attemptLimit
    body = .operation(operation)
  }

  /// Creates a transaction that is over when the call that began it returns.
  ///
  /// - Parameters:
  ///   - name: the name of the transaction.
  ///   - change: runs on a copy of the state, like the closure of a `set`: under the store's lock, where it must not
  ///     call the store. An error that it throws takes back everything it has done.
  /// - Complexity: the closure, and a copy of what it changes.
  public init(_ name: String, changing change: @escaping @Sendable (inout State) throws -> Void) {
    self.name = name
    attemptLimit = 1
    body = .change(change)
  }
}

/// The progress or the outcome of a transaction.
public enum TransactionStatus: Sendable, CustomStringConvertible {
  /// The transaction has not begun: it waits for others, for its turn, or for its pace.
  case pending
  /// The transaction is working on its draft.
  case started
  /// All of the transaction's changes have been made.
  ///
  /// The effects of the actions that it has sent may still be in flight.
  case completed
  /// The transaction was cancelled or replaced by another one; nothing has changed.
  ///
  /// A transaction that never begins is cancelled too: its pace left it out, one that it depends on did not complete,
  /// or the store was not active.
  case cancelled
  /// The transaction threw this error; nothing has changed.
  case failed(any Error)

  /// True if no other status follows.
  public var isFinal: Bool {
    switch self {
    case .pending, .started: false
    case .completed, .cancelled, .failed: true
    }
  }

  /// The status in a word, with the error if there is one.
  public var description: String {
    switch self {
    case .pending: "pending"
    case .started: "started"
    case .completed: "completed"
    case .cancelled: "cancelled"
    case .failed(let error): "failed: \(error)"
    }
  }
}

/// An error in the way transactions were combined, or the reason why one was not committed.
///
/// Errors in a ``TransactionGraph`` are thrown when it is begun, not while it is built.
public struct TransactionError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error.
  ///
  /// More kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind.
    public let description: String

    /// Transactions depend on each other in a cycle.
    public static let cycle = Code(description: "cycle")
    /// A dependency names a transaction that was not added.
    public static let unknown = Code(description: "unknown")
    /// Two transactions have the same name.
    public static let duplicate = Code(description: "duplicate")
    /// Others changed what the transaction had read, in each of its runs.
    public static let conflict = Code(description: "conflict")
    /// The transaction has read its draft through a key path that may trap, or is a transaction of a part at such a key
    /// path, and the store's state is not `Equatable`.
    public static let incomparable = Code(description: "incomparable")
    /// The part that the transaction has to change is missing.
    public static let missing = Code(description: "missing")
  }

  /// The kind of the error.
  public let code: Code
  /// A sentence that says what is wrong, and with which transactions.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  static func incomparable<State, Env>(in transaction: StateTransaction<State, Env>) -> TransactionError {
    TransactionError(
      .incomparable,
      "\(transaction.name) has read its draft by a key path with an index or a `!`, so that the whole state would have "
        + "to be compared, and \(State.self) is not Equatable. Nothing of it was committed. Make it Equatable, or read "
        + "by a closure that has a value for every state.")
  }

  static func conflict<State, Env>(in transaction: StateTransaction<State, Env>) -> TransactionError {
    let (name, attempts) = (transaction.name, transaction.attemptLimit)
    let description =
      attempts == 1
      ? "Others have changed what \(name) had read, and it is not to be run again. Nothing of it was committed."
      : "Others have changed what \(name) had read, each of the \(attempts) times that it was run. Nothing of it was committed. Have it read less, take less time, or be run more often."
    return TransactionError(.conflict, description)
  }
}
