extension AsyncStore where State: Model, Env == State.Environment {
  /// Begins to log every change of the state.
  ///
  /// - Parameters:
  ///   - capacity: how many changes are kept, 1 or more; by default any number.
  ///   - checkpointInterval: after how many changes the state is kept to be compared with when the log is replayed.
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
  /// - Throws: ``ActionLogError`` with the code `diverged`, as replaying the log does.
  public func record(continuing log: ActionLog<State>, isolation: isolated (any Actor)? = #isolation) throws {
    let end = try log.replay()
    let hub = hub
    receive(
      .set { [weak hub] state in
        state = end
        hub?.recording = ActionRecording(log)
        hub?.travelled = log.indices.upperBound
      }, isolation: isolation)
  }

  /// The log as it is now, with the present state kept in it; `nil` before ``record(capacity:checkpointEvery:)``.
  public var actionLog: ActionLog<State>? {
    let hub = hub
    return withAttachment { _, state in
      var log = hub.recording?.log
      if hub.travelled == nil { log?.keep(state) }
      return log
    }
  }

  /// Sets the state to what it was before a logged change, or after the last one.
  ///
  /// Nothing is lost by it: one may travel on, forth and back. The next change that is not a journey drops what came after the index.
  ///
  /// - Parameter index: of a state; see ``ActionLog/indices``.
  /// - Throws: ``ActionLogError`` with the code `outOfRange` if the log does not have the state.
  public func travel(to index: Int, isolation: isolated (any Actor)? = #isolation) throws {
    let log = actionLog
    guard let destination = log?.state(at: index) else {
      let states = log.map { "\($0.indices.lowerBound)...\($0.indices.upperBound)" } ?? "none: record() was not called"
      throw ActionLogError(.outOfRange, "There is no state \(index) in the log. Its states: \(states).")
    }
    let hub = hub
    receive(
      .set { [weak hub] state in
        guard let hub, let indices = hub.recording?.log.indices, index <= indices.upperBound else { return }
        // What is left when the travelling is over has to agree with the log.
        state = destination
        hub.travelled = index
      }, isolation: isolation)
  }
}
