/// A request of the machine to the shell.
///
/// The shell makes the commits in order, under the lock. After it come the cancels, the other requests in order, the
/// deliveries to observers, and the ends of trees.
enum Directive<P: Program> {
  /// Commit `count` consecutive mutations, one by one, beginning at this site.
  case commit(FiberID, Site<P>, count: Int32 = 1)
  /// Apply the mutation at this site and answer with ``Machine/evaluated(_:_:_:)``. Always the last directive of a
  /// pass: the machine stands still until the answer.
  case evaluate(FiberID, Site<P>)
  /// Start the operation at this site; answer with `operationFinished` or `operationFailed`.
  case operate(FiberID, Site<P>)
  /// Transfer the running operation of the first fiber to the second one, under whose name its end is reported from
  /// now on.
  case transfer(FiberID, to: FiberID)
  /// Start the source at this site; answer with `emitted` for each of its effects and with `sourceEnded`.
  case open(FiberID, Site<P>)
  /// Ask the operation or the source of this fiber to end. It still answers once it has ended. If its task has not
  /// started and nothing follows from its end, the shell ends it in the same step.
  case cancel(FiberID)
  /// Stop the timers and sources that this fiber's lift has started in another store; effects that these have begun go
  /// on. Or, if the fiber no longer drains, allow new ones.
  case drain(FiberID)
  /// Map this tick of a timer and answer with `ticked`, or commit a mere `set` in place.
  case tick(FiberID, Tick)
  /// Map this error with the handler, or with the store's own if there is none; answer with `handled`.
  indirect case handle(FiberID, by: P?, P.Failure)
  /// Ask the condition of the retry at this site whether the error is worth another attempt; answer with `decided`.
  indirect case decide(FiberID, Site<P>, P.Failure)
  /// Settle the tree: its attached part has ended; if it is over, nothing detached of it lives either. The last
  /// value is the ending for a lift that it belongs to.
  case settle(P.Context, Ending<P.Failure>, isOver: Bool = true, LiftEnding = .incomplete)
  /// Count the cleanup of a cancelled tree, a `finally` or a mapped error, that has begun beside it.
  case addRoot(P.Context)
  /// Release a tree that has settled, or a cleanup that it left behind. At most some of its cancelled operations still
  /// run.
  case end(P.Context)
  /// Report that effects under these identifiers would have waited for each other forever.
  indirect case reportCycle([P.Identifier])
  /// Report `turnCame` on the actor that commits must happen on, where the fiber goes on; the first that waits requests
  /// it for all.
  case awaitTurn(FiberID, isFirst: Bool)
  /// Let what follows in this pass count as following from these deliveries, and not from those of the event.
  case follow(DeliveryLineage)
  /// Report the pass's next event to the instrument.
  case trace

  /// True if the shell has to call user code, and to report what that has answered to the machine.
  ///
  /// An `evaluate` is answered under the lock. The effect that a tick is mapped to comes back as an event, too.
  var isQuestion: Bool {
    switch self {
    case .tick, .evaluate, .handle, .decide: true
    default: false
    }
  }

  var isEvaluate: Bool { if case .evaluate = self { true } else { false } }
}

extension Directive: Equatable where P: Equatable, P.Failure: Equatable, P.Context: Equatable {}
