extension Machine {
  // MARK: Beginning

  mutating func beginScope(
    _ identifier: P.Identifier, _ policy: ScopePolicy, _ body: consuming P, at site: consuming Site<P>,
    from slot: Int32, _ pass: inout Pass<P>
  ) -> Progress {
    let registration = registration(for: identifier)
    switch policy {
    case .replace, .replaceAfterCleanup:
      let mayWait = policy == .replaceAfterCleanup && !isInsideCleanup(slot, of: registration)
      if !mayWait, let scope = replaceableScope(registration, by: slot) {
        takeOver(scope, registration, body, from: slot, &pass)
        return .leftOff
      }
      return replace(registration, mayWait: mayWait, body, at: site, from: slot, &pass)
    case .keepFirst:
      if registrations[Int(registration)].isUnused {
        openScope(registration, body, from: slot, &pass)
      } else {
        drop(slot, &pass)
      }
    case .queue(let width, let capacity):
      let waiting = registrations[Int(registration)].waiting
      let hasRoom = waiting.isEmpty && registrations[Int(registration)].occupied < width
      // An effect inside the scope has its place already; waiting for itself would never end.
      if hasRoom || isPart(slot, of: registration) {
        openScope(registration, body, from: slot, &pass)
      } else if Int(waiting.count) < capacity {
        waitInLine(registration, width: Int32(clamping: width), body, from: slot, &pass)
      } else {
        drop(slot, &pass)
      }
    }
    return .goesOn
  }

  /// Cancels what is under an identifier, and begins `body` once all that follows from the cancel waits.
  private mutating func replace(
    _ registration: Int32, mayWait: Bool, _ body: consuming P, at site: consuming Site<P>, from slot: Int32,
    _ pass: inout Pass<P>
  ) -> Progress {
    let successor = makeSuccessor(of: registration, at: site, from: slot, &pass)
    let height = ready.count
    replaced = registration
    cancelAll(under: registration, &pass)
    replaced = -1
    renewIfUnused(registration)
    if mayWait, registrations[Int(registration)].cleaningUp > 0 {
      waitInLine(registration, width: 0, body, from: successor ?? slot, &pass)
      return .goesOn
    }
    let scope = linkScope(registration, body, from: successor ?? slot, &pass)
    guard scope != slot || ready.count > height else { return .goesOn }
    makeReady(scope, behind: height)
    // A clean-up is not part of the scope that it cleans up after, and goes on.
    return scope == slot ? .leftOff : .goesOn
  }

  /// The outermost holder of the registration that this strand is part of.
  private func enclosingHolder(of slot: Int32, _ registration: Int32) -> Int32? {
    guard !registrations[Int(registration)].holders.isEmpty else { return nil }
    var outermost: Int32?
    var current = slot
    while current >= 0 {
      let isHolder = strands[Int(current)].registration == registration
      if isHolder, !strands[Int(current)].flags.contains(.cancelled) { outermost = current }
      current = strands[Int(current)].scope
    }
    return outermost
  }

  /// Whether this strand is part of a holder of the registration, or of what a cancelled one has left behind.
  func isPart(_ slot: Int32, of registration: Int32) -> Bool {
    if registrations[Int(registration)].holders.isEmpty { return isInsideCleanup(slot, of: registration) }
    var current = slot
    while current >= 0 {
      let isHolder = strands[Int(current)].registration == registration
      if isHolder, !strands[Int(current)].flags.contains(.cancelled) { return true }
      current = strands[Int(current)].scope
    }
    return isInsideCleanup(slot, of: registration)
  }

  /// An effect that starts under the identifier of a scope it is itself inside of takes that scope's place: the scope
  /// is cancelled, the effect goes on where the scope stood.
  ///
  /// This is how a task restarts itself under its own identifier.
  ///
  /// - Returns: the strand that takes the place of the scope, which the caller has to cancel; `nil` if there is none.
  private mutating func makeSuccessor(
    of registration: Int32, at site: Site<P>, from slot: Int32, _ pass: inout Pass<P>
  ) -> Int32? {
    guard let holder = enclosingHolder(of: slot, registration) else { return nil }
    let isAttached = strands[Int(holder)].flags.contains(.attached)
    let successor = makeChild(of: strands[Int(holder)].parent, attached: isAttached, boundary: true, &pass)
    let place: Strand<P>.Flags =
      isAttached ? [.standsForRoot, .entrant, .apart, .passesAttempts, .isCleanup] : [.passesAttempts, .isCleanup]
    strands[Int(successor)].flags.formUnion(strands[Int(holder)].flags.intersection(place))
    if !isAttached { strands[Int(successor)].flags.insert(.passesAttempts) }
    strands[Int(successor)].flags.insert(.lingers)
    strands[Int(successor)].catcher = catcher(of: slot, outside: holder)
    push(site.program, from: site.index + 1, to: site.index + 1, on: successor)
    strands[Int(holder)].flags.remove(.standsForRoot)
    // The successor's end is what counts for what is around them.
    strands[Int(holder)].flags.insert(.apart)
    return successor
  }

  /// Has `body` run under the identifier: in the strand itself where nothing else happens there, else in a child.
  mutating func openScope(_ registration: Int32, _ body: consuming P, from slot: Int32, _ pass: inout Pass<P>) {
    let scope = linkScope(registration, body, from: slot, &pass)
    if scope != slot { makeReady(scope) }
  }

