@testable import AsyncStore

extension ReferenceModel {
  // MARK: Scopes by name

  func holders(_ name: Name) -> [Node] {
    scopes.filter { $0.name == name && $0.isHolder && !$0.isCancelled }.sorted { $0.ticket < $1.ticket }
  }

  func waiting(_ name: Name) -> [Node] {
    scopes.filter { node in
      guard node.name == name, !node.isCancelled, case .queued = node.state else { return false }
      return true
    }.sorted { $0.ticket < $1.ticket }
  }

  private func parked(_ name: Name) -> Node? {
    scopes.first { node in
      guard node.name == name, !node.isCancelled, case .parked = node.state else { return false }
      return true
    }
  }

  private func active(_ name: Name) -> Int { holders(name).reduce(0) { $0 + ($1.isSettled ? 0 : 1) } }
  private func isCleaningUp(_ name: Name) -> Bool {
    scopes.contains { $0.name == name && $0.isHolder && $0.isCancelled && !$0.isGone }
  }

  /// Returns the number of taken places.
  ///
  /// A cancelled holder keeps its place until it is gone.
  private func taken(_ name: Name) -> Int {
    active(name) + scopes.count { $0.name == name && $0.isHolder && $0.isCancelled && !$0.isGone }
  }

  private func isIdle(_ name: Name) -> Bool {
    active(name) == 0 && !isCleaningUp(name) && waiting(name).isEmpty && parked(name) == nil
  }

  private func isUsed(_ name: Name) -> Bool { windows[name] != nil || !isIdle(name) || !holders(name).isEmpty }

  private func use(_ name: Name) {
    useOrder.removeAll { !isUsed($0) }
    if !useOrder.contains(name) { useOrder.append(name) }
  }

  private func names(selectedBy selection: Selection<Name>) -> [Name] {
    switch selection {
    case .identifiers(let names): names.filter { isUsed($0) }
    case .prefix(let prefix): useOrder.filter { $0.isUnder(prefix) && isUsed($0) }
    case .all: useOrder.filter { isUsed($0) }
    }
  }

  /// Returns the outermost living scope of this name that encloses the node.
  private func enclosingHolder(of node: Node, _ name: Name) -> Node? {
    var found: Node?
    var current: Node? = node.parent
    while let ancestor = current {
      if ancestor.name == name, ancestor.isHolder, !ancestor.isCancelled { found = ancestor }
      current = ancestor.parent
    }
    return found
  }

  // MARK: Cancelling by name

  func cancel(_ selection: Selection<Name>) {
    var nodes: [Node] = []
    for name in names(selectedBy: selection) {
      windows[name] = nil
      markAll(under: name, &nodes)
    }
    settleCancelled(nodes)
    awaitBarrier()
  }

  private func cancelAll(under name: Name) {
    var nodes: [Node] = []
    markAll(under: name, &nodes)
    settleCancelled(nodes)
    awaitBarrier()
  }

  private func markAll(under name: Name, _ nodes: inout [Node]) {
    while let node = waiting(name).first { markScope(node, &nodes) }
    if let node = parked(name) { markScope(node, &nodes) }
    while let node = holders(name).first { markScope(node, &nodes) }
  }

  /// Marks the whole path of a scope that ends its path.
  ///
  /// A root is only noted to end cancelled.
  private func markScope(_ node: Node, _ nodes: inout [Node]) {
    let top = placeHolder(of: node)
    if !node.isSettled, standsForRoot(node, top), !top.hasSuccessor { node.root.endsCancelled = true }
    mark(top, &nodes)
    top.endsEarly = true
  }

  private func standsForRoot(_ node: Node, _ top: Node) -> Bool {
    top.standsForRoot || top.parent?.isRoot == true && node.carrier?.isRoot == true
  }

  private func placeHolder(of node: Node) -> Node {
    guard let carrier = node.carrier, !node.isSettled else { return node }
    guard carrier.isRoot else { return carrier }
    var top = node
    while top.parent !== carrier { top = top.parent! }
    return top
  }

  // MARK: Beginning

