/// Cancels: the barrier, after which nothing commits any more.
///
/// Laws 7 to 9 and 21. Events: `cancelled`, `treeCancelled`, `allCancelled`, `barrierArrived`. Activities: `finalizing`
/// of a sequence that is undone; a cancelled fiber leaves all others.
extension Machine {
  /// Cancels the scopes that a selection names, as an event of its own.
  mutating func cancelled(_ selection: Selection<P.Identifier>, _ pass: inout Pass<P>) {
    cancelSelected(selection, &pass)
    step(&pass)
  }

  /// Cancels a whole tree, including its detached effects.
  mutating func treeCancelled(_ root: FiberID, _ pass: inout Pass<P>) {
    noteCancel(&pass)
    guard isAlive(root), !isSpared(root.slot) else { return }
    cancelSubtree(root.slot, &pass)
    step(&pass)
  }

  /// Cancels everything; effects that errors map to afterwards are not interpreted.
  mutating func allCancelled(_ pass: inout Pass<P>) {
    for root in fibers.roots where isAlive(root) { cancelSubtree(root.slot, marking: .abandoned, &pass) }
    turns = Queue()
    noteCancel(&pass)
    step(&pass)
  }

  /// Records that no barrier is on its way to other stores any more.
  mutating func barrierArrived() { isSpreadingBarrier = false }

  /// Cancels the scopes that a selection names; from here on nothing below them commits.
  mutating func cancelSelected(_ selection: Selection<P.Identifier>, _ pass: inout Pass<P>) {
    let height = marked.count
    for registration in registrations(selectedBy: selection, &pass) { markAll(under: registration, &pass) }
    settleMarked(above: height, &pass)
    noteCancel(&pass)
  }

  /// Cancels the scopes that a selection names as an effect of the fiber `slot`, which continues after the
  /// consequences.
  mutating func cancel(_ selection: Selection<P.Identifier>, from slot: FiberSlot, _ pass: inout Pass<P>) -> Progress {
    let (id, height) = (id(of: slot), ready.count)
    cancelSelected(selection, &pass)
    guard ready.count > height, !isCancelled(id) else { return .continues }
    makeReady(slot, behind: height)
    return .stopped
  }

  /// Returns the registrations that a selection names, and charges the pass for the search.
  func registrations(selectedBy selection: Selection<P.Identifier>, _ pass: inout Pass<P>) -> [RegistrationSlot] {
    pass.charge(registry.visits(of: selection))
    return registry.registrations(selectedBy: selection)
  }

  /// Records that a cancel has happened, and stops the pass until its barrier has reached other stores.
  func noteCancel(_ pass: inout Pass<P>) {
    pass.hasCancelled = true
    awaitBarrier(&pass)
  }

  /// Stops the pass if the barrier of this or an earlier cancel still has to reach other stores.
  func awaitBarrier(_ pass: inout Pass<P>) {
    if isSpreadingBarrier { pass.standStillForBarrier() }
  }

  mutating func cancelAll(under registration: RegistrationSlot, _ pass: inout Pass<P>) {
    let height = marked.count
    markAll(under: registration, &pass)
    settleMarked(above: height, &pass)
    noteCancel(&pass)
  }

  /// Marks everything under an identifier.
  ///
  /// Everything that a selection names is marked before any of it settles. Otherwise a scope that is about to be
  /// cancelled would adopt the cleanup of a scope inside it.
  private mutating func markAll(under registration: RegistrationSlot, _ pass: inout Pass<P>) {
    // Waiting scopes first, because one of them would get the place of a cancelled holder.
    while registry[registration].waiting.first.exists {
      markScope(registry[registration].waiting.first, &pass)
    }
    if registry[registration].throttled.exists {
      markScope(registry[registration].throttled, &pass)
    }
    while registry[registration].holders.first.exists {
      markScope(registry[registration].holders.first, &pass)
    }
  }

  /// Cancels a scope by its identifier.
  mutating func cancelScope(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    let height = marked.count
    markScope(slot, &pass)
    settleMarked(above: height, &pass)
  }

