/// Releasing of the effects of fibers that stay with nothing to do.
///
/// Laws 20 and 23. Events: none of its own. Activities: all that hold effects.
extension Machine {
  /// Releases the effects of a settled fiber, which stays for fibers below it or for its cleanup.
  mutating func releaseForStay(_ slot: FiberSlot) {
    guard fibers[slot].flags.contains(.cancelled) else { return fibers[slot].releaseAll(to: &released) }
    releasePlans(of: slot)
  }

  /// Releases the plans of a cancelled fiber, which stays for an operation that has not returned or for what is below.
  ///
  /// The cleanup of a `finally` is released only if it can't run any more.
  mutating func releasePlans(of slot: FiberSlot) {
    if case .operating = fibers[slot].activity {
      fibers[slot].releaseAllButOperation(to: &released)
    } else {
      fibers[slot].releaseAll(to: &released)
    }
    switch fibers[slot].activity {
    case .merging(let program?, let next, let limit):
      released.append(program)
      fibers[slot].activity = .merging(nil, next: next, limit: limit)
    case .racing(let program?, let next, let winner):
      released.append(program)
      fibers[slot].activity = .racing(nil, next: next, winner: winner)
    case .compensating(by: let program?) where !mayHaveCompleted(slot):
      released.append(program)
      fibers[slot].activity = .compensating(by: nil)
    case .bounding(let program?):
      released.append(program)
      fibers[slot].activity = .bounding(otherwise: nil)
    case .finalizing(let program?) where fibers[slot].flags.contains(.abandoned):
      released.append(program)
      // The fiber still waits for its body, because its place among cleanups may be taken already.
      fibers[slot].activity = .finalizing(cleanup: nil)
    case .ready, .evaluating, .operating, .sleeping, .waiting, .turn, .throttled, .retrying, .deciding, .backingOff,
      .handling, .window, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating, .queued,
      .joining, .ticking, .emitting:
      break
    }
    guard let rare = fibers[slot].rare else { return }
    releaseBacklog(of: slot)
    if fibers[slot].flags.contains(.abandoned), let undo = rare.pointee.undo.take() { released.append(undo) }
    if let handler = rare.pointee.recovery?.handler.take() { released.append(handler) }
    releaseAttempts(of: rare)
  }
}
