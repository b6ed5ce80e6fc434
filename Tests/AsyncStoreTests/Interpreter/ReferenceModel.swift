@testable import AsyncStore

/// A reference model of the laws, written as plainly as possible and as unlike the machine as possible: objects instead
/// of a table, one node per effect instead of fibers, queries instead of counters, recursion instead of stacks.
///
/// It is slow, and it would overflow on deep trees. Its purpose is to disagree with the machine.
final class ReferenceModel {
  typealias Node = ReferenceNode

  enum Call {
    case operation, source, lift
    case remains
    case handler(Tree?)
    case decision
    case tick(Tree, due: Moment)
  }

  var roots: [Node] = []
  var outputs: [Output] = []
  var now = Moment.zero
  var mayCommit = true
  /// The time of the event.
  ///
  /// For a deadline, it is the time at which the deadline was due.
  var time = Moment.zero
  /// The nodes that run next, in reverse order.
  var agenda: [Node] = []
  var turns: [Node] = []
  var isTurnRequested = false
  /// All nodes with a name, except those that are gone.
  var scopes: [Node] = []
  var windows: [Name: Node.Alarm] = [:]
  /// Names in the order in which they came into use.
  var useOrder: [Name] = []
  /// The name of the scope that is being replaced.
  ///
  /// Nodes that join this name keep waiting.
  var replacing: Name?
  /// The nodes for which something has begun to wait since cycles were looked for.
  var newlyAwaited: [Node] = []
  /// The cleanups that cancelled nodes have left behind, kept while a node waits for them.
  var cleanups: [Node] = []
  var calls: [Int: (node: Node, call: Call)] = [:]
  private var delayed: [Int: [(source: Node, last: Node)]] = [:]
  /// The sources of which effects have waited that may begin now.
  private var catchingUp: [Node] = []
  private var counter = 0
  private var nextCall = 0

  /// True while the store shuts down: no timer and no source begins.
  var isDraining = false

  /// True if the pass may do nothing more before something has happened in other stores.
  var standsStill = false
  /// True while the barrier of a cancel is on its way into other stores.
  var isSpreadingBarrier = false
  /// The tree whose first pass this one is, if it is one.
  var passTree: Node?
  /// The passes that stand still, the oldest first.
  var standing: [StandingPass] = []
  /// True if passes stand still until an event says that they go on, and not only for a moment.
  let holdsPasses: Bool

  /// True if the store has an error handler of its own.
  let mapsErrors: Bool

  init(mapsErrors: Bool = true, holdsPasses: Bool = false) {
    (self.mapsErrors, self.holdsPasses) = (mapsErrors, holdsPasses)
  }

  deinit { for root in roots { root.visit { $0.carrier = nil } } }

  func next() -> Int {
    counter += 1
    return counter
  }

  // MARK: Events

  func perform(_ step: TestStep) {
    outputs = []
    mayCommit = step.mayCommit
    if case .fire(let late) = step.event, let due = nextDeadline { now = max(now, due.advanced(by: late)) }
    time = now
    (standsStill, passTree) = (false, nil)
    receive(step.event)
    runAgenda()
    while !catchingUp.isEmpty { beginWaiting(catchingUp.removeFirst()) }
  }

  private func runAgenda() {
    repeat {
      while true {
        if keepRest() { return }
        guard let node = agenda.popLast() else { break }
        node.isPosted = false
        run(node)
      }
    } while breakNewCycles()
  }

