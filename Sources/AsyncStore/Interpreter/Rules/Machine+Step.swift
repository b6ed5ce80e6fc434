/// The step loop: what each kind of effect does when a fiber reaches it.
///
/// Laws 1, 2, 4, 6 and 11. Events: `received`, `evaluated`. Activities: `ready`, `evaluating`, `waiting`.
///
/// All other events end with a step too.
extension Machine {
  /// Interprets a tree up to its first waits.
  ///
  /// - Parameter origin: the effect that has lifted the tree into the store, if an instrument wants to know it.
  /// - Returns: the tree's root, or `nil` if the whole tree, including detached effects, is already over.
  @discardableResult
  mutating func received(
    _ program: consuming P, context: consuming P.Context, from origin: P.Origin? = nil, _ pass: inout Pass<P>
  ) -> FiberID? {
    let root = makeRoot(context: context, &pass)
    let id = self.id(of: root)
    counts.unsettledTrees += 1
    pass.tree = id
    push(consume program, on: root)
    if let origin { traceLift(from: origin, of: root, &pass) }
    schedule(root)
    step(&pass)
    return isAlive(id) ? id : nil
  }

  /// Continues a fiber with the effect that the mutation of the last `evaluate` directive returned.
  mutating func evaluated(_ id: FiberID, _ program: P?, _ pass: inout Pass<P>) {
    resume(id, with: program, &pass)
  }

  /// Steps the ready fibers until all wait, until the shell has to evaluate something first, or until the pass runs out
  /// of steps.
  ///
  /// Stepping is depth-first: the consequences of an effect come before its siblings. So each path's commits are in
  /// order, and each child of a merge runs its own prefix before the next child begins.
  mutating func step(_ pass: inout Pass<P>) {
    repeat {
      while let id = ready.popLast() {
        guard isAlive(id) else {
          scheduleReplacers(id)
          continue
        }
        pass.stepped(to: ready.count)
        let flags = fibers[id.slot].flags
        // The fiber keeps `beginsLater`: fibers that replace it still wait until it has begun.
        if pass.steps == 0, !flags.contains(.cancelled) { return ready.append(id) }
        if flags.contains(.beginsLater) { scheduleReplacers(id) }
        fibers[id.slot].flags.subtract([.scheduled, .beginsLater])
        guard !flags.contains(.cancelled) else { continue }
        if let rare = fibers[id.slot].rare, let lineage = rare.pointee.lineage.take() {
          pass.follow(lineage, above: ready.count)
        }
        switch run(id, &pass) {
        case .evaluating: return
        case .exhausted:
          schedule(id.slot)
          return
        case .continues, .stopped: continue
        }
      }
    } while !newlyAwaited.isEmpty && breakNewCycles(&pass)
    releaseTables()
  }

  enum Progress { case continues, stopped, evaluating, exhausted }

  /// Runs one fiber until it waits, ends or forks.
  private mutating func run(_ id: FiberID, _ pass: inout Pass<P>) -> Progress {
    let slot = id.slot
    while true {
      guard pass.takeStep() else { return .exhausted }
      guard continueActivity(of: slot, &pass) else { return .stopped }
      if fibers[slot].pending > 0 {
        fibers[slot].activity = .waiting
        // For example, the effect may have failed in this fiber while its replacement runs below.
        fibers[slot].releaseEffect(to: &released)
        return .stopped
      }
      guard fibers[slot].cursor < fibers[slot].end, let program = fibers[slot].program.take() else {
        guard let frame = fibers[slot].outer.popLast() else {
          settle(slot, &pass)
          return .stopped
        }
        if let done = fibers[slot].program.take() { released.append(done) }
        fibers[slot].program = frame.program
        fibers[slot].cursor = frame.cursor
        fibers[slot].end = frame.end
        continue
      }
      let progress = interpret(consume program, slot, &pass)
      guard progress == .continues else { return progress }
      // The effect may have cancelled its own fiber.
      guard isAlive(id), !fibers[slot].flags.contains(.cancelled) else { return .stopped }
    }
  }

  /// Continues the activity of a fiber.
  ///
  /// - Returns: true if the fiber continues with its program.
  @inline(__always)
  private mutating func continueActivity(of slot: FiberSlot, _ pass: inout Pass<P>) -> Bool {
    switch fibers[slot].activity {
    case .ready: return true
    case .queued: return takePlace(slot, &pass)
    case .merging: continueMerge(slot, &pass)
    case .racing: continueRace(slot, &pass)
    case .retrying:
      // The attempt ends here and not where it settles, because nested retries would end each other's attempts on the
      // stack.
      if fibers[slot].pending == 0 { endAttempt(of: slot, &pass) }
    case .sequencing: continueSequence(slot, &pass)
    case .undoing: endSequence(slot, &pass)
    case .evaluating, .operating, .folded, .sleeping, .waiting, .turn, .throttled, .deciding, .backingOff, .handling,
      .window, .bounding, .finalizing, .compensating, .joining, .ticking, .emitting:
      break
    }
    return false
  }

