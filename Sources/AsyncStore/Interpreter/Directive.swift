/// A request from the machine to the shell.
///
/// The shell goes through the directives in order, under the lock: it commits, evaluates, transfers, counts roots,
/// records events and marks cancelled runs. After the lock it asks cancelled runs to end, does the remaining work in
/// order, notifies observers, and ends trees.
enum Directive<P: Program> {
  /// Commit `count` consecutive mutations one by one, beginning at this site.
  case commit(FiberID, Site<P>, count: Int32 = 1)
  /// Apply the mutation at this site and answer with ``Machine/evaluated(_:_:_:)``. This is always the last directive
  /// of a pass: the machine does nothing until the answer arrives.
  case evaluate(FiberID, Site<P>)
  /// Start the operation at this site; answer with `operationFinished` or `operationFailed`.
  case operate(FiberID, Site<P>)
  /// Transfer the running operation from the first fiber to the second, and report its end for the second.
  case transfer(FiberID, to: FiberID)
  /// Start the source at this site; answer with `emitted` for each effect and with `sourceEnded`.
  case open(FiberID, Site<P>)
  /// Ask the operation or the source of this fiber to end. The operation or source still answers when it has ended. If
  /// its task has not started and its end has no consequences, the shell ends it in the same step.
  case cancel(FiberID)
  /// Stop the timers and sources that this fiber's lift has started in another store; the effects they have begun
  /// continue. If the fiber no longer drains, allow new timers and sources again.
  case drain(FiberID)
  /// Map this tick of a timer and answer with `ticked`, or commit a plain `set` in place.
  case tick(FiberID, Tick)
  /// Map this error with the handler, or with the store's own handler if there is none; answer with `handled`.
  indirect case handle(FiberID, by: P?, P.Failure)
  /// Ask the condition of the retry at this site whether to try again after the error; answer with `decided`.
  indirect case decide(FiberID, Site<P>, P.Failure)
  /// Settle the tree, whose attached part has ended. If the tree is over, it has no detached effects left either. The
  /// last value is how the tree ended for the lift that it belongs to.
  case settle(P.Context, Ending<P.Failure>, isOver: Bool = true, LiftEnding = .incomplete)
  /// Count a cleanup of a cancelled tree, a `finally` or a mapped error, that has begun in a root of its own.
  case addRoot(P.Context)
  /// Release a tree that has settled, or a cleanup that it left behind. Some of its cancelled operations may still be
  /// running.
  case end(P.Context)
  /// Report that the effects under these identifiers would have waited for each other forever.
  indirect case reportCycle([P.Identifier])
  /// Report `turnCame` on the actor that commits must happen on, where the fiber continues. The first waiting fiber
  /// requests the turn for all.
  case awaitTurn(FiberID, isFirst: Bool)
  /// Treat what follows in this pass as a consequence of these deliveries instead of the event's deliveries.
  case follow(DeliveryLineage?)
  /// Report the pass's next event to the instrument.
  case trace

  /// True if the shell has to call user code and report the answer to the machine.
  ///
  /// `evaluate` is answered under the lock. The effect that a tick is mapped to comes back as an event as well.
  var isQuestion: Bool {
    switch self {
    case .tick, .evaluate, .handle, .decide: true
    default: false
    }
  }

  var isEvaluate: Bool { if case .evaluate = self { true } else { false } }
}

extension Directive: Equatable where P: Equatable, P.Failure: Equatable, P.Context: Equatable {}