  func beginScope(_ node: Node, _ name: Name, _ policy: ScopePolicy, _ body: Tree) {
    use(name)
    switch policy {
    case .replace, .replaceAfterCleanup:
      // The newest effect under the name begins before others replace it.
      if let newest = holders(name).first?.children.first, case .unbegun = newest.state, !newest.replacesLater,
        waitForBeginning(of: newest, node)
      {
        return
      }
      node.replacesLater = false
      let mayWait = policy == .replaceAfterCleanup && !isInsideCleanup(node, of: name)
      let holder = enclosingHolder(of: node, name)
      let successor = holder.map { makeSuccessor(of: $0, from: node) } ?? node
      let length = agenda.count
      replacing = name
      cancelAll(under: name)
      replacing = nil
      use(name)
      if mayWait, isCleaningUp(name) {
        wait(successor, name, .queued(width: nil))
      } else {
        open(successor, name, body, behind: length)
      }
      // A cleanup is not part of the scope that it cleans up after, and continues.
      if successor !== node, !node.isCancelled { end(node) }
    case .keepFirst:
      let isFree =
        holders(name).isEmpty && waiting(name).isEmpty && parked(name) == nil && !isCleaningUp(name)
      if isFree { open(node, name, body) } else { drop(node) }
    case .queue(let width, let capacity):
      let line = waiting(name)
      let beginning = line.prefix(while: { mayBegin($0, in: line) }).count
      let isFull = taken(name) + beginning >= width
      if line.isEmpty && !isFull || enclosingHolder(of: node, name) != nil || isInsideCleanup(node, of: name) {
        open(node, name, body)
      } else if line.count - beginning < capacity || line.count == beginning && !isFull {
        wait(node, name, .queued(width: width))
      } else {
        drop(node)
      }
    }
  }

  /// Makes the successor of a scope, for an effect under the scope's own name that begins inside of it.
  ///
  /// The effect continues in the scope's place.
  private func makeSuccessor(of holder: Node, from node: Node) -> Node {
    let top = placeHolder(of: holder)
    let successor = addHead(node.effect, under: top.parent!, isAttached: top.isAttached, isBoundary: true)
    successor.lingers = true
    successor.isEntrant = top.isEntrant
    successor.isApart = top.isApart
    top.isApart = true
    successor.standsForRoot = standsForRoot(holder, top)
    top.hasSuccessor = true
    successor.handledBy = handler(from: node, upTo: top.parent!, outside: top)
    // An answer of the store's handler goes past every recovery, and no further.
    if case .store = successor.handledBy { successor.handledBy = outermostRecovery(around: top).map { .recovery($0) } }
    successor.failsPastAttempts = top.failsPastAttempts
    successor.cleansUp = top.cleansUp
    if let origin = top.origin, !top.isSettled {
      successor.origin = origin
      cleanups.append(successor)
    }
    successor.state = .wrapping
    return addInPath(node.effect, under: successor)
  }

  private func outermostRecovery(around node: Node) -> Node? {
    var (outermost, current) = (nil as Node?, node.parent)
    while let ancestor = current {
      if ancestor.isRecovery { outermost = ancestor }
      current = ancestor.parent
    }
    return outermost
  }

  private func register(_ node: Node, _ name: Name) {
    let isEndOfPath = endsPath(node) && !node.runner.hasRun
    if isAllOfScope(node), !node.runner.hasRun { node.standsForRoot = true }
    node.runner.hasRun = true
    node.name = name
    node.ticket = next()
    scopes.append(node)
    if isEndOfPath {
      node.carrier = node.head
      if node.head.isRoot {
        node.isBelowRoot = true
        placeHolder(of: node).isBelowRoot = true
      }
    } else {
      node.isHead = true
      node.carrier = node
    }
  }

  private func open(_ node: Node, _ name: Name, _ body: Tree, behind length: Int? = nil) {
    if node.name == nil { register(node, name) }
    node.ticket = next()
    node.isHolder = true
    node.isBoundary = true
    node.lingers = true
    node.state = .wrapping
    post(addInPath(body, under: node), behind: length ?? agenda.count)
  }

  private func wait(_ node: Node, _ name: Name, _ state: Node.State) {
    register(node, name)
    node.state = state
    if case .queued = state { breakCycles(of: [node], name) }
  }