  /// Begins the next effect of the fiber's program.
  ///
  /// One method, though a long one: it is the list of all effects, each with its rule in a line or two.
  ///
  /// - Parameter program: the fiber's program. The caller moves it out of the fiber, and this method moves it back, so
  ///   that no reference is counted.
  private mutating func interpret(_ program: consuming P, _ slot: FiberSlot, _ pass: inout Pass<P>) -> Progress {
    let index = Int(fibers[slot].cursor)
    let instruction = program.instruction(at: index)
    // A lift into this store is interpreted as its effect, and does not itself count as an effect that has run.
    let ownEffect =
      if case .lift = instruction { program.effectLifted(at: index, into: options.store) } else { nil as P? }
    fibers[slot].program = consume program
    fibers[slot].cursor += 1
    if let ownEffect {
      push(ownEffect, on: slot)
      return .continues
    }
    let isFirst = !fibers[slot].flags.contains(.hasRun)
    switch instruction.role {
    case .transparent: break
    // Recorded as having run later, because the scope may be dropped, and may be the first effect.
    case .scope: fibers[slot].flags.subtract([.dropped, .endsEarly])
    case .effect:
      fibers[slot].flags.subtract([.dropped, .endsEarly])
      fibers[slot].flags.insert(.hasRun)
    }
    if fibers[slot].flags.contains(.recovers), instruction.catchesErrors {
      beginBelowRecovery(slot, &pass)
      return .stopped
    }
    // Consumed and not copied, because the contents move into the fibers.
    switch consume instruction {
    case .none:
      return .continues
    case .commit:
      guard pass.mayCommit else { return waitForTurn(slot, &pass) }
      commit(slot, &pass)
      return .continues
    case .evaluate:
      guard pass.mayCommit else { return waitForTurn(slot, &pass) }
      fibers[slot].activity = .evaluating
      pass.directives.append(.evaluate(id(of: slot), site(of: slot)))
      return .evaluating
    case .operate:
      let site = site(of: slot)
      fibers[slot].flags.remove(.lifts)
      fibers[slot].keepEffect(to: &released)
      operate(site, slot, &pass)
      return .stopped
    case .lift:
      beginLift(slot, &pass)
      return .stopped
    case .sleep(let span):
      guard span > 0 else { return .continues }
      sleep(span, slot, &pass)
      return .stopped
    case .concatenate(let members):
      push(members, on: slot)
      return .continues
    case .merge(let members, _) where members.count == 1:
      push(members, on: slot)
      return .continues
    case .merge(let members, let limit):
      fibers[slot].releaseEffect(to: &released)
      beginMerge(members, limit: limit, slot)
      return .continues
    case .race(let members, let toSucceed):
      fibers[slot].releaseEffect(to: &released)
      beginRace(members, toSucceed: toSucceed, slot)
      return .continues
    case .cancel(let selection):
      return cancel(selection, from: slot, &pass)
    case .timer(let interval):
      beginTimer(interval: interval, from: slot, &pass)
      return .continues
    case .source:
      beginSource(from: slot, &pass)
      return .continues
    case .join(let selection):
      return join(selection, slot, &pass) ? .stopped : .continues
    case .replacing(let body, let identifier):
      return beginScope(consume identifier, .replace, consume body, from: slot, &pass)
    case .scope(let identifier, let policy, let body):
      return beginScope(consume identifier, policy, consume body, from: slot, &pass)
    case .throttle(let identifier, let span, let leading, let trailing, let body):
      beginThrottle(identifier, span, leading: leading, trailing: trailing, body, from: slot, &pass)
      return .continues
    case .label(let body, let label):
      beginLabelled(body, label: label, slot, &pass)
      return .continues
    case .timeout(let span, let body, let otherwise):
      return beginTimeout(span, consume body, otherwise: consume otherwise, slot, &pass)
    case .retry(let plan, let body):
      return beginRetry(plan, consume body, slot, &pass)
    case .attempts(let plan):
      beginRetriedOperation(plan, slot, &pass)
      return .stopped
    case .recover(let body, let handler):
      fibers[slot].releaseEffect(to: &released)
      beginRecovery(consume body, handledBy: consume handler, slot, &pass)
      return .continues
    case .finally(let body, let cleanup):
      fibers[slot].releaseEffect(to: &released)
      beginFinally(consume body, cleanup: consume cleanup, slot, &pass)
      return .continues
    case .sequence(let members):
      beginSequence(consume members, isFirst: isFirst, slot)
      return .continues
    case .compensate(let body, let undo):
      return beginCompensated(consume body, by: consume undo, slot, &pass)
    }
  }

  /// Returns the effect that a fiber has just reached.
  @inline(__always)
  func site(of slot: FiberSlot) -> Site<P> {
    guard let site = fibers[slot].site else { preconditionFailure("fiber \(slot) is at no effect") }
    return site
  }

  /// Commits consecutive mutations with one directive, as far as the steps of the pass allow.
  private mutating func commit(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    let site = site(of: slot)
    let end = min(Int(fibers[slot].end), site.index + 1 + Int(pass.steps))
    let count = site.program.commits(from: site.index, to: end)
    pass.steps -= Int32(count - 1)
    fibers[slot].cursor = Int32(site.index + count)
    pass.directives.append(.commit(id(of: slot), copy site, count: Int32(count)))
    traceCommits(count, of: slot, site, &pass)
  }
}
