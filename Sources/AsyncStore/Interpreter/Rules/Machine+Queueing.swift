/// The places under an identifier, and the line of effects that wait for one.
///
/// Laws 8 and 10. Events: none of its own. Activities: `queued`, `ready`.
extension Machine {
  /// Returns whether a queueing policy admits one more effect to the line; scopes that are about to begin don't count.
  func hasRoomInLine(of registration: RegistrationSlot, width: Int, capacity: Int) -> Bool {
    let line = registry[registration].waiting
    guard line.count >= capacity else { return true }
    var (beginning, next) = (0, line.first)
    if next.exists, !registry[registration].hasMixedWidths, case .queued(let width, _) = fibers[next].activity,
      width > 0
    {
      // Computed rather than counted, because very many scopes may be about to begin.
      beginning = min(max(Int(width) - registry[registration].occupied, 0), Int(line.count))
      next = .none
    }
    while next.exists, hasPlace(for: next, besides: beginning) {
      beginning += 1
      next = fibers[next].nextHolder
    }
    let waiting = Int(line.count) - beginning
    return waiting < capacity || waiting == 0 && registry[registration].occupied + beginning < width
  }

  mutating func waitInLine(
    _ registration: RegistrationSlot, width: Int32, _ body: consuming P, from slot: FiberSlot, _ pass: inout Pass<P>
  ) {
    let effect = options.isTraced ? fibers[slot].effect : nil
    let scope = carrier(from: slot, &pass)
    fibers[scope].releaseAll(to: &released)
    if let effect { fibers[scope].leftEffect = P.withoutReferences(effect) }
    fibers[scope].activity = .queued(width: width, body: body)
    fibers[scope].registration = registration
    noteWidth(width, inLineOf: registration)
    fibers.append(scope, to: &registry[registration].waiting)
    traceWait(width == 0 ? .cleanup : .place, of: scope, &pass)
    pass.hasWaits = true
    keep(pass.followed, of: scope)
    breakCycles(of: scope, &pass)
  }

  /// Records whether the effects in line may need different numbers of places.
  private mutating func noteWidth(_ width: Int32, inLineOf registration: RegistrationSlot) {
    let first = registry[registration].waiting.first
    if first.exists, case .queued(let other, _) = fibers[first].activity {
      registry[registration].noteWidth(width, behind: other)
    } else {
      registry[registration].noteWidth(width, behind: nil)
    }
  }

  /// Returns whether there is a place for a scope in line, once `others` before it have theirs.
  private func hasPlace(for slot: FiberSlot, besides others: Int = 0) -> Bool {
    guard case .queued(let width, _) = fibers[slot].activity else { return false }
    let registration = fibers[slot].registration
    return width == 0
      ? registry[registration].cleaningUp == 0 : registry[registration].occupied + others < width
  }

  /// Lets the first in line take a free place, and notifies joiners when the last effect has ended.
  mutating func serve(_ registration: RegistrationSlot, _ pass: inout Pass<P>) {
    guard registry[registration].identifier != nil else { return }
    let first = registry[registration].waiting.first
    if first.exists {
      if hasPlace(for: first) { schedule(first) }
      if registry[registration].hasMixedWidths { noteNewWait(for: first) }
    }
    if registry[registration].isIdle, registration != registrationBeingReplaced {
      notifyJoiners(of: registration, &pass)
    }
    if registration != registrationBeingReplaced, let identifier = registry.removeIfUnused(registration) {
      released.append(identifier: identifier)
    }
  }

  /// Begins the first in line, if there still is a place for it.
  ///
  /// Only then is it the next effect's turn, which begins after everything that this one does at once. So the line
  /// stays in order when several places become free together, and when an effect frees its place as soon as it begins.
  ///
  /// - Returns: true if the fiber continues with the effect.
  mutating func takePlace(_ slot: FiberSlot, _ pass: inout Pass<P>) -> Bool {
    let registration = fibers[slot].registration
    guard slot == registry[registration].waiting.first, hasPlace(for: slot),
      case .queued(let width, let body) = fibers[slot].activity
    else {
      // The fiber keeps waiting.
      keep(pass.followed, of: slot)
      return false
    }
    fibers.remove(slot, from: &registry[registration].waiting)
    occupy(slot, registration)
    traceWaitEnd(width == 0 ? .cleanup : .place, of: slot, &pass)
    fibers[slot].activity = .ready
    push(body, on: slot)
    serve(registration, &pass)
    return true
  }

  /// Frees the place of a holder whose attached part has settled.
  mutating func freePlace(of slot: FiberSlot, _ pass: inout Pass<P>) {
    if case .window = fibers[slot].activity { return }
    let registration = fibers[slot].registration
    registry[registration].freePlace()
    serve(registration, &pass)
  }
}