  private func receive(_ event: TestEvent) {
    switch event {
    case .begin(let tree, let context):
      begin(tree, context: context)
    case .finish(let call, let tree):
      let node = calls.removeValue(forKey: call)!.node
      node.state = .wrapping
      if node.isCancelled { settleIfIdle(node) } else { post(addInPath(tree, under: node)) }
    case .fail(let call, let failure):
      let (node, kind) = calls.removeValue(forKey: call)!
      if case .source = kind { return failSource(node, failure) }
      node.state = .wrapping
      if node.isCancelled {
        failLate(node, failure)
      } else if case .attempts = node.effect {
        node.failure = failure
        endAttempt(of: node)
      } else {
        fail(node, failure)
      }
    case .decide(let call, let triesAgain):
      let node = calls.removeValue(forKey: call)!.node
      node.state = .wrapping
      if node.isCancelled { settleIfIdle(node) } else if triesAgain { backOff(node) } else { giveUp(node) }
    case .answer(let call, let tree):
      guard case .handler(let own) = calls[call]!.call else { return }
      answer(calls.removeValue(forKey: call)!.node, own ?? tree)
    case .tick(let call):
      guard let (node, kind) = calls.removeValue(forKey: call), case .tick(let tree, let due) = kind,
        !node.isCancelled, !node.isGone
      else { return }
      time = due
      post(addHead(tree, under: node))
    case .emit(let call, let tree):
      emit(tree, by: calls[call]!.node)
    case .delay(let call):
      delay(call, calls[call]!.node)
    case .resume(let call):
      endPart(of: call)
    case .end(let call):
      endSource(calls.removeValue(forKey: call)!.node)
    case .settleLift(let call, let ending, let isOver):
      settleLift(call, ending, isOver: isOver)
    case .endLift(let call):
      let node = calls.removeValue(forKey: call)!.node
      if case .lifting = node.state { endLift(node) } else { endSource(node) }
    case .fire:
      fire()
    case .cancel(let selection):
      cancel(selection)
    case .cancelTree(let context):
      guard let root = roots.first(where: { $0.context == context }) else { return }
      root.endsCancelled = true
      cancelSubtree(root)
      awaitBarrier()
    case .cancelAll:
      windows = [:]
      for root in roots {
        root.endsCancelled = true
        root.visit { $0.isAbandoned = true }
        cancelSubtree(root)
      }
      turns = []
      isTurnRequested = false
      awaitBarrier()
    case .drain:
      drain()
    case .cancelAllSparingCleanup:
      windows = [:]
      for root in roots where !root.isSpared && root.origin == nil && !isAboutToSettle(root) {
        root.endsCancelled = true
        cancelSubtree(root)
      }
      awaitBarrier()
    case .endDraining:
      if isDraining { for root in roots { passOnDraining(of: root) } }
      isDraining = false
    case .drainTree(let context):
      guard let root = roots.first(where: { $0.context == context }), !root.isDraining else { return }
      root.isDraining = true
      for tree in treeAndCleanups(of: root) { stopSources(of: tree) }
    case .endDrainingTree(let context):
      guard let root = roots.first(where: { $0.context == context }), root.isDraining else { return }
      root.isDraining = false
      for tree in treeAndCleanups(of: root) { passOnDraining(of: tree) }
    case .continuePass(let index):
      continuePass(index)
    case .look:
      break
    case .arrive:
      isSpreadingBarrier = false
    case .turn:
      let waiting = turns
      turns = []
      isTurnRequested = false
      // One after the other; one that has to stand still keeps none of the others.
      for node in waiting {
        (standsStill, passTree) = (false, nil)
        post(node)
        runAgenda()
      }
    }
  }

  private func begin(_ tree: Tree, context: Int) {
    let root = addSilentRoot(tree)
    root.context = context
    passTree = root
    post(root)
  }

  func addSilentRoot(_ tree: Tree) -> Node {
    let root = Node(tree, parent: nil, isAttached: false, isHead: true)
    root.isBoundary = true
    root.lingers = true
    roots.append(root)
    return root
  }

  private func answer(_ node: Node, _ tree: Tree) {
    guard case .handling(let recovery, let late) = node.state else { return }
    let handler = recovery.map { Node.Handler.recovery($0) } ?? .store
    if node.isCancelled {
      node.state = .wrapping
      if late { adopt(tree, from: node, handledBy: handler) }
      settleIfIdle(node)
    } else {
      node.state = .answering(tree, handler)
      post(node)
    }
  }

  private func emit(_ tree: Tree, by node: Node) {
    guard !node.isCancelled, !node.isStopped, case .emitting(let call, let backlog) = node.state,
      case .source(_, let strategy) = node.effect
    else { return }
    let length = agenda.count
    switch strategy {
    case .each:
      if isBusy(node) {
        node.state = .emitting(call: call, backlog: backlog + [tree])
        return
      }
    case .latest:
      cancelChildren(of: node)
      awaitBarrier()
    case .serial(let capacity):
      if node.pending > 0 {
        node.state = .emitting(call: call, backlog: Array((backlog + [tree]).suffix(max(capacity, 1))))
        return
      }
    }
    let child = addHead(tree, under: node, isBoundary: true)
    node.lastEmitted = child
    post(child, behind: length)
  }

  /// Returns whether the next effects of a source wait for its last one.
  private func isBusy(_ source: Node) -> Bool {
    guard let last = source.lastEmitted else { return false }
    return last.parts > 0
  }

  private func delay(_ call: Int, _ source: Node) {
    guard let last = source.lastEmitted else { return }
    if !source.isCancelled, !source.isGone, !last.isCancelled, !last.isSettled, !last.isGone { last.parts += 1 }
    delayed[call, default: []].append((source, last))
  }

  private func endPart(of call: Int) {
    let (source, last) = delayed[call]!.removeFirst()
    if delayed[call]!.isEmpty { delayed[call] = nil }
    if last.parts > 0 { last.parts -= 1 }
    if source.lastEmitted === last { catchUp(source) }
  }

  /// Begins the effects of a source that have waited, one after the other; every other one has a part that goes on
  /// later.
  func catchUp(_ source: Node) {
    if !catchingUp.contains(where: { $0 === source }) { catchingUp.append(source) }
  }

  private func beginWaiting(_ source: Node) {
    var count = 0
    while !source.isGone, !source.isCancelled, !isBusy(source), case .source(_, .each) = source.effect,
      case .emitting(let call, var backlog) = source.state, !backlog.isEmpty
    {
      let tree = backlog.removeFirst()
      source.state = call < 0 && backlog.isEmpty ? .exhausted : .emitting(call: call, backlog: backlog)
      let child = addHead(tree, under: source, isBoundary: true)
      source.lastEmitted = child
      (standsStill, passTree, time) = (false, nil, now)
      post(child)
      runAgenda()
      count += 1
      if count.isMultiple(of: 2), call >= 0 { delay(call, source) }
    }
  }

