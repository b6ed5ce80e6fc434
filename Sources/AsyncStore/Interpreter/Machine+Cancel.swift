extension Machine {
  /// Cancels what a selection names: from here on nothing below it commits.
  mutating func cancel(_ selection: Selection<P.Identifier>, _ pass: inout Pass<P>) {
    for registration in registrations(selectedBy: selection) {
      cancelAll(under: registration, &pass)
    }
  }

  /// `cancel` as an event of its own.
  mutating func cancelled(_ selection: Selection<P.Identifier>, _ pass: inout Pass<P>) {
    cancel(selection, &pass)
    step(&pass)
  }

  /// Cancels a whole tree, detached effects too.
  mutating func cancelTree(_ root: StrandID, _ pass: inout Pass<P>) {
    guard isAlive(root) else { return }
    strands[Int(root.slot)].flags.insert(.treeCancelled)
    cancelSubtree(root.slot, &pass)
    step(&pass)
  }

  /// Cancels everything; what errors map to afterwards is not interpreted.
  mutating func cancelAll(_ pass: inout Pass<P>) {
    var root = firstRoot
    while root >= 0 {
      let next = strands[Int(root)].next
      cancelSubtree(root, marking: [.abandoned, .treeCancelled], &pass)
      root = next
    }
    turns = []
    step(&pass)
  }

  mutating func cancelAll(under registration: Int32, _ pass: inout Pass<P>) {
    // Those that wait go first, or the place of a cancelled holder would be given to one of them.
    while let waiting = registrations[Int(registration)]?.waiting.first, waiting >= 0 { cancelSubtree(waiting, &pass) }
    if let throttled = registrations[Int(registration)]?.throttled, throttled >= 0 { cancelSubtree(throttled, &pass) }
    while let holder = registrations[Int(registration)]?.holders.first, holder >= 0 { cancelSubtree(holder, &pass) }
  }

  mutating func cancelAttachedChildren(of parent: Int32, _ pass: inout Pass<P>) {
    var children: [StrandID] = []
    var child = strands[Int(parent)].firstChild
    while child >= 0 {
      if strands[Int(child)].flags.contains(.attached) { children.append(id(of: child)) }
      child = strands[Int(child)].next
    }
    for child in children where isAlive(child) { cancelSubtree(child.slot, &pass) }
  }

  /// The barrier.
  ///
  /// Every strand below `top` is marked before any of them settles, so nothing in between can begin.
  mutating func cancelSubtree(_ top: Int32, marking flags: Strand<P>.Flags = [], _ pass: inout Pass<P>) {
    var cancelled: [StrandID] = []
    var current = top
    walk: while true {
      strands[Int(current)].flags.formUnion(flags)
      cancelled.append(id(of: current))
      if !strands[Int(current)].flags.contains(.cancelled) { quiesce(current, &pass) }
      if strands[Int(current)].firstChild >= 0 {
        current = strands[Int(current)].firstChild
        continue
      }
      while strands[Int(current)].next < 0 || current == top {
        if current == top { break walk }
        current = strands[Int(current)].parent
      }
      current = strands[Int(current)].next
    }
    // Children before parents; a parent whose last child this was has settled with it.
    for id in cancelled.reversed() where isAlive(id) { settleIfIdle(id.slot, &pass) }
  }

  /// Takes a strand out of everything it waits in.
  private mutating func quiesce(_ slot: Int32, _ pass: inout Pass<P>) {
    strands[Int(slot)].flags.insert(.cancelled)
    switch strands[Int(slot)].activity {
    case .sleeping:
      deadlines.remove(slot)
      traceEnd(of: slot, .cancelled, &pass)
    case .bounding, .backingOff, .ticking:
      deadlines.remove(slot)
    case .window:
      deadlines.remove(slot)
      registrations[Int(strands[Int(slot)].registration)]!.window = -1
    case .operating:
      pass.directives.append(.cancel(id(of: slot)))
    case .emitting:
      backlogs[slot] = nil
      if !strands[Int(slot)].flags.contains(.ended) { pass.directives.append(.cancel(id(of: slot))) }
    case .queued:
      unlink(slot, from: \.waiting)
      let registration = strands[Int(slot)].registration
      strands[Int(slot)].registration = -1
      serve(registration, &pass)
      return
    case .throttled:
      let registration = strands[Int(slot)].registration
      registrations[Int(registration)]!.throttled = -1
      strands[Int(slot)].registration = -1
      serve(registration, &pass)
      return
    default:
      break
    }
    if strands[Int(slot)].registration >= 0 { startCleanup(slot) }
  }
}
