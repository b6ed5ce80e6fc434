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

  let content: Content
  let moment: Moment
  let record: P.Record
}

/// A wait that begins with no effect.
enum TraceWait { case place, cleanup, window, turn, backOff }