  /// Returns whether nothing follows the scope on its path, and nothing branches off from the path.
  private func endsPath(_ node: Node) -> Bool {
    var current = node
    while !current.isHead {
      let parent = current.parent!
      if parent.name != nil || parent.isRecovery || parent.children.count > 1 { return false }
      current = parent
    }
    return !node.hasMoreToDo
  }

  /// Returns whether the scope is all that there is of a scope around it, which is all of its tree.
  private func isAllOfScope(_ node: Node) -> Bool {
    guard !node.hasMoreToDo else { return false }
    var current = node
    while let parent = current.parent, !parent.isRecovery, parent.children.count == 1 {
      if parent.name != nil { return standsForRoot(parent, placeHolder(of: parent)) }
      if current.isHead { return false }
      current = parent
    }
    return false
  }

  private func drop(_ node: Node) {
    if node.head.isRoot || node.head.standsForRoot, !node.runner.hasRun { node.root.isDropped = true }
    (node.endsEarly, node.completion) = (true, .never)
    settle(node)
  }

  // MARK: Ending

  /// Has the first in line begin if there is a place for it, and notifies the joins.
  func serve(_ name: Name) {
    let line = waiting(name)
    if let first = line.first {
      if mayBegin(first, in: line) { post(first) }
      newlyAwaited.append(first)
    }
    if name != replacing, isIdle(name) { notifyJoiners(of: name) }
  }

  /// Begins a scope that stands in line, if it is still the first and its place still free; then it is the next one's
  /// turn.
  func leaveLine(_ node: Node) {
    guard case .scope(let name, _, let body) = node.effect, case let line = waiting(name), line.first === node,
      mayBegin(node, in: line)
    else { return }
    node.isHolder = true
    node.isBoundary = true
    node.lingers = true
    node.ticket = next()
    node.state = .wrapping
    serve(name)
    post(addInPath(body, under: node))
  }

  /// Returns whether there is a place for a scope in line once all before it have theirs.
  private func mayBegin(_ node: Node, in line: [Node]) -> Bool {
    guard case .queued(let width) = node.state, let name = node.name else { return false }
    let others = line.prefix { $0 !== node }.count
    return if let width { taken(name) + others < width } else { !isCleaningUp(name) }
  }

  func beginJoin(_ node: Node, _ selection: Selection<Name>) {
    let names = names(selectedBy: selection).filter {
      !isIdle($0) && enclosingHolder(of: node, $0) == nil && !isInsideCleanup(node, of: $0)
    }
    let endless = endless(names, joinedBy: node)
    for _ in Set(endless) { outputs.append(.cycle) }
    let awaited = Set(names).subtracting(endless)
    if awaited.isEmpty { return settle(node) }
    node.state = .joining(awaited)
    node.ticket = next()
  }

  private func notifyJoiners(of name: Name) {
    var joiners: [Node] = []
    for root in roots {
      root.visit { node in
        if !node.isCancelled, case .joining(let names) = node.state, names.contains(name) { joiners.append(node) }
      }
    }
    for node in joiners.sorted(by: { $0.ticket > $1.ticket }) { endWait(of: node, for: name) }
  }

  func endWait(of node: Node, for name: Name) {
    guard case .joining(var names) = node.state else { return }
    names.remove(name)
    node.state = names.isEmpty ? .wrapping : .joining(names)
    if names.isEmpty { post(node) }
  }

  // MARK: Throttling

  func beginThrottle(
    _ node: Node, _ name: Name, _ span: Int64, leading: Bool, trailing: Bool, _ body: Tree
  ) {
    use(name)
    guard span > 0 else { return open(node, name, body) }
    if windows[name] == nil {
      windows[name] = alarm(after: span)
      if leading { return open(node, name, body) }
    } else if !trailing {
      return drop(node)
    }
    let earlier = parked(name)
    wait(node, name, .parked)
    guard let earlier else { return }
    var nodes: [Node] = []
    markScope(earlier, &nodes)
    settleCancelled(nodes)
  }

  func endWindow(of name: Name) {
    guard windows[name] != nil else { return }
    guard let node = parked(name), case .throttle(_, let span, _, _, let body) = node.effect else {
      windows[name] = nil
      return
    }
    windows[name] = alarm(after: span)
    open(node, name, body)
  }
}
