/// The way to a stop that loses nothing: sources end, what is in flight goes on, and what is cancelled at last cleans
/// up.
extension Machine {
  /// Stops timers and sources, now and from here on; the effects that they have begun go on.
  mutating func beginDraining(_ pass: inout Pass<P>) {
    guard !isDraining else { return }
    isDraining = true
    for slot in 0..<Int32(strands.count) { stopSource(slot, &pass) }
    step(&pass)
  }

  mutating func endDraining() { isDraining = false }

  private mutating func stopSource(_ slot: Int32, _ pass: inout Pass<P>) {
    guard strands[Int(slot)].flags.isDisjoint(with: [.cancelled, .settled, .ended, .stopped]) else { return }
    switch strands[Int(slot)].activity {
    case .ticking:
      deadlines.remove(slot)
      traceEnd(of: slot, .cancelled, &pass)
      strands[Int(slot)].activity = .waiting
      if strands[Int(slot)].pending == 0 { settle(slot, &pass) }
    case .emitting:
      // It is over when its task has returned, as one that is cancelled is.
      strands[Int(slot)].flags.insert(.stopped)
      cancelCall(of: slot, &pass)
    default:
      break
    }
  }

  /// Cancels everything but clean-ups, with all the clean-up that it has.
  mutating func cancelAllSparingCleanup(_ pass: inout Pass<P>) {
    var roots: [StrandID] = []
    var root = firstRoot
    while root >= 0 {
      roots.append(id(of: root))
      root = strands[Int(root)].next
    }
    for root in roots where isAlive(root) && !isSpared(root.slot) { cancelSubtree(root.slot, &pass) }
    standStillForBarrier(&pass)
    step(&pass)
  }
}
