/// Operations: the user's asynchronous closures, which the shell runs in tasks.
///
/// Laws 1, 4 and 7. Events: `operationFinished`. Activities: `operating`, `ready`.
///
/// Errors are in `Machine+Failures`, the fast paths in `Machine+SingleOperation`.
extension Machine {
  mutating func operate(_ site: consuming Site<P>, _ slot: FiberSlot, _ pass: inout Pass<P>) {
    fibers[slot].activity = .operating
    traceBegin(of: slot, &pass)
    pass.directives.append(.operate(id(of: slot), site))
  }

  /// Continues a fiber with the effect that its operation returned, or ends it if it was cancelled.
  mutating func operationFinished(_ id: FiberID, _ program: P?, _ pass: inout Pass<P>) {
    guard isAlive(id) else { return }
    traceEnd(of: id.slot, isCancelled(id) ? .cancelled : .finished, &pass)
    var id = id
    if program == nil, isFolded(id.slot) {
      endFolded(id.slot, &pass)
    } else {
      id = self.id(of: unfold(id.slot, &pass))
      if isRetrying(id.slot) { endRetry(of: id.slot, &pass) }
    }
    resume(id, with: program, &pass)
  }

  /// Makes a fiber ready to continue with an effect; if the fiber was cancelled, drops the effect.
  mutating func resume(_ id: FiberID, with program: P?, _ pass: inout Pass<P>) {
    guard isAlive(id) else { return }
    let slot = id.slot
    fibers[slot].activity = .ready
    if fibers[slot].flags.contains(.cancelled) {
      // The barrier: the result comes too late.
      settleIfIdle(slot, &pass)
    } else {
      if let program { push(program, on: slot) }
      makeReady(slot)
    }
    step(&pass)
  }
}
