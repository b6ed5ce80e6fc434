@testable import AsyncStore

extension ReferenceModel {
  // MARK: One small step

  func run(_ node: Node) {
    guard !node.isCancelled, !node.isSettled, !node.isGone else { return }
    switch node.state {
    case .unbegun where node.isHead && !node.isBegunItself:
      node.state = .wrapping
      post(addInPath(node.bodyOfHead, under: node))
    case .unbegun, .turn:
      begin(node)
    case .queued:
      leaveLine(node)
    case .merging(let next):
      continueMerge(node, next)
    case .racing(let next, let isWon):
      continueRace(node, next, isWon: isWon)
    case .sequence(let next):
      guard node.pending == 0, case .concatenate(let members) = node.effect else { return }
      guard next < members.count else { return settle(node) }
      node.state = .sequence(next: next + 1)
      post(addInPath(members[next], under: node))
    case .answering(let tree, let handler):
      guard node.pending == 0 else { return }
      node.state = .wrapping
      let child = isFollowed(node, handler) ? addHead(tree, under: node) : addInPath(tree, under: node)
      child.handledBy = handler
      post(child)
    case .emitting(let call, let backlog):
      if node.pending == 0 { continueSource(node, call, backlog) }
    case .retrying:
      if node.pending == 0 { endAttempt(of: node) }
    case .ordered(let next):
      if node.pending == 0 { continueSequence(node, next) }
    case .undoing:
      if node.pending == 0 { endSequence(node) }
    case .wrapping, .exhausted:
      if node.pending == 0 { settle(node) }
    default:
      break
    }
  }

  private func continueSource(_ node: Node, _ call: Int, _ backlog: [Tree]) {
    if case .source(_, .each) = node.effect { return }
    guard let tree = backlog.first else { return }
    let rest = Array(backlog.dropFirst())
    node.state = call < 0 && rest.isEmpty ? .exhausted : .emitting(call: call, backlog: rest)
    post(addHead(tree, under: node, isBoundary: true))
  }

  private func isFollowed(_ node: Node, _ handler: Node.Handler) -> Bool {
    if case .recovery = handler { return node.hasMoreToDo }
    return false
  }

  private func begin(_ node: Node) {
    let head = node.head
    if head.isRoot || head.standsForRoot, !node.effect.isTransparent { node.root.isDropped = false }
    if !node.effect.isTransparent {
      if case .sequence = node.effect { node.isFirstOfRunner = !node.runner.hasRun }
      if !node.effect.isScope { node.runner.hasRun = true }
      beginsAnew(node)
    }
    switch node.effect {
    case .none:
      settle(node)
    case .commit(let number):
      guard mayCommit else { return waitForTurn(node) }
      outputs.append(.commit(number))
      settle(node)
    case .evaluate(let number, let tree):
      guard mayCommit else { return waitForTurn(node) }
      outputs.append(.commit(number))
      node.state = .wrapping
      post(addInPath(tree, under: node))
    case .operate(let number):
      startOperation(node, number)
    case .sleep(let span):
      guard span > 0 else { return settle(node) }
      node.state = .sleeping(alarm(after: span))
    case .lift(let number):
      startLift(node, number)
    case .timer, .source:
      if mayBeginDetached(from: node) { beginDetached(node) }
      settle(node)
    case .cancel(let selection):
      let length = agenda.count
      cancel(selection)
      guard !node.isCancelled else { return }
      if agenda.count == length { return end(node) }
      node.state = .wrapping
      post(node, behind: length)
    case .join(let selection):
      beginJoin(node, selection)
    default:
      beginComposite(node)
    }
  }

  private func beginDetached(_ node: Node) {
    let detached = addDetached(node)
    if case .timer(let interval, _) = node.effect {
      detached.state = .ticking(index: 1, alarm(after: interval))
    } else if case .source(let number, _) = node.effect {
      startSource(detached, number)
    }
  }

