/// What a fiber holds while it waits: what it has still to do, and nothing that is done.
///
/// An effect is a tree, and whoever holds one of its nodes holds all that is below, with what the users' closures have
/// captured. So a fiber that comes to wait gives up each list that it is in the middle of, and goes on with parts of
/// its own for what is left of it. What encloses other effects it gives up as those begin, and keeps a description; a
/// retry it keeps, because that may begin again. A list with at most four effects before the one it waits at, none of
/// which holds anything, stays as it is: that is nearly all that ever waits.
extension Machine {
  /// The effect at `site` goes on as others, in other fibers, or in this one's activity.
  mutating func leave(_ site: Site<P>, _ slot: FiberSlot) {
    fibers[slot].leftEffect = P.withoutReferences(site.program.description(at: site.index))
    leaveUndescribed(slot)
  }

  /// The same of a fiber that nobody is shown: it does nothing any more but hold its only child.
  mutating func leaveUndescribed(_ slot: FiberSlot) {
    splitFrames(of: slot)
    splitProgram(of: slot, keepingCurrent: false)
  }

  /// The fiber waits at an effect that it needs until that is over.
  mutating func stay(at site: Site<P>, _ slot: FiberSlot) {
    splitFrames(of: slot)
    let isWhole = fibers[slot].end == site.program.count && site.program.isPlain(before: site.index)
    if !isWhole { splitProgram(of: slot, keepingCurrent: true) }
  }

  /// The fiber waits to be on the actor that commits happen on, for the effect at `site`.
  mutating func stay(before site: Site<P>, _ slot: FiberSlot) {
    splitFrames(of: slot)
    if fibers[slot].end == site.program.count, site.program.isPlain(before: site.index) { return }
    splitProgram(of: slot, keepingCurrent: false)
  }

  /// The fiber stays for others, or has been cancelled: it goes on with nothing any more.
  mutating func letGo(of slot: FiberSlot) {
    if let effect = fibers[slot].effect { fibers[slot].leftEffect = P.withoutReferences(effect) }
    while let frame = fibers[slot].outer.popLast() { released.append(frame.program) }
    if let program = fibers[slot].program.take() { released.append(program) }
    (fibers[slot].cursor, fibers[slot].end) = (0, 0)
  }

  /// The fiber has settled, and stays for what is below it or has been left behind.
  mutating func letGoForStay(_ slot: FiberSlot) {
    if fibers[slot].flags.contains(.cancelled) { letGoOfPlans(of: slot) } else { letGo(of: slot) }
  }

  /// A cancelled fiber stays, for an operation that has not returned or for what is below.
  ///
  /// What it would have done is given up; the clean-up of a `finally` only if it can't run any more.
  mutating func letGoOfPlans(of slot: FiberSlot) {
    letGo(of: slot)
    switch fibers[slot].activity {
    case .merging(let program?, let next, let limit):
      released.append(program)
      fibers[slot].activity = .merging(nil, next: next, limit: limit)
    case .racing(let program?, let next, let winner):
      released.append(program)
      fibers[slot].activity = .racing(nil, next: next, winner: winner)
    case .compensating(by: let program?):
      released.append(program)
      fibers[slot].activity = .compensating(by: nil)
    case .bounding(let program?):
      released.append(program)
      fibers[slot].activity = .bounding(otherwise: nil)
    case .finalizing(let program) where fibers[slot].flags.contains(.abandoned):
      released.append(program)
      fibers[slot].activity = .waiting
    case .ready, .evaluating, .operating, .sleeping, .waiting, .turn, .throttled, .retrying, .deciding, .backingOff,
      .handling, .window, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating, .queued,
      .joining, .ticking, .emitting:
      break
    }
    guard let rare = fibers[slot].rare else { return }
    discardBacklog(of: slot)
    if let handler = rare.recovery?.handler.take() { released.append(handler) }
    // One without a body belongs to an operation, which may be about to ask for its number.
    if rare.retry?.body != nil, let failure = endRetry(of: slot) { releasedFailures.append(failure) }
  }

  // MARK: Lists

  /// The lists that the present one is inside of.
  private mutating func splitFrames(of slot: FiberSlot) {
    // A frame that has not begun is all to do, and so is each below it: they were left by an earlier wait.
    guard let last = fibers[slot].outer.last, last.cursor > 0 else { return }
    var begun: [Fiber<P>.Frame] = []
    while let frame = fibers[slot].outer.last, frame.cursor > 0 {
      begun.append(frame)
      fibers[slot].outer.removeLast()
    }
    while let frame = begun.popLast() {
      appendParts(of: frame.program, from: frame.cursor, to: frame.end, to: slot)
      released.append(frame.program)
    }
  }

  private mutating func splitProgram(of slot: FiberSlot, keepingCurrent: Bool) {
    guard let program = fibers[slot].program.take() else { return }
    let cursor = fibers[slot].cursor
    appendParts(of: program, from: cursor, to: fibers[slot].end, to: slot)
    if keepingCurrent {
      fibers[slot].program = program.part(Int(cursor) - 1..<Int(cursor))
      (fibers[slot].cursor, fibers[slot].end) = (1, 1)
    } else {
      (fibers[slot].cursor, fibers[slot].end) = (0, 0)
    }
    released.append(program)
  }

  /// A frame for each effect, and for mutations in a row.
  private mutating func appendParts(of program: P, from start: Int32, to end: Int32, to slot: FiberSlot) {
    guard start < end else { return }
    let parts = program.parts(from: Int(start), to: Int(end))
    for part in parts.reversed() {
      fibers[slot].outer.append(Fiber.Frame(program: part, cursor: 0, end: Int32(part.count)))
    }
  }
}

extension Program {
  /// Each effect on its own; mutations in a row stay together.
  func parts(from start: Int, to end: Int) -> [Self] {
    var parts: [Self] = []
    var index = start
    while index < end {
      let next = index + max(1, commits(from: index, to: end))
      parts.append(part(index..<next))
      index = next
    }
    return parts
  }
}
