/// Operations with a time limit, a retry or a compensation around them, all in one fiber.
///
/// Laws 12, 15 and 25. Events: none of its own. Activities: `folded`; unfolded, `bounding`, `retrying`, `compensating`,
/// `operating`.
///
/// Nearly every such operation just ends, and the fibers that would watch it have nothing to do. They are created when
/// something else happens: an error, an effect returned by the operation, the deadline, a cancel, another child of the
/// fiber, a look at the effects in flight. Then the fiber is unfolded: it becomes what it would have been without
/// folding, and the operation moves to the innermost of the new fibers.
///
/// Folding exists only for speed: an order of three steps, each with all of these, takes 14 fibers without it and 5
/// with it (`Tests/Benchmarks/instructions S1`).
extension Machine {
  func isFolded(_ slot: FiberSlot) -> Bool {
    if case .folded = fibers[slot].activity { true } else { false }
  }

  /// The number of steps that a timeout, a retry and a compensation take when unfolded, beyond the step already taken.
  private static var foldedSteps: Int32 { 6 }

  /// Returns whether an effect of the outer kind around `body` may begin folded.
  ///
  /// An effect may not begin folded near the end of a pass, which would give up the lock between the steps of the
  /// fibers.
  @inline(__always)
  func mayFold(_ body: P, into outer: Enclosure, _ pass: borrowing Pass<P>) -> Bool {
    options.foldsOperations && body.enclosure.enclosed(in: outer) == outer && pass.steps >= Self.foldedSteps
  }

  /// Begins the operation inside `body`, in the fiber that has begun the effect around `body`.
  mutating func beginFolded(_ body: consuming P, _ slot: FiberSlot, _ pass: inout Pass<P>) -> Progress {
    pass.steps -= 2
    fibers[slot].keepEffect(to: &released)
    fibers[slot].flags.remove(.lifts)
    var inner = body
    while !inner.isOperation {
      switch inner.instruction(at: 0) {
      case .retry(let plan, let body):
        startRetry(plan, copy body, slot, &pass)
        inner = body
      case .timeout(let span, let body, _):
        setDeadline(of: slot, at: pass.now().advanced(by: span), &pass)
        inner = body
      case let other:
        preconditionFailure("\(other) can't be folded")
      }
      pass.steps -= 2
    }
    counts.folded += 1
    fibers[slot].activity = .folded(since: pass.now())
    pass.directives.append(.operate(id(of: slot), Site(program: inner, index: 0)))
    return .stopped
  }

  /// Ends the enclosures of the fiber's operation, which has returned nothing more to do.
  mutating func endFolded(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    counts.folded -= 1
    deadlines.remove(slot)
    if isRetrying(slot) { endRetry(of: slot, &pass) }
    let site = site(of: slot)
    if case .compensate(_, let undo) = site.program.instruction(at: site.index) {
      recordCompensation(undo, from: slot)
    }
  }

  /// Creates the fibers for the enclosures of the fiber's operation, if the fiber is folded.
  ///
  /// - Returns: the fiber that runs the operation, or `slot` if nothing was folded.
  @inline(__always)
  @discardableResult
  mutating func unfold(_ slot: FiberSlot, _ pass: inout Pass<P>) -> FiberSlot {
    guard case .folded(let begun) = fibers[slot].activity else { return slot }
    return unfold(slot, begun: begun, &pass)
  }

  @inline(never)
  private mutating func unfold(_ slot: FiberSlot, begun: Moment, _ pass: inout Pass<P>) -> FiberSlot {
    counts.folded -= 1
    let site = site(of: slot)
    var (current, instruction) = (slot, site.program.instruction(at: site.index))
    while true {
      let body: P
      switch instruction {
      case .compensate(let inner, let undo):
        fibers[current].releaseEffect(to: &released)
        fibers[current].activity = .compensating(by: undo)
        body = inner
      case .retry(_, let inner):
        if current != slot { moveRetry(from: slot, to: current) }
        fibers[current].activity = .retrying
        body = inner
      case .timeout(let span, let inner, let otherwise):
        if current != slot { deadlines.move(begun.advanced(by: span), from: slot, to: current) }
        fibers[current].releaseEffect(to: &released)
        fibers[current].activity = .bounding(otherwise: otherwise)
        body = inner
      case .operate:
        fibers[current].activity = .operating
        pass.directives.append(.transfer(id(of: slot), to: id(of: current)))
        return current
      default:
        preconditionFailure("\(instruction) can't be folded")
      }
      let isCompensated = if case .compensate = instruction { true } else { false }
      let child = makeChild(of: current, attached: true, boundary: !isCompensated, begun: begun)
      if isCompensated {
        fibers[child].catcher = current
      } else if case .retry = instruction {
        catchErrors(of: child, in: current)
      }
      instruction = body.instruction(at: 0)
      fibers[child].stand(atBegun: body)
      current = child
    }
  }

  private mutating func moveRetry(from slot: FiberSlot, to other: FiberSlot) {
    guard let rare = fibers[slot].rare else { preconditionFailure("fiber \(slot) retries nothing") }
    let made = fibers.makeRare(of: other)
    swap(&made.pointee.retry, &rare.pointee.retry)
  }

  /// Unfolds all fibers, so that a list of the effects in flight shows each effect.
  mutating func unfoldAll(_ pass: inout Pass<P>) {
    for slot in fibers.slots where counts.folded > 0 { unfold(slot, &pass) }
  }

  /// Returns the number of fibers that ``unfoldAll(_:)`` would create for this one.
  func countOfFibersFolded(into slot: FiberSlot) -> Int {
    guard isFolded(slot), let site = fibers[slot].site else { return 0 }
    var (count, instruction) = (0, site.program.instruction(at: site.index))
    while let body = instruction.enclosedBody {
      instruction = body.instruction(at: 0)
      count += 1
    }
    return count
  }
}
