extension Machine {
  /// Cancels what a selection names: from here on nothing below it commits.
  mutating func cancel(_ selection: Selection<P.Identifier>, _ pass: inout Pass<P>) {
    let height = marked.count
    for registration in registrations(selectedBy: selection) { markAll(under: registration, &pass) }
    settleMarked(above: height, &pass)
    standStillForBarrier(&pass)
  }

  /// `cancel` as an event of its own.
  mutating func cancelled(_ selection: Selection<P.Identifier>, _ pass: inout Pass<P>) {
    cancel(selection, &pass)
    step(&pass)
  }

  /// Cancels a whole tree, detached effects too.
  mutating func cancelTree(_ root: StrandID, _ pass: inout Pass<P>) {
    standStillForBarrier(&pass)
    guard isAlive(root), !isSpared(root.slot) else { return }
    cancelSubtree(root.slot, &pass)
    step(&pass)
  }

  /// Cancels everything; what errors map to afterwards is not interpreted.
  mutating func cancelAll(_ pass: inout Pass<P>) {
    var roots: [StrandID] = []
    var root = firstRoot
    while root >= 0 {
      roots.append(id(of: root))
      root = strands[Int(root)].next
    }
    for root in roots where isAlive(root) { cancelSubtree(root.slot, marking: .abandoned, &pass) }
    turns = Table()
    standStillForBarrier(&pass)
    step(&pass)
  }

  mutating func cancelAll(under registration: Int32, _ pass: inout Pass<P>) {
    let height = marked.count
    markAll(under: registration, &pass)
    settleMarked(above: height, &pass)
    standStillForBarrier(&pass)
  }

  /// Marks everything under an identifier.
  ///
  /// Nothing settles before all of a selection is marked, or a scope that is about to be cancelled would take in what
  /// one inside of it leaves behind.
  private mutating func markAll(under registration: Int32, _ pass: inout Pass<P>) {
    // Those that wait go first, or the place of a cancelled holder would be given to one of them.
    while registrations[Int(registration)].waiting.first >= 0 {
      markScope(registrations[Int(registration)].waiting.first, &pass)
    }
    if registrations[Int(registration)].throttled >= 0 {
      markScope(registrations[Int(registration)].throttled, &pass)
    }
    while registrations[Int(registration)].holders.first >= 0 {
      markScope(registrations[Int(registration)].holders.first, &pass)
    }
  }

  /// Cancels a scope by its identifier.
  mutating func cancelScope(_ slot: Int32, _ pass: inout Pass<P>) {
    let height = marked.count
    markScope(slot, &pass)
    settleMarked(above: height, &pass)
  }

  private mutating func markScope(_ slot: Int32, _ pass: inout Pass<P>) {
    if strands[Int(slot)].flags.contains(.standsForRoot), !strands[Int(slot)].flags.contains(.settled) {
      strands[Int(strands[Int(slot)].root)].flags.insert(.endsCancelled)
    }
    strands[Int(slot)].flags.insert(.endsEarly)
    mark(slot, marking: [], &pass)
  }

  mutating func cancelAttachedChildren(of parent: Int32, _ pass: inout Pass<P>) {
    cancelChildren(of: parent, alsoDetached: false, &pass)
  }

  mutating func cancelChildren(of parent: Int32, alsoDetached: Bool, _ pass: inout Pass<P>) {
    let height = marked.count
    var child = strands[Int(parent)].firstChild
    while child >= 0 {
      let isMeant = alsoDetached || strands[Int(child)].flags.contains(.attached)
      if isMeant, !isSpared(child) { mark(child, marking: [], &pass) }
      child = strands[Int(child)].next
    }
    settleMarked(above: height, &pass)
  }

  /// The barrier.
  ///
  /// Every strand below `top` is marked before any of them settles, so nothing in between can begin.
  mutating func cancelSubtree(_ top: Int32, marking flags: Strand<P>.Flags = [], _ pass: inout Pass<P>) {
    let height = marked.count
    mark(top, marking: flags, &pass)
    settleMarked(above: height, &pass)
  }