  private mutating func markScope(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    if fibers[slot].flags.contains(.standsForRoot), !fibers[slot].flags.contains(.settled) {
      fibers[fibers[slot].root].flags.insert(.endsCancelled)
    }
    mark(slot, marking: [], &pass)
    fibers[slot].flags.insert(.endsEarly)
  }

  /// Cancels the fiber's attached children.
  ///
  /// The children's outcomes no longer count for the outcome of the fiber.
  mutating func cancelAttachedChildren(of parent: FiberSlot, _ pass: inout Pass<P>) {
    var child = fibers[parent].firstChild
    while child.exists {
      if fibers[child].flags.contains(.attached) { fibers[child].flags.insert(.endIsIgnored) }
      child = fibers[child].next
    }
    cancelChildren(of: parent, alsoDetached: false, &pass)
  }

  mutating func cancelChildren(of parent: FiberSlot, alsoDetached: Bool, _ pass: inout Pass<P>) {
    let height = marked.count
    var child = fibers[parent].firstChild
    while child.exists {
      let isMeant = alsoDetached || fibers[child].flags.contains(.attached)
      if isMeant {
        let mayCleanUp = isSpared(child) || fibers[child].flags.contains(.cancelled)
        if mayCleanUp { noteNewWait(for: child) } else { mark(child, marking: [], &pass) }
      }
      child = fibers[child].next
    }
    settleMarked(above: height, &pass)
  }

  /// Cancels a fiber and everything below it: the barrier.
  ///
  /// Every fiber below `top` is marked before any of them settles, so nothing in between can begin.
  mutating func cancelSubtree(_ top: FiberSlot, marking flags: Fiber<P>.Flags = [], _ pass: inout Pass<P>) {
    let height = marked.count
    mark(top, marking: flags, &pass)
    settleMarked(above: height, &pass)
  }

  /// Marks a fiber and everything below it as cancelled, parents before children.
  ///
  /// Everything below a fiber that was cancelled earlier is cancelled too, or part of a spared cleanup.
  private mutating func mark(_ top: FiberSlot, marking flags: Fiber<P>.Flags, _ pass: inout Pass<P>) {
    var current = top
    while current.exists {
      let isSparedHere = current != top && !flags.contains(.abandoned) && isSpared(current)
      // A cancel also reaches the enclosures of an operation: the loop continues with the fibers created here.
      if !isSparedHere { unfold(current, &pass) }
      let wasCancelled = isSparedHere || fibers[current].flags.contains(.cancelled)
      // A fiber that was cancelled earlier may also have a cleanup under way.
      if current != top, wasCancelled {
        if flags.isEmpty { noteNewWait(for: current) }
        if fibers[current].flags.contains(.attached) { noteCompletion(ofMarkedBefore: current) }
      }
      fibers[current].flags.formUnion(flags)
      if !wasCancelled {
        noteTarget(top, of: current)
        marked.append(id(of: current))
        withdraw(current, &pass)
        noteCompletion(of: current)
      } else if flags.contains(.abandoned) {
        releasePlans(of: current)
      }
      current = fibers.next(after: current, below: top, descends: !wasCancelled || !flags.isEmpty)
    }
  }

  /// Returns whether the fiber is a cleanup that has not settled.
  ///
  /// Such a cleanup ends by itself, when its own identifier is cancelled, or with the whole store, but not with the
  /// effects around it.
  func isSpared(_ slot: FiberSlot) -> Bool { fibers[slot].flags.intersection([.isCleanup, .settled]) == .isCleanup }

  /// Records the target of a cancel, so that the fiber's cleanup finds its place without climbing fiber by fiber.
  private mutating func noteTarget(_ top: FiberSlot, of slot: FiberSlot) {
    fibers[slot].cancelledTarget = top
    guard slot != top else {
      fibers[slot].flags.insert(.attachedToTarget)
      return
    }
    let parent = fibers[slot].parent
    guard fibers[slot].flags.contains(.attached) else { return }
    if mayWaitForBody(parent) {
      fibers[slot].cancelledTarget = parent
      fibers[slot].flags.insert(.attachedToTarget)
    } else if fibers[parent].flags.contains(.attachedToTarget) {
      fibers[slot].cancelledTarget = fibers[parent].cancelledTarget
      fibers[slot].flags.insert(.attachedToTarget)
    }
  }

