import AsyncStore

/// Transactions that depend on each other.
///
/// Each transaction begins when the transactions that it depends on have completed, and the effects of the actions that
/// they have sent have settled. Transactions that depend on nothing begin at once, concurrently.
///
/// ```swift
/// typealias Step = StateTransaction<Counter, UserService>
/// var order = TransactionGraph<Counter, UserService>()
/// order.add(Step("ship") { $0.items.append("shipped") }, after: "pay")
/// order.add(Step("pay") { $0.items.append("paid") })
/// let statuses = try await store.begin(order).outcomes
/// // statuses.count == 2
/// // store.items == ["paid", "shipped"]
/// ```
public struct TransactionGraph<State: Sendable, Env: Sendable>: Sendable {
  private(set) var transactions: [StateTransaction<State, Env>] = []
  private(set) var dependencies: [String: [String]] = [:]

  /// Creates an empty graph.
  public init() {}

  /// Creates a graph of transactions that run one after the other.
  ///
  /// - Parameter transactions: the transactions, each of which depends on the previous one; an empty list makes an
  ///   empty graph. Two with the same name are refused when the graph is begun.
  public init(sequence transactions: [StateTransaction<State, Env>]) {
    for transaction in transactions {
      let last = self.transactions.last
      add(transaction)
      if let last { addDependency(of: transaction.name, on: last.name) }
    }
  }

  /// Adds a transaction.
  ///
  /// - Parameters:
  ///   - transaction: the transaction; its name has to be unique, or the graph can't be begun.
  ///   - names: the transactions that have to complete first; they may be added later, before the graph is begun.
  public mutating func add(_ transaction: StateTransaction<State, Env>, after names: String...) {
    transactions.append(transaction)
    for name in names { addDependency(of: transaction.name, on: name) }
  }

  /// Makes a transaction wait for another one.
  ///
  /// Both may be added later. Nothing is checked before the graph is begun.
  ///
  /// - Parameters:
  ///   - name: the transaction that waits.
  ///   - other: the transaction that has to complete first. If there is no transaction with one of the names, the graph
  ///     can't be begun.
  public mutating func addDependency(of name: String, on other: String) {
    dependencies[name, default: []].append(other)
  }

  func dependencies(of name: String) -> [String] { dependencies[name] ?? [] }

  /// Returns the transactions, each after those that it depends on.
  ///
  /// - Throws: ``TransactionError`` with the code `duplicate`, `unknown` or `cycle`; the last names the transactions on
  ///   the cycle.
  func sorted() throws -> [StateTransaction<State, Env>] {
    var byName: [String: StateTransaction<State, Env>] = [:]
    for transaction in transactions {
      guard byName.updateValue(transaction, forKey: transaction.name) == nil else {
        throw TransactionError(.duplicate, "There are two transactions \(transaction.name).")
      }
    }
    // The walk below reaches only transactions in the graph, and their dependencies.
    if let stray = dependencies.keys.filter({ byName[$0] == nil }).min() {
      let others = dependencies(of: stray).joined(separator: ", ")
      throw TransactionError(.unknown, "\(stray) depends on \(others), but is not there.")
    }
    var sorted: [StateTransaction<State, Env>] = []
    var isDone: [String: Bool] = [:]
    for root in transactions {
      // A separate stack instead of recursion, because graphs may be deep.
      var path: [(name: String, next: Int)] = isDone[root.name] == nil ? [(root.name, 0)] : []
      while let (name, next) = path.last {
        guard let transaction = byName[name] else {
          let dependent = path.dropLast().last.map(\.name) ?? root.name
          throw TransactionError(.unknown, "\(dependent) depends on \(name), which is not there.")
        }
        isDone[name] = false
        let names = dependencies(of: name)
        if next == names.count {
          isDone[name] = true
          sorted.append(transaction)
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        switch isDone[names[next]] {
        case nil: path.append((names[next], 0))
        case true?: break
        case false?:
          let cycle = path.map(\.name).drop { $0 != names[next] } + [names[next]]
          throw TransactionError(.cycle, "Transactions wait for each other: \(cycle.joined(separator: " → ")).")
        }
      }
    }
    return sorted
  }
}

/// Transactions that were begun together.
///
/// The run may be dropped; the transactions continue.
public struct TransactionGraphRun: Sendable {
  /// The transactions by name.
  public let runs: [String: TransactionRun]
  let group: TransactionGroup
  let cancelAll: @Sendable () -> Void

  /// Returns the current status of a transaction, or `nil` if none has that name.
  public func status(of name: String) -> TransactionStatus? { runs[name]?.status }

  /// The first error that any of the transactions has thrown.
  ///
  /// The error of an operation after it was cancelled does not count.
  public var firstError: (any Error)? { group.firstError }

  /// The final statuses of all transactions, by name.
  ///
  /// Cancelling the waiting task neither cancels a transaction nor ends the wait.
  public var outcomes: [String: TransactionStatus] {
    get async {
      var statuses: [String: TransactionStatus] = [:]
      for (name, run) in runs { statuses[name] = await run.outcome }
      return statuses
    }
  }

  /// Cancels the transactions that have not been committed.
  ///
  /// For the others, it cancels the effects of the actions that they have sent. This is a barrier, law 7: when it
  /// returns, none of them commits any more. Once everything is over, it does nothing.
  public func cancel() { cancelAll() }
}

extension AsyncStore {
  /// Begins transactions that depend on each other.
  ///
  /// Transactions that depend on nothing begin as with `begin(_:id:pacing:after:isolation:file:line:)`, the others when
  /// their turn comes. Each transaction's error also goes to the store's `mapError`.
  ///
  /// **Cancellation.** The transactions have no identifiers: only their runs cancel them, or the end of the store's
  /// activity, which is its deactivation, its shutdown or its release.
  ///
  /// - Parameters:
  ///   - graph: the transactions; there may be none.
  ///   - continuesAfterFailure: true if a transaction also begins when one that it depends on has not completed, and
  ///     may read ``TransactionDraft/previousError``; by default it is cancelled.
  ///   - isolation: the caller's isolation; leave it to the compiler.
  ///   - file: the file of the call, for reports.
  ///   - line: the line of the call, for reports.
  /// - Returns: the runs of the transactions; all are `cancelled` if the store is not active.
  /// - Throws: ``TransactionError`` if they wait for each other in a cycle, if one that waits or is waited for is
  ///   missing, or if two have the same name. Then none has begun.
  /// - Complexity: linear in the number of transactions and of dependencies.
  @discardableResult
  public func begin(
    _ graph: TransactionGraph<State, Env>, continuesAfterFailure: Bool = false,
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) throws -> TransactionGraphRun {
    let sorted = try graph.sorted()
    let group = TransactionGroup(graph.dependencies)
    var runs: [String: TransactionRun] = [:]
    for transaction in sorted {
      let before = graph.dependencies(of: transaction.name).compactMap { runs[$0] }
      let run = TransactionRun(transaction.name)
      runs[transaction.name] = run
      let effect = Effect.transaction(transaction, run, group: group, file: file, line: line)
        .after(before, orTheirFailure: continuesAfterFailure, file, line)
      run.follow(receive(effect, isolation: isolation))
    }
    // Dependent transactions first, so that none begins because another one has been cancelled.
    let lastFirst = sorted.reversed().compactMap { runs[$0.name] }
    return TransactionGraphRun(runs: runs, group: group) { for run in lastFirst { run.cancel() } }
  }
}
