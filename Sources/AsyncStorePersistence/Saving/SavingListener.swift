import AsyncStore
import Synchronization

/// A listener that saves a store's state after its commits, and when the store is deactivated.
///
/// | phase | after a commit | when the store ends |
/// |---|---|---|
/// | `restoring` | nothing: the saved state is not committed yet | nothing |
/// | `restored` | nothing: that was the saved state; `saving` | saves the last state; `ended` |
/// | `saving` | requests a save | saves the last state; `ended` |
/// | `ended` | it has been activated again: `saving`, requests a save | if it was active again: saves the last state |
/// | `stopped` | nothing | nothing |
final class SavingListener<State: Sendable, Value: Codable & Sendable>: CommitListener {
  private enum Phase { case restoring, restored, saving, ended, stopped }

  private struct Progress {
    var phase = Phase.restoring
    /// The number of the store's current activity; saves are requested for an activity, and cancelled with it.
    var activity = 0
    /// The last state of an activity.
    var last: (value: Value, number: Int, isSaved: Bool)?
    /// Last states that are no longer needed, to be released after the store's lock and this one.
    var outdated: [Value] = []
    /// True if an activity has ended, and saving its last state has neither succeeded nor failed yet.
    var isLastDue = false

    mutating func giveUpLast() {
      if let last = last.take() { outdated.append(last.value) }
    }
  }

  private let saver: Saver<Value>
  // Removed with the listener, and so with the store.
  private let part: SavedPart
  private let get: @Sendable (State) -> Value
  private let request: @Sendable (_ activity: Int) -> Void
  private let cancel: @Sendable (_ activity: Int) -> Void
  private let onFinalFailure: @Sendable (PersistenceError) -> Void
  // The store's lock may be held when this one is taken, so no value is released under it.
  private let progress = Mutex(Progress())
  /// Held while the last state is saved, so that other threads that end the store wait for the save.
  private let ending = Mutex(())

  /// - Parameters:
  ///   - get: returns the part of the state to save.
  ///   - request: schedules a save.
  ///   - cancel: cancels the saves that an activity has requested.
  ///   - onFinalFailure: called with the error if the last state can't be saved.
  init(
    _ saver: Saver<Value>, of part: SavedPart, get: @escaping @Sendable (State) -> Value,
    request: @escaping @Sendable (Int) -> Void,
    cancel: @escaping @Sendable (Int) -> Void, onFinalFailure: @escaping @Sendable (PersistenceError) -> Void
  ) {
    self.saver = saver
    self.part = part
    self.get = get
    self.request = request
    self.cancel = cancel
    self.onFinalFailure = onFinalFailure
  }

  /// Begins to save after the next commit or, if that is the restored state, after the one that follows.
  func begin(withRestoring isRestoring: Bool) { progress.withLock { $0.phase = isRestoring ? .restored : .saving } }

  /// True once the last state is known, or nobody asks for it any more.
  var hasEnded: Bool { progress.withLock { $0.phase == .ended || $0.phase == .stopped } }

  // MARK: Under the store's lock

  func committed(_ state: State) -> Bool {
    progress.withLock { progress in
      switch progress.phase {
      case .restoring, .stopped: return false
      case .saving: return true
      case .restored:
        progress.phase = .saving
        return false
      case .ended:
        progress.phase = .saving
        progress.activity += 1
        if progress.last?.isSaved == true { progress.giveUpLast() }
        return true
      }
    }
  }

  func committedSilently(_ state: State) -> Bool { committed(state) }

  func willEnd(_ state: State, endsActivity: Bool) {
    progress.withLock { progress in
      switch progress.phase {
      case .restoring, .stopped: return
      case .ended:
        // The state is the last one of the previous activity.
        if endsActivity { progress.isLastDue = true }
        return
      case .restored, .saving: break
      }
      progress.phase = .ended
      progress.giveUpLast()
      progress.last = (get(state), saver.nextNumber(), false)
      progress.isLastDue = true
      // Under the lock, so that this can't come after the next activity has resumed the saver.
      saver.suspend()
    }
  }

  // MARK: After it

  func deliver() {
    releaseOutdated()
    let activity: Int? = progress.withLock { progress in
      // A commit from before the end is delivered after it.
      guard progress.phase == .saving else { return nil }
      saver.resume()
      return progress.activity
    }
    if let activity { request(activity) }
  }

  private func releaseOutdated() {
    // Taken out under the lock, and released after it.
    let outdated = progress.withLock { progress in
      defer { progress.outdated = [] }
      return progress.outdated
    }
    withExtendedLifetime(outdated) {}
  }

  func endAtOnce() {
    releaseOutdated()
    let ended: Int? = progress.withLock { $0.phase == .ended ? $0.activity : nil }
    if let ended { cancel(ended) }
    do throws(PersistenceError) {
      try saveLastOnce()
    } catch {
      onFinalFailure(error)
    }
  }

  func storeCrashes() {
    saver.crash()
    stop(isOver: false)
  }

  private func saveLastOnce() throws(PersistenceError) {
    // The state is released after the lock, because it may hold something that ends the store once more.
    let (result, _) = ending.withLock { _ -> (Result<Void, PersistenceError>, Value?) in
      defer { saver.close() }
      let due = progress.withLock { progress in
        defer { progress.isLastDue = false }
        return progress.isLastDue ? progress.last : nil
      }
      guard let last = due, !last.isSaved else { return (.success(()), due?.value) }
      return (Result { () throws(PersistenceError) in try save(last.value, last.number, on: .end) }, last.value)
    }
    releaseOutdated()
    try result.get()
  }

  private func save(_ value: Value, _ number: Int, on occasion: Saver<Value>.Occasion) throws(PersistenceError) {
    try saver.save(value, number: number, on: occasion)
    progress.withLock { progress in
      guard progress.last?.number == number else { return }
      // While the store is gone or inactive, the last state may be requested again.
      if progress.phase == .ended { progress.last?.isSaved = true } else { progress.giveUpLast() }
    }
  }

  // MARK: On demand

  /// Saves the last state of the store.
  ///
  /// - Returns: true if the last state is known.
  func saveLast() throws(PersistenceError) -> Bool {
    guard let last = progress.withLock({ $0.phase == .ended ? $0.last : nil }) else { return false }
    defer { releaseOutdated() }
    try save(last.value, last.number, on: .demand)
    return true
  }

  /// Ends the listener for good.
  ///
  /// - Parameter isOver: true if the store is gone; its last state is kept if it is known.
  func stop(isOver: Bool) {
    saver.stop()
    let activity = progress.withLock { progress in
      progress.isLastDue = false
      if !isOver || progress.phase != .ended {
        progress.phase = .stopped
        progress.giveUpLast()
      }
      return progress.activity
    }
    releaseOutdated()
    cancel(activity)
    saver.close()
  }
}
