/// An event for instruments.
///
/// Recorded when it happens, because a fiber that has ended is gone when the shell handles the event.
struct TraceEvent<P: Program> {
  enum Content {
    /// The tree was lifted into this store, and is about to begin.
    case lifted(from: P.Origin)
    case committed(Site<P>, count: Int)
    case begun
    case ended(Ending<P.Failure>)
    /// The operation or the source has been asked to end.
    case cancelled
    case dropped
    /// The effect threw, and no recovery takes the error.
    case failed(P.Failure)
    /// The effect threw, and a recovery takes the error.
    case recovered(P.Failure)
    /// An attempt of a retry has begun.
    case attempted(Attempt<P.Failure>)
    /// An attempt has failed, and the next one begins after the delay.
    case backedOff(attempt: Int, P.Failure, Moment.Span)
    /// No attempt of a retry follows, and no part of the last one is running.
    case attemptsEnded(Ending<P.Failure>)
    case waiting(TraceWait)
    case waited(TraceWait, isCancelled: Bool)
    case timedOut
    case ticked(Tick, late: Moment.Span)
  }

  let content: Content
  let moment: Moment
  let record: P.Record
}

/// A wait that does not begin with an effect.
enum TraceWait { case place, cleanup, window, turn, backOff }