  /// Walks from parents to children.
  ///
  /// Below a strand that was cancelled before, everything was too.
  private mutating func mark(_ top: Int32, marking flags: Strand<P>.Flags, _ pass: inout Pass<P>) {
    var current = top
    while true {
      let isSpared = current != top && !flags.contains(.abandoned) && isSpared(current)
      let wasCancelled = isSpared || strands[Int(current)].flags.contains(.cancelled)
      strands[Int(current)].flags.formUnion(flags)
      if !wasCancelled {
        noteTarget(top, of: current)
        marked.append(id(of: current))
        quiesce(current, &pass)
      }
      if strands[Int(current)].firstChild >= 0, !wasCancelled || !flags.isEmpty {
        current = strands[Int(current)].firstChild
        continue
      }
      while current != top, strands[Int(current)].next < 0 { current = strands[Int(current)].parent }
      if current == top { return }
      current = strands[Int(current)].next
    }
  }

  /// True for a clean-up that has not settled.
  ///
  /// It ends by itself, by an identifier of its own, or with the whole store, and not with what is around it.
  func isSpared(_ slot: Int32) -> Bool { strands[Int(slot)].flags.intersection([.isCleanup, .settled]) == .isCleanup }

  /// So that what a strand leaves behind finds its place without climbing there strand by strand.
  private mutating func noteTarget(_ top: Int32, of slot: Int32) {
    strands[Int(slot)].cancelledTarget = top
    guard slot != top else {
      strands[Int(slot)].flags.insert(.attachedToTarget)
      return
    }
    let parent = strands[Int(slot)].parent
    guard strands[Int(slot)].flags.contains(.attached) else { return }
    if waitsForBody(parent) {
      strands[Int(slot)].cancelledTarget = parent
      strands[Int(slot)].flags.insert(.attachedToTarget)
    } else if strands[Int(parent)].flags.contains(.attachedToTarget) {
      strands[Int(slot)].cancelledTarget = strands[Int(parent)].cancelledTarget
      strands[Int(slot)].flags.insert(.attachedToTarget)
    }
  }

  /// Children before parents; a parent whose last child this was has settled with it.
  ///
  /// What settles may mark and settle more, on top of the stack.
  private mutating func settleMarked(above height: Int, _ pass: inout Pass<P>) {
    while marked.count > height, let id = marked.popLast() {
      if isAlive(id) { settleIfIdle(id.slot, &pass) }
    }
    if marked.isEmpty, marked.capacity > 1024 { marked = Table() }
  }

  /// Asks what runs on the strand's behalf to end; a barrier goes into another store before anything else happens.
  mutating func cancelCall(of slot: Int32, _ pass: inout Pass<P>) {
    pass.directives.append(.cancel(id(of: slot)))
    guard strands[Int(slot)].flags.contains(.lifts) else { return }
    isSpreadingBarrier = true
    pass.standStill()
  }

  /// Takes a strand out of everything it waits in.
  private mutating func quiesce(_ slot: Int32, _ pass: inout Pass<P>) {
    strands[Int(slot)].flags.insert(.cancelled)
    switch strands[Int(slot)].activity {
    case .sleeping:
      deadlines.remove(slot)
      traceEnd(of: slot, .cancelled, &pass)
    case .bounding, .backingOff:
      deadlines.remove(slot)
    case .ticking:
      deadlines.remove(slot)
      traceEnd(of: slot, .cancelled, &pass)
    case .joining(_, let joined):
      joinCount -= 1
      leaveJoined(joined)
      traceEnd(of: slot, .cancelled, &pass)
    case .window:
      deadlines.remove(slot)
      windowCount -= 1
      registrations[Int(strands[Int(slot)].registration)].window = -1
    case .sequencing:
      // From here on it is like a cancelled `finally`, whose body is the member in flight.
      if !undos.isEmpty, let undo = undos.removeValue(forKey: slot) {
        strands[Int(slot)].activity = .finalizing(cleanup: undo)
      }
    case .operating:
      cancelCall(of: slot, &pass)
    case .emitting:
      if !backlogs.isEmpty { discardBacklog(of: slot) }
      if strands[Int(slot)].flags.isDisjoint(with: [.ended, .stopped]) { cancelCall(of: slot, &pass) }
    case .queued:
      unlink(slot, from: .waiting)
      let registration = strands[Int(slot)].registration
      strands[Int(slot)].registration = -1
      serve(registration, &pass)
      return
    case .throttled:
      let registration = strands[Int(slot)].registration
      if registrations[Int(registration)].throttled == slot { registrations[Int(registration)].throttled = -1 }
      strands[Int(slot)].registration = -1
      serve(registration, &pass)
      return
    default:
      break
    }
    if strands[Int(slot)].registration >= 0 { giveUpIdentifier(slot) }
  }
}
