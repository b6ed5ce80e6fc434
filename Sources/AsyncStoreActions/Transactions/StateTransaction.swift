/// Changes that are made all together or not at all.
///
/// A transaction works on a draft: a copy of the state that nobody else sees. When it has come to its end its changes are made to the
/// state, in order, in one commit. If it throws, or is cancelled, or one of its changes can't be made then, nothing has changed.
/// There is nothing to call to complete it, and nothing to forget.
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
/// Like an effect it is a value that does nothing by itself. See `begin(_:id:pacing:isolation:)`, and
/// ``TransactionGraph`` for several that depend on each other.
public struct StateTransaction<State: Sendable, Env: Sendable>: Sendable {
  /// What it is called, in errors and in print.
  public let name: String
  let body: Body

  enum Body: Sendable {
    case change(@Sendable (inout State) throws -> Void)
    case operation(@Sendable (TransactionDraft<State, Env>) async throws -> Void)
  }

  /// Creates a transaction that takes time.
  ///
  /// Changes that others make to the state meanwhile are kept: what is committed is the draft's changes, made once more to the state
  /// as it is then.
  ///
  /// - Parameters:
  ///   - name: what it is called.
  ///   - operation: runs in a task of its own, on no actor, as that of a `task` does. Its draft is the state as it is
  ///     when the transaction's turn comes. What it throws is the transaction's error, unless it has been cancelled.
  ///
  /// **Cancellation.** Before its start the operation never runs; while it runs it sees `Task.isCancelled`, and what it
  /// has done to its draft is dropped, also if it returns normally. An error it then throws still goes to `mapError`.
  ///
  /// - Complexity: at the end all changes of the draft once more, under the store's lock.
  public init(_ name: String, _ operation: @escaping @Sendable (TransactionDraft<State, Env>) async throws -> Void) {
    self.name = name
    body = .operation(operation)
  }

  /// Creates a transaction that is over when the call that began it returns.
  ///
  /// - Parameters:
  ///   - name: what it is called.
  ///   - change: runs on a copy of the state, as the closure of a `set` does: under the store's lock, where it must not
  ///     call the store. What it throws takes back all it has done.
  /// - Complexity: the closure, and a copy of what it changes.
  public init(_ name: String, changing change: @escaping @Sendable (inout State) throws -> Void) {
    self.name = name
    body = .change(change)
  }
}

/// What a transaction has come to.
public enum TransactionStatus: Sendable, CustomStringConvertible {
  /// It has not begun: it waits for others, for its turn, or for its pace.
  case pending
  /// It is working on its draft.
  case started
  /// All of its changes have been made.
  ///
  /// The effects of the actions it has sent may still be in flight.
  case completed
  /// It was cancelled, or another one took its place; nothing has changed.
  ///
  /// So is one that never begins: its pace left it out, one that it depends on was not completed, or the store was not
  /// active.
  case cancelled
  /// It threw this error; nothing has changed.
  case failed(any Error)

  /// Whether nothing comes after it.
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

/// What is wrong with transactions as they were put together.
///
/// Thrown when a ``TransactionGraph`` is begun, not while it is built.
public struct TransactionError: Error, Sendable, CustomStringConvertible {
  /// What is wrong.
  ///
  /// More kinds may be added.
  public struct Code: Hashable, Sendable {
    private let name: String

    /// Transactions depend on each other in a circle.
    public static let cycle = Code(name: "cycle")
    /// A transaction depends on one that is not there, or is not there itself.
    public static let unknown = Code(name: "unknown")
    /// Two transactions have the same name.
    public static let duplicate = Code(name: "duplicate")
  }

  /// What is wrong.
  public let code: Code
  /// What is wrong, and with which transactions.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