  private func beginComposite(_ node: Node) {
    switch node.effect {
    case .concatenate:
      node.state = .sequence(next: 0)
      post(node)
    case .merge(let members, _) where members.count == 1:
      node.state = .wrapping
      post(addInPath(members[0], under: node))
    case .merge:
      node.state = .merging(next: 0)
      post(node)
    case .race:
      node.state = .racing(next: 0, isWon: false)
      post(node)
    case .label(let body), .ownLift(let body):
      node.state = .wrapping
      post(addInPath(body, under: node))
    case .scope(let name, let policy, let body):
      beginScope(node, name, policy, body)
    case .throttle(let name, let span, let leading, let trailing, let body):
      beginThrottle(node, name, span, leading: leading, trailing: trailing, body)
    case .timeout(let span, let body, let otherwise):
      guard span > 0 else {
        node.state = .wrapping
        return post(addInPath(otherwise, under: node))
      }
      node.state = .bounding(alarm(after: span))
      post(addHead(body, under: node, isBoundary: true))
    case .retry, .attempts:
      node.begun = time
      beginAttempt(of: node)
    case .recover(let body, _):
      node.state = .wrapping
      let recovery = addHead(node.effect, under: node, isBoundary: true)
      recovery.isRecovery = true
      recovery.lingers = true
      _ = body
      post(recovery)
    case .finally(let body, _):
      node.state = .finalizing
      post(addHead(body, under: node))
    case .sequence:
      node.state = .ordered(next: 0)
      post(node)
    case .compensated(let body, _):
      node.state = nearestSequence(of: node) == nil ? .wrapping : .compensating
      if case .compensating = node.state {
        post(addHead(body, under: node))
      } else {
        post(addInPath(body, under: node))
      }
    default:
      preconditionFailure("\(node.effect)")
    }
  }

  private func waitForTurn(_ node: Node) {
    node.state = .turn
    turns.append(node)
    if !isTurnRequested { outputs.append(.requestTurn) }
    isTurnRequested = true
  }

  // MARK: Forks

  private func continueMerge(_ node: Node, _ next: Int) {
    guard case .merge(let members, let limit) = node.effect else { return }
    guard next < members.count else {
      node.state = .wrapping
      return post(node)
    }
    guard node.pending < max(limit, 1) else { return }
    node.state = .merging(next: next + 1)
    post(node)
    let member = addHead(members[next], under: node)
    member.isApart = true
    post(member)
  }

  private func continueRace(_ node: Node, _ next: Int, isWon: Bool) {
    guard case .race(let members, _) = node.effect else { return }
    if !isWon, next < members.count {
      node.state = .racing(next: next + 1, isWon: false)
      post(node)
      let entrant = addHead(members[next], under: node, isBoundary: true)
      entrant.isEntrant = true
      entrant.isApart = true
      return post(entrant)
    }
    guard node.pending == 0 else { return }
    node.state = .wrapping
    if !isWon, let failure = node.failure { return fail(node, failure) }
    if !isWon, case .race(_, toSucceed: true) = node.effect {
      (node.endsEarly, node.completion) = (true, .never)
    }
    post(node)
  }

  // MARK: Settling

  func settleIfIdle(_ node: Node) {
    guard !node.isGone, !node.runsCode, node.pending == 0 else { return }
    if node.isSettled { release(node) } else { settle(node) }
  }

  func settle(_ node: Node) {
    // Cancels the detached effects of a cleanup that has settled, if no living scope owns them.
    let isAlone = node.parent?.boundary.isCancelled ?? (node.origin != nil)
    if !node.isCancelled, !node.children.isEmpty {
      let hasLost = hasLost(node)
      if isAlone || hasLost { cancelChildren(of: node) }
      if hasLost { awaitBarrier() }
    }
    if node.isCancelled { cleanUp(node) }
    if node.isCancelled, let failure = node.heldFailure {
      node.failure = nil
      // Not a sequence any more: its compensations have begun.
      node.state = .wrapping
      return failLate(node, failure, isHeld: true)
    }
    node.isSettled = true
    let (wasAttached, wasOnPath) = (node.isAttached, !node.isHead && !node.isBelowRoot)
    node.isAttached = false
    if node.carrier?.isRoot == false { node.carrier = nil }
    if !node.isCancelled, node.isHolder { serve(node.name!) }
    if node.isRoot {
      // A cancelled tree settles with its cleanups.
      let isOver = node.children.isEmpty && isCleanedUp(node)
      node.settlesLate = node.isCancelled && !node.isAbandoned && !isOver
      if !node.settlesLate { report(node) }
    }
    let parent = node.parent
    if !node.isCancelled { endCleanup(node) }
    if node.children.isEmpty, isCleanedUp(node) { release(node) } else { leaveDetachedEffects(of: node) }
    guard wasAttached, let parent else { return }
    // That of something cancelled is known from its cancel.
    if node.endsEarly, !node.isApart, !parent.isCancelled {
      (parent.endsEarly, parent.completion) = (true, node.completion)
    }
    childSettled(node, of: parent, wasOnPath: wasOnPath)
  }

