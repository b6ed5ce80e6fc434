import AsyncStore

extension AsyncStore where State: Model, Env == State.Environment {
  /// Begins to log every action, and every other change of the state.
  ///
  /// The log contains every action, even one that changes nothing, and, of other commits, those that change the state.
  ///
  /// The log begins with the current state, and replaces an earlier log. It continues when the store is deactivated and
  /// activated again.
  ///
  /// - Parameters:
  ///   - capacity: the maximum number of changes to keep, at least 1, otherwise traps. Unlimited by default.
  ///   - checkpointInterval: the number of changes after which the state is kept, to be compared when the log is
  ///     replayed; at least 1, otherwise traps.
  /// - Complexity: constant. From then on, each change also costs an ``ActionLog/append(_:leadingTo:)`` under the
  ///   store's lock, and a change that no action made also costs an ``ActionLog/state(at:)``.
  public func startRecording(capacity: Int = .max, checkpointEvery checkpointInterval: Int = 1_000) {
    let hub = hub
    let earlier = withAssociatedObject { _, state in
      let earlier = hub.recording
      hub.recording = ActionRecording(
        ActionLog(initial: state, capacity: capacity, checkpointEvery: checkpointInterval))
      hub.travelled = nil
      return earlier
    }
    // The earlier log is released after the lock.
    withExtendedLifetime(earlier) {}
  }

  /// Continues a log, for example an imported one: the state becomes the last state of the log.
  ///
  /// The log is replayed first, on the calling thread and under no lock. Then the state is set in one commit, which
  /// middleware does not see; effects in flight continue. If the store is not active, nothing happens.
  ///
  /// - Parameters:
  ///   - log: the log of the earlier changes.
  ///   - isolation: the caller's isolation; leave it to the compiler.
  /// - Throws: ``ActionLogError`` with the code `diverged`, as replaying the log does. Nothing has changed then.
  /// - Complexity: linear in the number of changes in the log.
  public func startRecording(continuing log: ActionLog<State>, isolation: isolated (any Actor)? = #isolation) throws {
    let end = try log.replay()
    let hub = hub
    receive(
      .set { [weak hub] state in
        hub?.released.append(state)
        hub?.released.append(hub?.recording)
        state = end
        hub?.isAccountedFor = true
        hub?.recording = ActionRecording(log)
        hub?.travelled = nil
      }, isolation: isolation)
  }

  /// The current log, with the current state kept in it.
  ///
  /// `nil` before ``startRecording(capacity:checkpointEvery:)``.
  ///
  /// This is a copy that does not show later commits.
  ///
  /// - Complexity: linear in the number of kept states. If the copy still exists at the store's next change, that
  ///   change copies the list of changes.
  public var actionLog: ActionLog<State>? {
    withKnownHub { hub, state in
      var log = hub?.recording?.log
      if hub?.travelled == nil { log?.keep(state) }
      return log
    }
  }

  /// Sets the state to its value before a logged change, or after the last one.
  ///
  /// The log keeps all its changes, so that you can travel back and forth. The next other change drops the changes
  /// after the index.
  ///
  /// Travelling is one commit, which middleware does not see. Effects in flight continue. If the store is not active,
  /// nothing happens. Nothing happens either if another thread has meanwhile replaced the log, or made changes after
  /// which the log no longer has the index.
  ///
  /// - Parameters:
  ///   - index: the index of a state; see ``ActionLog/indices``.
  ///   - isolation: the caller's isolation; leave it to the compiler.
  /// - Throws: ``ActionLogError`` with the code `outOfRange` if the log does not have the state, or there is no log.
  /// - Complexity: that of ``ActionLog/state(at:)``, on the calling thread.
  public func travel(to index: Int, isolation: isolated (any Actor)? = #isolation) throws {
    let (hub, recording, log, dropCount) = withKnownHub { hub, _ in
      (hub, hub?.recording, hub?.recording?.log, hub?.recording?.dropCount ?? 0)
    }
    guard let destination = log?.state(at: index) else {
      let states =
        log.map { "\($0.indices.lowerBound)...\($0.indices.upperBound)" } ?? "none: startRecording() was not called"
      throw ActionLogError(.outOfRange, "There is no state \(index) in the log. Its states: \(states).")
    }
    receive(
      .set { [weak hub] state in
        guard let hub else { return }
        hub.isAccountedFor = true
        // The new state has to be the one that the log has at this moment.
        guard let recording, recording === hub.recording, recording.hasKeptState(at: index, since: dropCount)
        else { return }
        hub.released.append(state)
        state = destination
        hub.travelled = index < recording.log.indices.upperBound ? index : nil
      }, isolation: isolation)
  }
}
