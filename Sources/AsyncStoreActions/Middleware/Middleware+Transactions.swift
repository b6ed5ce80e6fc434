import AsyncStore

/// A transaction that is over.
public struct TransactionReport: Sendable, CustomStringConvertible {
  /// The transaction's name.
  public let name: String
  /// The number of the run, as in ``TransactionRun/id``.
  public let id: Int
  /// The time from its start to its end: all attempts, without the effects of the actions that it sent.
  public let duration: Duration
  /// The transaction's outcome.
  public let outcome: TransactionStatus

  /// The name, duration and outcome in a few words, such as `checkout [0.25 seconds] completed`.
  public var description: String { "\(name) [\(duration)] \(outcome)" }
}

extension Middleware {
  /// Reports each transaction when it ends: its name, duration and outcome.
  ///
  /// A transaction that never began, for example because its pacing left it out, is not reported. Transactions of parts
  /// and of child stores are reported as the store's.
  ///
  /// ```swift
  /// let output = CounterStore(state: Counter(), env: service)
  /// let tally = StoreOf<Tally>(
  ///   state: Tally(), env: (), middleware: [.reportingTransactions { output.receive(.append($0.name, to: \.items)) }])
  /// tally.begin(StateTransaction("add") { $0.count += 1 })
  /// // output.items == ["add"]
  /// ```
  ///
  /// - Parameters:
  ///   - clock: the clock for measuring durations. Its `now` is called under the store's lock when a transaction
  ///     begins, and must not call the store.
  ///   - output: called with each report; by default prints it. Runs under no lock, on the thread that ends the
  ///     transaction; for a transaction that is part of other effects, on the thread that releases the last of these.
  ///     If `output` itself begins a transaction that ends at once, that transaction is reported after `output` has
  ///     returned.
  public static func reportingTransactions<C: Clock>(
    on clock: C = ContinuousClock(), to output: @escaping @Sendable (TransactionReport) -> Void = { print($0) }
  ) -> Self where C.Duration == Duration {
    Middleware(watch: { [clock] run in
      let (name, id, start) = (run.name, run.id, clock.now)
      return { outcome in
        let report = TransactionReport(name: name, id: id, duration: start.duration(to: clock.now), outcome: outcome)
        // The report may begin the next transaction, which may be over at once.
        CallQueue.call { output(report) }
      }
    })
  }
}