  /// Settles the marked fibers above a height of the stack, children before parents.
  ///
  /// A parent settles with its last child.
  ///
  /// A settling fiber may mark and settle more fibers, on top of the stack.
  private mutating func settleMarked(above height: Int, _ pass: inout Pass<P>) {
    while marked.count > height, let id = marked.popLast() {
      if isAlive(id) { settleIfIdle(id.slot, &pass) }
    }
    if marked.isEmpty, marked.capacity > 1024 { marked = UniqueArray() }
  }

  /// Asks the fiber's operation or source to end.
  ///
  /// For a lift, the barrier enters the other store before anything else happens.
  mutating func cancelCall(of slot: FiberSlot, _ pass: inout Pass<P>) {
    pass.directives.append(.cancel(id(of: slot)))
    guard fibers[slot].flags.contains(.lifts) else { return }
    isSpreadingBarrier = true
    pass.standStillForBarrier()
  }

  /// Removes a fiber from everything it waits in.
  private mutating func withdraw(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    fibers[slot].flags.insert(.cancelled)
    switch fibers[slot].activity {
    case .sleeping, .ticking:
      deadlines.remove(slot)
      traceEnd(of: slot, .cancelled, &pass)
    case .bounding:
      deadlines.remove(slot)
    case .backingOff:
      deadlines.remove(slot)
      traceWaitEnd(.backOff, isCancelled: true, of: slot, &pass)
    case .turn:
      traceWaitEnd(.turn, isCancelled: true, of: slot, &pass)
    case .joining(_, let joined):
      counts.joins -= 1
      leaveJoined(joined)
      traceEnd(of: slot, .cancelled, &pass)
    case .window:
      deadlines.remove(slot)
      counts.windows -= 1
      registry[fibers[slot].registration].window = .none
    case .sequencing:
      // From here on the sequence is like a cancelled `finally` whose body is the member in flight.
      if let rare = fibers[slot].rare, let undo = rare.pointee.undo.take() {
        rare.pointee.undoesMembers = true
        fibers[slot].activity = .finalizing(cleanup: undo)
      }
    case .operating:
      cancelCall(of: slot, &pass)
    case .emitting:
      releaseBacklog(of: slot)
      if fibers[slot].flags.isDisjoint(with: [.ended, .stopped]) { cancelCall(of: slot, &pass) }
    case .queued(let width, _):
      let registration = fibers[slot].registration
      traceWaitEnd(width == 0 ? .cleanup : .place, isCancelled: true, of: slot, &pass)
      fibers.remove(slot, from: &registry[registration].waiting)
      fibers[slot].registration = .none
      serve(registration, &pass)
      return
    case .throttled:
      let registration = fibers[slot].registration
      traceWaitEnd(.window, isCancelled: true, of: slot, &pass)
      if registry[registration].throttled == slot { registry[registration].throttled = .none }
      fibers[slot].registration = .none
      serve(registration, &pass)
      return
    case .ready, .evaluating, .folded, .waiting, .retrying, .deciding, .handling, .merging, .racing, .finalizing,
      .undoing, .compensating:
      break
    }
    guard fibers[slot].registration.exists, !fibers[slot].flags.contains(.releasesLate) else { return }
    if case .window = fibers[slot].activity { return giveUpIdentifier(slot, isActive: false) }
    giveUpIdentifier(slot, isActive: !fibers[slot].flags.contains(.settled))
  }

  /// Takes the identifier away from a holder.
  ///
  /// The holder counts as cleaning up until it and everything it leaves behind are gone.
  ///
  /// - Parameter isActive: true if the holder still has one of the identifier's places.
  mutating func giveUpIdentifier(_ slot: FiberSlot, isActive: Bool) {
    let registration = fibers[slot].registration
    fibers.remove(slot, from: &registry[registration].holders)
    registry[registration].beginCleanup(freesPlace: isActive)
    fibers[slot].flags.insert(.releasesLate)
  }
}
