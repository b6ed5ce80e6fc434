import AsyncStore
import Synchronization

private let lastRun = Atomic<Int>(0)

/// A transaction that has been begun, with its status and its cancellation.
///
/// The run may be dropped; the transaction continues. The run does not keep the store alive: a store that goes away or
/// is deactivated before the commit cancels the transaction.
public final class TransactionRun: Sendable {
  private struct State {
    var status = TransactionStatus.pending
    /// The statuses that have been reached and not yet been reported.
    var unreported: [TransactionStatus] = []
    var readers: [AsyncStream<TransactionStatus>.Continuation] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
    var watchers: [@Sendable (TransactionStatus) -> Void] = []
    var handle: EffectHandle?
    /// True once the transaction has been asked to end, possibly before it had a handle.
    var isCancelled = false
    var isCommitted = false
    /// True while a thread reports the statuses that it has taken.
    var isReporting = false
    /// True once no part of the transaction is running any more.
    var hasEnded = false
    /// The sequences that finish when the transaction has ended.
    var ends: [AsyncStream<Never>.Continuation] = []

    /// True if nothing is left to report.
    var isOver: Bool { status.isFinal && unreported.isEmpty }

    /// Takes the unreported statuses, with everybody to notify of them; `nil` if there are none.
    mutating func takeUnreported() -> Report? {
      isReporting = !unreported.isEmpty
      guard isReporting else { return nil }
      var report = Report(statuses: unreported, last: status, readers: readers)
      unreported = []
      guard status.isFinal else { return report }
      (report.waiters, report.watchers) = (waiters, watchers)
      (readers, waiters, watchers) = ([], [], [])
      return report
    }
  }

  /// Statuses, and everybody to notify of them.
  private struct Report: Sendable {
    let statuses: [TransactionStatus]
    let last: TransactionStatus
    let readers: [AsyncStream<TransactionStatus>.Continuation]
    var waiters: [CheckedContinuation<Void, Never>] = []
    var watchers: [@Sendable (TransactionStatus) -> Void] = []

    func deliver() {
      for reader in readers {
        for status in statuses { reader.yield(status) }
        if last.isFinal { reader.finish() }
      }
      for waiter in waiters { waiter.resume() }
      for watcher in watchers { watcher(last) }
    }
  }

  /// The transaction's name.
  public let name: String
  /// A number that distinguishes this run from all others in the process.
  public let id = lastRun.wrappingAdd(1, ordering: .relaxed).newValue
  private let state = Mutex(State())

  init(_ name: String) { self.name = name }

  /// The current status.
  ///
  /// Safe from any thread.
  public var status: TransactionStatus { state.withLock { $0.status } }

  /// The current status first, then each later one, up to the final one.
  ///
  /// Any number of readers may read, each from its own sequence. The last element is `completed`, `cancelled` or
  /// `failed`.
  ///
  /// Cancelling a reading task ends its sequence early, and affects nothing else.
  public var statuses: AsyncStream<TransactionStatus> {
    let (stream, continuation) = AsyncStream.makeStream(of: TransactionStatus.self)
    state.withLock { state in
      // Unreported statuses reach this reader with the rest.
      let isReported = state.unreported.isEmpty
      if isReported { continuation.yield(state.status) }
      if state.isOver { continuation.finish() } else { state.readers.append(continuation) }
    }
    return stream
  }

  /// The final status.
  ///
  /// The outcome does not wait for the effects of actions that were sent.
  ///
  /// Cancelling the waiting task neither cancels the transaction nor ends the wait.
  public var outcome: TransactionStatus {
    get async {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isOver { state.waiters.append(continuation) }
          return state.isOver
        }
        if isOver { continuation.resume() }
      }
      // Read under the lock and not passed through the continuation, so that the write of the status happens before
      // this read.
      return status
    }
  }

  /// Cancels the transaction if it has not been committed, and the effects of the actions that it has sent.
  ///
  /// This is a barrier, law 7: when it returns, either all of the transaction's changes have been made or none ever
  /// will be.
  ///
  /// A transaction that has not begun never begins. The status of a running transaction is `cancelled` as soon as its
  /// operation has returned. For a transaction that runs as part of other effects, see `transaction(_:file:line:)`,
  /// this does nothing: it is cancelled with those effects. Safe from any thread, and any number of times.
  public func cancel() {
    let handle = state.withLock { state in
      // The call that begins the transaction may not have returned yet.
      state.isCancelled = true
      return state.handle
    }
    handle?.cancel()
  }

  // MARK: Progress

  var isCommitted: Bool { state.withLock { $0.isCommitted } }

  /// Sets the status unless it is already final, without notifying anybody, so that it may be called under the store's
  /// lock.
  func reach(_ status: TransactionStatus) {
    state.withLock { state in
      guard !state.status.isFinal else { return }
      state.status = status
      state.unreported.append(status)
      if case .completed = status { state.isCommitted = true }
    }
  }

  /// Adds watchers; may be called under the store's lock, before the transaction is over.
  func watch(_ watchers: [@Sendable (TransactionStatus) -> Void]) { state.withLock { $0.watchers += watchers } }

  /// True once no part of the transaction is running any more.
  ///
  /// The effects of the actions that it sent have settled by then, unless it is part of other effects.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Waits until ``hasEnded``, or until the waiting task is cancelled.
  func ended() async {
    // The handle can't tell: a run that is part of other effects has none, and any other run has none before the call
    // that begins it has returned.
    let (end, continuation) = AsyncStream.makeStream(of: Never.self)
    let hasEnded = state.withLock { state in
      if !state.hasEnded { state.ends.append(continuation) }
      return state.hasEnded
    }
    if hasEnded { return }
    for await _ in end {}
  }

  /// Reports the statuses that have been reached, in order.
  ///
  /// Under no lock, because an executor may run resumed code at once, which may then call the run. While one thread
  /// reports, other threads, and the code that it has resumed, leave their statuses to it.
  func report() {
    var report = state.withLock { $0.isReporting ? nil : $0.takeUnreported() }
    while let current = report {
      current.deliver()
      report = state.withLock { $0.takeUnreported() }
    }
  }

  /// Follows the transaction's effect through its handle.
  func follow(_ handle: EffectHandle) {
    let isCancelled = state.withLock { state in
      state.handle = handle
      return state.isCancelled
    }
    if isCancelled { handle.cancel() }
    handle.whenSettled { _ in self.end() }
  }

  /// Ends the run when no part of the transaction is running any more.
  func end() {
    reach(.cancelled)
    let ends = state.withLock { state in
      state.hasEnded = true
      defer { state.ends = [] }
      return state.ends
    }
    report()
    for end in ends { end.finish() }
  }
}