  private func hasLost(_ node: Node) -> Bool {
    guard node.isAttached, node.isEntrant, node.endsEarly, case .race(_, toSucceed: true)? = node.parent?.effect else {
      return false
    }
    return true
  }

  private func report(_ root: Node) {
    guard let context = root.context else { return }
    let ending: TestEnding =
      if root.endsCancelled { .cancelled } else if let failure = root.treeFailure { .failed(failure) } else {
        root.isDropped ? .dropped : .finished
      }
    let liftEnding: LiftEnding =
      switch ending {
      case .dropped: .incomplete
      case _ where root.isCancelled: mayHaveCompleted(root) ? .cancelledAfterwards : .incomplete
      case _ where root.endsEarly: hasCompleted(root) ? .cancelledAfterwards : .incomplete
      case .finished, .failed: hasCompleted(root) ? .completed : .incomplete
      case .cancelled: .incomplete
      }
    outputs.append(.settled(context, ending, liftEnding.unlessUsual(for: ending)))
  }

  private func leaveDetachedEffects(of node: Node) {
    guard let parent = node.parent else { return }
    let owner = parent.boundary
    if node.lingers || node.isCancelled {
      node.isHead = true
      if owner !== parent { move(node, to: owner) }
    } else {
      for child in node.children { move(child, to: owner) }
      remove(node)
    }
  }

  private func move(_ node: Node, to owner: Node) {
    node.handledBy = node.handledBy ?? handler(from: node.parent!, upTo: owner)
    node.parent!.children.removeAll { $0 === node }
    node.parent = owner
    node.place = next()
    owner.children.append(node)
  }

  private func remove(_ node: Node) {
    node.isGone = true
    node.parent?.children.removeAll { $0 === node }
    if node.isRoot { roots.removeAll { $0 === node } }
    if node.name != nil { scopes.removeAll { $0 === node } }
  }

  func release(_ node: Node) {
    guard node.isSettled, !node.isGone, node.children.isEmpty, isCleanedUp(node) else { return }
    let parent = node.parent
    if node.settlesLate { report(node) }
    remove(node)
    endCleanup(node)
    if let name = node.name { serve(name) }
    if let parent, parent.isSettled { release(parent) }
  }

  private func childSettled(_ child: Node, of parent: Node, wasOnPath: Bool) {
    if parent.isCancelled { return settleIfIdle(parent) }
    let isLast = parent.pending == 0
    func proceed() {
      guard wasOnPath else { return postParent(parent, of: child) }
      // An effect ends with the last one on its path, also if the pass stands still behind that.
      if standsStill, hasDoneAll(parent) { settle(parent) } else { post(parent) }
    }
    switch parent.state {
    case .merging:
      proceed()
    case .racing(let next, let isWon):
      var hasToSucceed = false
      if case .race(_, toSucceed: true) = parent.effect { hasToSucceed = true }
      if !isWon, child.isEntrant, !child.isCancelled, !hasToSucceed || !child.endsEarly {
        parent.state = .racing(next: next, isWon: true)
        cancelAttachedChildren(of: parent)
        awaitBarrier()
      } else if !isWon {
        newlyAwaited.append(parent)
      }
      proceed()
    case .retrying:
      if isLast { proceed() }
    case .bounding:
      guard isLast else { return }
      parent.state = .wrapping
      proceed()
    case .finalizing:
      guard isLast, case .finally(_, let effect) = parent.effect else { return }
      let cleanup = parent.lateCleanup ?? effect
      parent.state = .wrapping
      let child = addHead(cleanup, under: parent)
      cleansUp(child)
      post(child)
    case .ordered, .undoing:
      if isLast { proceed() }
    case .emitting(let call, let backlog):
      if isLast { continueSource(parent, call, backlog) }
    case .exhausted:
      if isLast { settle(parent) }
    case .ticking:
      break
    case .compensating:
      guard isLast, case .compensated(_, let undo) = parent.effect else { return }
      if hasCompleted(parent) { nearestSequence(of: parent)?.recorded.append(undo) }
      parent.state = .wrapping
      post(parent)
    default:
      if isLast { proceed() }
    }
  }

