extension AsyncStore where State: Model, Env == State.Environment {
  /// Begins to log every action, and every other change of the state.
  ///
  /// An action is in the log whatever it changes. What is no action and changes nothing leaves no trace.
  ///
  /// The log begins with the present state, and takes the place of one that there was. It goes on when the store has
  /// been deactivated and is activated again.
  ///
  /// - Parameters:
  ///   - capacity: how many changes are kept, 1 or more; by default any number. Less traps.
  ///   - checkpointInterval: after how many changes the state is kept to be compared with when the log is replayed; 1
  ///     or more, less traps.
  /// - Complexity: constant; each change from then on costs what ``ActionLog/append(_:leadingTo:)`` does, under the
  ///   store's lock, and one that no action made what ``ActionLog/state(at:)`` does.
  public func record(capacity: Int = .max, checkpointEvery checkpointInterval: Int = 1_000) {
    let hub = hub
    withAttachment { _, state in
      hub.recording = ActionRecording(
        ActionLog(initial: state, capacity: capacity, checkpointEvery: checkpointInterval))
      hub.travelled = nil
    }
  }

  /// Goes on with a log, one that was imported for example: the state becomes the one the log ends in.
  ///
  /// The log is replayed first, on the calling thread and under no lock. Then comes one change, of which middleware is
  /// not asked; effects in flight go on. If the store is not active nothing happens.
  ///
  /// - Parameters:
  ///   - log: what happened before.
  ///   - isolation: where the caller is; leave it to the compiler.
  /// - Throws: ``ActionLogError`` with the code `diverged`, as replaying the log does. Nothing has changed then.
  /// - Complexity: linear in the changes of the log.
  public func record(continuing log: ActionLog<State>, isolation: isolated (any Actor)? = #isolation) throws {
    let end = try log.replay()
    let hub = hub
    receive(
      .set { [weak hub] state in
        state = end
        hub?.isAccountedFor = true
        hub?.recording = ActionRecording(log)
        hub?.travelled = nil
      }, isolation: isolation)
  }

  /// The log as it is now, with the present state kept in it; `nil` before ``record(capacity:checkpointEvery:)``.
  ///
  /// A copy: what is committed afterwards does not show in it.
  ///
  /// - Complexity: linear in the states that were kept. If the copy is still there at the store's next change, that one
  ///   copies the list of the changes.
  public var actionLog: ActionLog<State>? {
    withKnownHub { hub, state in
      var log = hub?.recording?.log
      if hub?.travelled == nil { log?.keep(state) }
      return log
    }
  }

  /// Sets the state to what it was before a logged change, or after the last one.
  ///
  /// Nothing is lost by it: one may travel on, forth and back. The next change that is not a journey drops what came
  /// after the index.
  ///
  /// It is one change, of which middleware is not asked. Effects in flight go on. If the store is not active nothing
  /// happens; nor if others have meanwhile replaced the log, dropped changes from it by what they did after a journey,
  /// or filled it so that it does not go back so far.
  ///
  /// - Parameters:
  ///   - index: of a state; see ``ActionLog/indices``.
  ///   - isolation: where the caller is; leave it to the compiler.
  /// - Throws: ``ActionLogError`` with the code `outOfRange` if the log does not have the state, or there is no log.
  /// - Complexity: that of ``ActionLog/state(at:)``, on the calling thread.
  public func travel(to index: Int, isolation: isolated (any Actor)? = #isolation) throws {
    let (hub, recording, log) = withKnownHub { hub, _ in (hub, hub?.recording, hub?.recording?.log) }
    guard let destination = log?.state(at: index) else {
      let states = log.map { "\($0.indices.lowerBound)...\($0.indices.upperBound)" } ?? "none: record() was not called"
      throw ActionLogError(.outOfRange, "There is no state \(index) in the log. Its states: \(states).")
    }
    receive(
      .set { [weak hub] state in
        guard let hub else { return }
        hub.isAccountedFor = true
        // What is left when the travelling is over has to agree with the log as it is then.
        guard let recording, recording === hub.recording, recording.log.hasState(at: index) else { return }
        state = destination
        hub.travelled = index < recording.log.indices.upperBound ? index : nil
      }, isolation: isolation)
  }
}
