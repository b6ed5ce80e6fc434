extension Machine {
  mutating func beginSource(at site: Site<P>, from slot: Int32, _ pass: inout Pass<P>) {
    let source = beginDetached(at: site, from: slot, &pass)
    strands[Int(source)].activity = .emitting
    pass.hasWaits = true
    traceBegin(of: source, &pass)
    pass.directives.append(.open(id(of: source), site))
  }

  /// A detached strand that stands for what an operation has left running elsewhere; `sourceEnded` tells when that is over.
  ///
  /// - Returns: `nil` if the operation has been cancelled.
  mutating func leaveDetached(_ id: StrandID, _ pass: inout Pass<P>) -> StrandID? {
    guard !isCancelled(id), let site = strands[Int(id.slot)].site else { return nil }
    let source = beginDetached(at: site, from: id.slot, &pass)
    strands[Int(source)].activity = .emitting
    traceBegin(of: source, &pass)
    return self.id(of: source)
  }

  /// A source has emitted this effect.
  mutating func emitted(_ id: StrandID, _ program: P, _ pass: inout Pass<P>) {
    guard !isCancelled(id), case .emitting = strands[Int(id.slot)].activity,
      !strands[Int(id.slot)].flags.contains(.ended)
    else { return }
    switch strategy(of: id.slot) {
    case .each:
      break
    case .latest:
      cancelChildren(of: id.slot, &pass)
    case .serial(let capacity):
      if strands[Int(id.slot)].pending > 0 {
        backlogs[id.slot, default: Backlog()].append(program, capacity: capacity)
        return
      }
    }
    beginEmitted(program, by: id.slot, &pass)
    step(&pass)
  }

  /// A source has no more to emit, or has ended because it was cancelled.
  ///
  /// Its last effects go on.
  mutating func sourceEnded(_ id: StrandID, _ pass: inout Pass<P>) {
    guard isAlive(id) else { return }
    traceEnd(of: id.slot, strands[Int(id.slot)].flags.contains(.cancelled) ? .cancelled : .finished, &pass)
    strands[Int(id.slot)].flags.insert(.ended)
    if strands[Int(id.slot)].flags.contains(.cancelled) {
      settleIfIdle(id.slot, &pass)
    } else if strands[Int(id.slot)].pending == 0 {
      continueSource(id.slot, &pass)
    }
    step(&pass)
  }

  /// A source has thrown.
  mutating func sourceFailed(_ id: StrandID, _ failure: P.Failure, _ pass: inout Pass<P>) {
    guard isAlive(id) else { return }
    // Cancelled streams end without an error.
    guard !strands[Int(id.slot)].flags.contains(.cancelled) else { return sourceEnded(id, &pass) }
    traceEnd(of: id.slot, .failed(failure), &pass)
    strands[Int(id.slot)].flags.insert(.ended)
    backlogs[id.slot] = nil
    strands[Int(id.slot)].activity = .ready
    fail(id.slot, failure, &pass)
    step(&pass)
  }

  /// The effects of a value have settled.
  mutating func continueSource(_ slot: Int32, _ pass: inout Pass<P>) {
    if let program = backlogs[slot]?.popFirst() {
      if backlogs[slot]!.isEmpty { backlogs[slot] = nil }
      beginEmitted(program, by: slot, &pass)
    } else if strands[Int(slot)].flags.contains(.ended) {
      settle(slot, &pass)
    }
  }

  private mutating func beginEmitted(_ program: P, by slot: Int32, _ pass: inout Pass<P>) {
    let child = makeChild(of: slot, attached: true, &pass)
    push(program, on: child)
    makeReady(child)
  }

  private func strategy(of slot: Int32) -> SourceStrategy {
    guard let site = strands[Int(slot)].site, case .source(let strategy) = site.program.instruction(at: site.index)
    else {
      preconditionFailure("strand \(slot) emits without being a source")
    }
    return strategy
  }

  private mutating func cancelChildren(of slot: Int32, _ pass: inout Pass<P>) {
    var children: [StrandID] = []
    var child = strands[Int(slot)].firstChild
    while child >= 0 {
      children.append(id(of: child))
      child = strands[Int(child)].next
    }
    for child in children where !isCancelled(child) { cancelSubtree(child.slot, &pass) }
  }
}

/// Effects that wait until those of the value before them have settled: a ring that drops its oldest for a newer one.
struct Backlog<P: Program> {
  private var programs: [P] = []
  private var first = 0
  private(set) var dropped = 0

  var isEmpty: Bool { first == programs.count }

  mutating func append(_ program: P, capacity: Int) {
    programs.append(program)
    guard programs.count - first > max(capacity, 1) else { return }
    _ = popFirst()
    dropped += 1
  }

  /// Takes the oldest; what was taken is dropped from the front in bulk, so that a long backlog stays linear.
  mutating func popFirst() -> P? {
    guard first < programs.count else { return nil }
    let program = programs[first]
    first += 1
    if first * 2 >= programs.count {
      programs.removeFirst(first)
      first = 0
    }
    return program
  }
}