  // MARK: Cancelling

  func cancelAttachedChildren(of parent: Node) {
    for child in parent.children where child.isAttached { child.isApart = true }
    cancelChildren(of: parent) { $0.isAttached }
  }

  func cancelChildren(of parent: Node, where condition: (Node) -> Bool = { _ in true }) {
    var nodes: [Node] = []
    for child in parent.children where condition(child) {
      if child.isSpared || child.isCancelled { newlyAwaited.append(child) } else { mark(child, &nodes) }
    }
    settleCancelled(nodes)
  }

  /// Marks everything below `top`.
  ///
  /// Then the nodes that run no code settle, the last one begun first.
  func cancelSubtree(_ top: Node) {
    var nodes: [Node] = []
    mark(top, &nodes)
    settleCancelled(nodes)
  }

  func mark(_ top: Node, _ cancelled: inout [Node]) {
    var nodes: [Node] = []
    collect(top, &nodes)
    // Before anything is cancelled, which the completion of what is around it depends on.
    for node in nodes.reversed() where !node.isCancelled { node.completion = completion(of: node) }
    for node in nodes where !node.isCancelled {
      cancelled.append(node)
      node.isCancelled = true
      switch node.state {
      case .operating(let call):
        outputs.append(.cancel(call: call))
      case .lifting(let call):
        outputs.append(.cancel(call: call))
        spreadBarrier()
      case .emitting(let call, _):
        if call < 0 { node.state = .exhausted }
        if call < 0 || node.isStopped { break }
        outputs.append(.cancel(call: call))
        if node.isLift { spreadBarrier() }
      case .queued, .parked:
        serve(node.name!)
      default:
        break
      }
    }
  }

  func settleCancelled(_ nodes: [Node]) {
    for node in nodes.reversed() where !node.isGone { settleIfIdle(node) }
  }

  /// Collects a path from its head downwards, then the paths that branch off from it, in the order in which they were
  /// added.
  private func collect(_ top: Node, _ nodes: inout [Node]) {
    var hanging: [Node] = []
    var current: Node? = top
    while let node = current {
      nodes.append(node)
      hanging += node.children.filter(\.isHead)
      current = node.children.first { !$0.isHead }
    }
    for head in hanging.sorted(by: { $0.place < $1.place }) {
      if !head.isSpared || head.isAbandoned { collect(head, &nodes) } else { newlyAwaited.append(head) }
    }
  }
}

extension ReferenceNode {
  /// True for a scope, which has a body of its own.
  ///
  /// A scope that is not the end of its path is both the head of a path and the effect itself.
  var isBegunItself: Bool { name != nil }
  var bodyOfHead: Tree {
    if isRecovery, case .recover(let body, _) = effect { return body }
    return effect
  }
}

extension Tree {
  var isScope: Bool {
    switch self {
    case .scope, .throttle: true
    default: false
    }
  }

  /// True if the tree does nothing itself, so that a drop before it remains the last result.
  var isTransparent: Bool {
    switch self {
    case .none, .concatenate, .label, .ownLift: true
    case .merge(let members, _): members.count < 2
    case .sleep(let span): span <= 0
    default: false
    }
  }
}