  private func endSource(_ node: Node) {
    if node.isCancelled {
      node.state = .exhausted
      settleIfIdle(node)
    } else if case .emitting(_, let backlog) = node.state {
      node.state = backlog.isEmpty ? .exhausted : .emitting(call: -1, backlog: backlog)
      if node.pending == 0 { post(node) }
    }
  }

  private func failSource(_ node: Node, _ failure: Int) {
    endSource(node)
    guard !node.isCancelled, !node.isStopped else { return }
    let failed = addHead(.none, under: node, isAttached: false, isBoundary: true)
    failed.lingers = true
    fail(failed, failure)
  }

  // MARK: Time

  var nextDeadline: Moment? { earliest?.alarm.due }

  private enum Due {
    case node(Node)
    case window(Name)
  }

  private var earliest: (alarm: Node.Alarm, what: Due)? {
    var found: (alarm: Node.Alarm, what: Due)?
    func consider(_ alarm: Node.Alarm, _ what: Due) {
      if let found, (found.alarm.due, found.alarm.sequence) < (alarm.due, alarm.sequence) { return }
      found = (alarm, what)
    }
    for root in roots { root.visit { node in if let alarm = node.alarm { consider(alarm, .node(node)) } } }
    for (name, alarm) in windows { consider(alarm, .window(name)) }
    return found
  }

  func alarm(after span: Int64) -> Node.Alarm { Node.Alarm(due: time.advanced(by: span), sequence: next()) }

  private func fire() {
    guard let (alarm, what) = earliest, alarm.due <= now else { return }
    time = alarm.due
    switch what {
    case .window(let name):
      endWindow(of: name)
    case .node(let node):
      ring(node, alarm)
    }
  }

  private func ring(_ node: Node, _ alarm: Node.Alarm) {
    switch (node.state, node.effect) {
    case (.sleeping, _):
      node.state = .wrapping
      post(node)
    case (.bounding, .timeout(_, _, let otherwise)):
      node.state = .wrapping
      let length = agenda.count
      cancelAttachedChildren(of: node)
      awaitBarrier()
      node.endsEarly = false
      post(addHead(otherwise, under: node), behind: length)
    case (.backingOff, _):
      beginAttempt(of: node)
    case (.ticking(let index, _), .timer(let interval, let tree)):
      let missed = alarm.due.distance(to: now) / interval
      let due = alarm.due.advanced(by: missed * interval)
      node.state = .ticking(
        index: index + missed + 1, Node.Alarm(due: due.advanced(by: interval), sequence: next()))
      let call = addCall(node, .tick(tree, due: due))
      outputs.append(.tick(call: call, index: index + missed, missed: missed, due: due.nanoseconds))
    default:
      break
    }
  }

  // MARK: Nodes

  func post(_ node: Node) { post(node, behind: agenda.count) }

  /// Inserts the node behind everything that was posted since the agenda had this length.
  func post(_ node: Node, behind length: Int) {
    guard !node.isPosted else { return }
    node.isPosted = true
    agenda.insert(node, at: length)
  }

  func addInPath(_ tree: Tree, under parent: Node) -> Node {
    add(Node(tree, parent: parent, isAttached: true, isHead: false))
  }

  func addHead(_ tree: Tree, under parent: Node, isAttached: Bool = true, isBoundary: Bool = false) -> Node {
    let node = add(Node(tree, parent: parent, isAttached: isAttached, isHead: true))
    node.isBoundary = isBoundary
    return node
  }

  private func add(_ node: Node) -> Node {
    node.place = next()
    node.parent!.children.append(node)
    return node
  }

  func addDetached(_ node: Node) -> Node {
    let detached = addHead(node.effect, under: node.boundary, isAttached: false, isBoundary: true)
    detached.lingers = true
    detached.handledBy = handler(from: node, upTo: detached.parent!)
    return detached
  }

  func addCall(_ node: Node, _ call: Call) -> Int {
    defer { nextCall += 1 }
    calls[nextCall] = (node, call)
    return nextCall
  }

  func startOperation(_ node: Node, _ number: Int) {
    let call = addCall(node, .operation)
    node.state = .operating(call: call)
    outputs.append(.operate(call: call, number))
  }

  func startAttempt(_ node: Node, _ number: Int) {
    let call = addCall(node, .operation)
    node.state = .operating(call: call)
    outputs.append(.attempt(call: call, number, attempt: node.attempts, after: node.previousFailure))
  }

  func askWhetherToRetry(_ node: Node, _ failure: Int) {
    let call = addCall(node, .decision)
    node.state = .deciding
    outputs.append(.decide(call: call, failure))
  }

  func startSource(_ node: Node, _ number: Int) {
    let call = addCall(node, .source)
    node.state = .emitting(call: call, backlog: [])
    outputs.append(.open(call: call, number))
  }
}
