/// An event that instruments are told of.
///
/// Taken when it happens: a fiber that has ended is gone when the shell handles the event.
struct TraceEvent<P: Program> {
  enum Content {
    case committed(Site<P>, count: Int)
    case begun
    case ended(Ending<P.Failure>)
    /// The operation or the source has been asked to end.
    case cancelled
    case dropped
    /// The effect has thrown, and no recovery takes the error.
    case failed(P.Failure)
    /// The effect has thrown, and a recovery takes the error.
    case recovered(P.Failure)
    /// An attempt of a retry has begun.
    case attempted(Attempt<P.Failure>)
    /// An attempt has failed, and the next one begins after the delay.
    case backedOff(attempt: Int, P.Failure, Moment.Span)
    /// No attempt of a retry follows, and nothing of the last one is running.
    case attemptsEnded(Ending<P.Failure>)
    case waiting(TraceWait)
    case waited(TraceWait, isCancelled: Bool)
    case timedOut
    case ticked(Tick, late: Moment.Span)
  }

  var content: Content
  var moment: Moment
  var record: TraceRecord<P>
}

/// A wait that begins with no effect.
enum TraceWait { case place, cleanup, window, turn, backOff }

/// The effect of an event, and where it is.
struct TraceRecord<P: Program> {
  struct AttemptNumber: Hashable { var number: Int, fiber: UInt64, retry: UInt64 }

  var number: UInt64
  var parent: UInt64?
  var tree: UInt64
  var isCancelled: Bool
  var attempt: AttemptNumber?
  /// The nearest identifier.
  var identifier: P.Identifier?
  /// The identifiers around the nearest one, from the inside out, eight at most.
  var outer: [P.Identifier] = []
  /// The nearest label.
  var label: P.Label?
  /// `nil` if it is released, and no description was kept.
  var effect: P.Description?
}