  private mutating func linkScope(
    _ registration: Int32, _ body: consuming P, from slot: Int32, _ pass: inout Pass<P>
  ) -> Int32 {
    let scope = carrier(from: slot, &pass)
    link(scope, to: .holders, of: registration)
    registrations[Int(registration)].active += 1
    push(body, on: scope)
    return scope
  }

  private mutating func waitInLine(
    _ registration: Int32, width: Int32, _ body: consuming P, from slot: Int32, _ pass: inout Pass<P>
  ) {
    let scope = carrier(from: slot, &pass)
    strands[Int(scope)].activity = .queued(width: width, body: body)
    link(scope, to: .waiting, of: registration)
    pass.hasWaits = true
    breakCircles(of: scope, &pass)
  }

  /// The strand that a scope begun by `slot` lives in: `slot` itself, where the scope is all that it has ever had to
  /// do.
  ///
  /// Never a root: what a cancelled scope leaves behind runs in the tree still, and no longer under the identifier.
  mutating func carrier(from slot: Int32, _ pass: inout Pass<P>) -> Int32 {
    let isFree =
      strands[Int(slot)].registration < 0 && strands[Int(slot)].firstChild < 0 && !hasMoreToDo(slot)
      && strands[Int(slot)].flags.isDisjoint(with: [.recovers, .hasRun])
    guard isFree, strands[Int(slot)].parent >= 0 else {
      strands[Int(slot)].flags.insert(.hasRun)
      let scope = makeChild(of: slot, attached: true, boundary: true, &pass)
      strands[Int(scope)].flags.insert(.lingers)
      if isFree { strands[Int(scope)].flags.insert(.standsForRoot) }
      strands[Int(slot)].activity = .waiting
      return scope
    }
    strands[Int(slot)].flags.formUnion([.boundary, .lingers])
    strands[Int(slot)].boundary = slot
    return slot
  }

  /// In tail position the newest label stands for all, so that a recursion with a label runs for ever too.
  mutating func beginNamed(_ body: consuming P, label: Site<P>, _ slot: Int32, _ pass: inout Pass<P>) {
    var target = slot
    if hasMoreToDo(slot) {
      target = makeChild(of: slot, attached: true, &pass)
      strands[Int(slot)].activity = .waiting
    }
    strands[Int(target)].nearestLabel = label
    strands[Int(target)].flags.insert(.labelled)
    push(body, on: target)
    if target != slot { makeReady(target) }
  }

  mutating func drop(_ slot: Int32, _ pass: inout Pass<P>) {
    if isTraced, let site = strands[Int(slot)].site {
      pass.directives.append(.trace(.dropped(site, names(of: slot))))
    }
    strands[Int(slot)].flags.insert(.endsEarly)
    if !strands[Int(slot)].flags.contains(.hasRun) { strands[Int(slot)].flags.insert(.dropped) }
  }

  // MARK: Ending

  /// The attached part of a holder has settled: its place is free.
  mutating func leaveActive(_ slot: Int32, _ pass: inout Pass<P>) {
    if case .window = strands[Int(slot)].activity { return }
    let registration = strands[Int(slot)].registration
    registrations[Int(registration)].active -= 1
    serve(registration, &pass)
  }

  /// A holder is cancelled: it gives up its identifier at once, and counts as cleaning up until it is gone, with all
  /// that it leaves behind.
  mutating func giveUpIdentifier(_ slot: Int32) {
    let registration = strands[Int(slot)].registration
    unlink(slot, from: .holders)
    var isActive = !strands[Int(slot)].flags.contains(.settled)
    if case .window = strands[Int(slot)].activity { isActive = false }
    if isActive { registrations[Int(registration)].active -= 1 }
    registrations[Int(registration)].cleaningUp += 1
    strands[Int(slot)].flags.insert(.releasesLate)
  }

  /// A holder is about to be given back, with all its detached effects.
  ///
  /// - Returns: its registration, to be served once the holder is gone.
  mutating func leaveRegistration(_ slot: Int32) -> Int32 {
    let registration = strands[Int(slot)].registration
    if strands[Int(slot)].flags.contains(.releasesLate) {
      registrations[Int(registration)].cleaningUp -= 1
    } else {
      unlink(slot, from: .holders)
    }
    return registration
  }

  /// Gives free places to those that wait, and tells those that wait for the end.
  mutating func serve(_ registration: Int32, _ pass: inout Pass<P>) {
    guard registrations[Int(registration)].identifier != nil else { return }
    if registrations[Int(registration)].waiting.first >= 0 { admit(to: registration, &pass) }
    if registrations[Int(registration)].isIdle, registration != replaced { tellJoiners(of: registration, &pass) }
    removeRegistrationIfUnused(registration)
  }

  private mutating func admit(to registration: Int32, _ pass: inout Pass<P>) {
    var begun: [Int32] = []
    while true {
      let scope = registrations[Int(registration)].waiting.first
      guard scope >= 0, case .queued(let width, let body) = strands[Int(scope)].activity,
        width == 0
          ? registrations[Int(registration)].cleaningUp == 0 : registrations[Int(registration)].occupied < width
      else { break }
      unlink(scope, from: .waiting)
      link(scope, to: .holders, of: registration)
      registrations[Int(registration)].active += 1
      push(body, on: scope)
      begun.append(scope)
    }
    // The ready stack is last in, first out.
    for scope in begun.reversed() { makeReady(scope) }
  }
}
