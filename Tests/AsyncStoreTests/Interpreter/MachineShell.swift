@testable import AsyncStore

/// An event from outside of the machine.
///
/// Calls (operations, sources, handlers and ticks in flight) are numbered in the order in which they began.
enum TestEvent: Equatable, Sendable {
  case begin(Tree, Int)
  case finish(Int, Tree)
  case fail(Int, Int)
  /// The answer of the store's own error handler. The answer of a `recover` is part of its tree.
  case answer(Int, Tree)
  /// The decision whether a failed attempt is followed by another one.
  case decide(Int, Bool)
  case tick(Int)
  case emit(Int, Tree)
  /// A part of what a source has emitted goes on later.
  case delay(Int)
  /// Such a part has ended, the first one.
  case resume(Int)
  case end(Int)
  /// A lifted effect has settled in the other store. If it is not over, something of it is left there.
  case settleLift(Int, LiftEnding, isOver: Bool)
  /// Nothing of a lifted effect is left in the other store.
  case endLift(Int)
  /// The earliest deadline fires, late by this amount.
  case fire(late: Int64)
  case cancel(Selection<Name>)
  case cancelTree(Int)
  case cancelAll
  /// The events of a shutdown, in order.
  case drain, cancelAllSparingCleanup, endDraining
  /// The store shuts down that has lifted the tree, or is activated again.
  case drainTree(Int), endDrainingTree(Int)
  /// A pass goes on that has stood still, by its place among these, the oldest first.
  case continuePass(Int)
  /// A look at what is in flight, of which nothing follows.
  case look
  /// The barriers of the cancels so far have reached the other stores.
  case arrive
  case turn
}

struct TestStep: Equatable {
  var event: TestEvent
  var mayCommit = true
}

/// An effect of one event that an outside observer sees.
enum Output: Equatable, Sendable {
  case commit(Int)
  case operate(call: Int, Int)
  case attempt(call: Int, Int, attempt: Int, after: Int?)
  case decide(call: Int, Int)
  case open(call: Int, Int)
  case handle(call: Int, Int, byRecover: Bool)
  case tick(call: Int, index: Int64, missed: Int64, due: Int64)
  case requestTurn
  // The order of the following cases within one event doesn't matter.
  case cancel(call: Int)
  case drain(call: Int)
  /// A tree has completed if it has finished, unless the ending for a lift says otherwise.
  case settled(Int, TestEnding, LiftEnding? = nil)
  case cycle

  /// The rank for sorting, or `nil` if the order matters.
  var rank: (Int, Int)? {
    switch self {
    case .cancel(let call): (0, call)
    case .settled(let context, _, _): (1, context)
    case .cycle: (2, 0)
    case .drain(let call): (3, call)
    default: nil
    }
  }
}

extension Pass {
  /// The directives, of which the pass keeps none.
  mutating func takeDirectives() -> [Directive<P>] {
    defer { directives = UniqueArray() }
    return (0..<directives.count).map { directives[$0] }
  }
}

enum TestEnding: Equatable, Sendable {
  case finished, failed(Int), cancelled, dropped
}

extension LiftEnding {
  func unlessUsual(for ending: TestEnding) -> LiftEnding? {
    self == (ending == .finished ? .completed : .incomplete) ? nil : self
  }
}

extension [Output] {
  /// The outputs with cancels and endings sorted behind the rest.
  var normalised: [Output] {
    filter { $0.rank == nil } + filter { $0.rank != nil }.sorted { $0.rank! < $1.rank! }
  }
}

/// A shell for the machine with virtual time.
///
/// The test decides which event comes next.
struct MachineShell: ~Copyable {
  enum Call: Equatable {
    case operation, source, lift
    /// The part of a lifted effect that is left in the other store.
    case remains
    case handler(Tree?)
    case decision
    case tick(Tree, due: Moment)
  }

  private(set) var machine: Machine<TestProgram>
  private(set) var now: Moment = .zero
  private(set) var calls: [Int: (fiber: FiberID, call: Call)] = [:]
  /// The parts of emissions that go on later, by the source's call.
  private(set) var delayed: [Int: [(source: FiberID, child: FiberID)]] = [:]
  /// The fiber of each source's last effect.
  private var lastEmitted: [FiberID: FiberID] = [:]
  /// The sources of which effects have waited that may begin now.
  private var continued: [FiberID] = []
  private(set) var commits: [Int] = []
  private(set) var endings: [Int: TestEnding] = [:]
  /// The machine's answers to the last event.
  private(set) var directives: [Directive<TestProgram>] = []
  private(set) var outputs: [Output] = []
  private(set) var cycles: [[Name]] = []
  private(set) var wantsTurn = false
  /// The number of times that the lock would have been released.
  private(set) var suspensionCount = 0
  /// The passes that stand still until an event says that they go on.
  private(set) var standing: [Suspension] = []
  /// The number of living parts of each tree that has settled or been cancelled.
  private(set) var lingering: [Int: Int] = [:]
  private var roots: [Int: FiberID] = [:]
  private var callOfFiber: [FiberID: Int] = [:]
  /// The operations that were begun in folded fibers, for which there are no fast paths.
  private var foldedCalls: Set<Int> = []
  private var nextCall = 0
  /// True if commits may happen in the step that is being performed.
  private var mayCommit = true

  private let stepLimit: Int32
  private let holdsPasses: Bool

  /// - Parameters:
  ///   - stepLimit: the number of steps before the lock would be released.
  ///   - holdsPasses: true if other events happen while a pass waits for other stores.
  init(isTraced: Bool = false, mapsErrors: Bool = true, stepLimit: Int32 = 1024, holdsPasses: Bool = false) {
    (self.stepLimit, self.holdsPasses) = (stepLimit, holdsPasses)
    machine = Machine(
      seed: 1, MachineOptions(mapsErrors: mapsErrors, traced: isTraced ? .all : [], foldsOperations: !isTraced))
  }

  var nextDeadline: Moment? { machine.deadlines.earliest }
  /// True if the search for the oldest unsettled tree finds the one that a look at all trees finds.
  var findsOldestUnsettled: Bool {
    mutating get {
      let found = machine.findOldestUnsettled()
      var root = machine.fibers.firstRoot
      while root.exists, machine.isPassed(root) { root = machine.fibers[root].next }
      return found == (root.exists ? machine.fibers[root].begun : nil)
    }
  }
  var running: [Int] { calls.keys.sorted() }
  /// True once an effect has been lifted.
  private(set) var hasLifted = false

  /// Returns whether the event can happen now.
  func allows(_ event: TestEvent) -> Bool {
    switch event {
    case .begin, .cancel, .cancelAll, .drain, .cancelAllSparingCleanup, .endDraining, .look: return true
    case .finish(let call, _): return calls[call]?.call == .operation
    case .fail(let call, _): return calls[call]?.call == .operation || calls[call]?.call == .source
    case .answer(let call, _): if case .handler = calls[call]?.call { return true } else { return false }
    case .decide(let call, _): return calls[call]?.call == .decision
    case .tick(let call): if case .tick = calls[call]?.call { return true } else { return false }
    case .emit(let call, _), .delay(let call), .end(let call): return calls[call]?.call == .source
    case .settleLift(let call, _, _): return calls[call]?.call == .lift
    case .endLift(let call): return calls[call]?.call == .remains
    case .resume(let call): return delayed[call] != nil
    case .fire: return nextDeadline != nil
    case .cancelTree(let context), .drainTree(let context), .endDrainingTree(let context): return roots[context] != nil
    case .continuePass(let index): return index < standing.count
    case .arrive: return machine.isSpreadingBarrier
    case .turn: return wantsTurn
    }
  }

  mutating func perform(_ step: TestStep) {
    directives = []
    outputs = []
    mayCommit = step.mayCommit
    if case .fire(let late) = step.event, let deadline = nextDeadline { now = max(now, deadline.advanced(by: late)) }
    send(step.event)
    while !continued.isEmpty { continueEmissions(of: continued.removeFirst()) }
    if step.event == .turn { while !machine.turns.isEmpty { send(.turn) } }
  }

  private mutating func send(_ event: TestEvent) {
    var pass = makePass()
    // Also for what happens after the pass has stood still.
    _ = pass.now()
    send(event, &pass)
    finish(&pass)
  }

  private func makePass() -> Pass<TestProgram> {
    let now = self.now
    var pass = Pass<TestProgram>(stepLimit: stepLimit) { now }
    pass.mayCommit = mayCommit
    return pass
  }

  /// Begins the effects of a source that have waited; every other one has a part that goes on later.
  private mutating func continueEmissions(of source: FiberID) {
    var count = 0
    while true {
      var pass = makePass()
      guard let child = machine.emissionsContinued(source, &pass) else { return }
      lastEmitted[source] = child
      finish(&pass)
      count += 1
      if count.isMultiple(of: 2), let call = callOfFiber[source] { delay(call, source) }
    }
  }

  private mutating func delay(_ call: Int, _ source: FiberID) {
    guard let child = lastEmitted[source] else { return }
    machine.emissionDelayed(source, by: child)
    delayed[call, default: []].append((source, child))
  }

  private mutating func finish(_ pass: inout Pass<TestProgram>) {
    answer(&pass)
    while !machine.ready.isEmpty {
      suspensionCount += 1
      let suspension = machine.suspend(pass)
      if suspension.resumption.awaitsOthers {
        if holdsPasses { return standing.append(suspension) }
        // The barriers have reached the other stores.
        machine.barrierArrived()
      }
      pass.directives = UniqueArray()
      machine.resume(suspension, &pass)
      answer(&pass)
    }
  }

  @discardableResult
  mutating func callAsFunction(_ event: TestEvent) -> [Directive<TestProgram>] {
    perform(TestStep(event: event))
    return directives
  }

  private mutating func send(_ event: TestEvent, _ pass: inout Pass<TestProgram>) {
    switch event {
    case .begin(let tree, let context) where context.isMultiple(of: 2) && tree.isOperation:
      // The fast path, which must have the same result as the slow one; so have those below.
      let program = TestProgram(tree)
      if let root = machine.operationReceived(program, context: context, &pass) {
        roots[context] = root
        pass.directives.append(.operate(root, Site(program: program, index: 0)))
      } else {
        roots[context] = machine.received(program, context: context, &pass)
      }
    case .begin(let tree, let context):
      let origin = machine.options.isTraced ? context : nil
      roots[context] = machine.received(TestProgram(tree), context: context, from: origin, &pass)
    case .finish(let call, let tree) where call.isMultiple(of: 2) && tree.mayGoOn:
      let mayBeFast = !foldedCalls.contains(call)
      let fiber = remove(call)
      var exchanged = tree == .none ? nil : TestProgram(tree)
      if mayBeFast, let next = machine.operationFollowed(fiber, with: &exchanged) {
        pass.directives.append(.operate(fiber, Site(program: next, index: 0)))
      } else if mayBeFast, tree == .none, let context = machine.lastOperationFinished(fiber, releasing: &exchanged) {
        pass.directives.append(.settle(context, .finished, .completed))
      } else {
        machine.operationFinished(fiber, tree == .none ? nil : TestProgram(tree), &pass)
      }
    case .finish(let call, let tree):
      machine.operationFinished(remove(call), TestProgram(tree), &pass)
    case .fail(let call, let failure):
      if calls[call]?.call == .source {
        machine.sourceFailed(remove(call), failure, &pass)
      } else {
        machine.operationFailed(remove(call), failure, &pass)
      }
    case .answer(let call, let tree):
      guard let (fiber, kind) = calls[call], case .handler(let own) = kind else { return }
      calls[call] = nil
      machine.handled(fiber, TestProgram(own ?? tree), &pass)
    case .decide(let call, let triesAgain):
      machine.decided(remove(call), triesAgain: triesAgain, &pass)
    case .tick(let call):
      guard let (fiber, kind) = calls[call], case .tick(let tree, let due) = kind else { return }
      calls[call] = nil
      machine.ticked(fiber, TestProgram(tree), due: due, &pass)
    case .emit(let call, let tree):
      guard let fiber = calls[call]?.fiber else { return }
      if let child = machine.emitted(fiber, TestProgram(tree), &pass) { lastEmitted[fiber] = child }
    case .delay(let call):
      if let fiber = calls[call]?.fiber { delay(call, fiber) }
    case .resume(let call):
      guard let (source, child) = delayed[call]?.removeFirst() else { return }
      if delayed[call]?.isEmpty == true { delayed[call] = nil }
      if machine.emissionEnded(source, of: child) { continued.append(source) }
    case .end(let call):
      machine.sourceEnded(remove(call), &pass)
    case .settleLift(let call, let ending, let isOver):
      settleLift(call, ending, isOver: isOver, &pass)
    case .endLift(let call):
      machine.liftEnded(remove(call), &pass)
    case .fire:
      _ = machine.timePassed(to: now, &pass)
    case .cancel(let selection):
      machine.cancelled(selection, &pass)
    case .cancelTree(let context):
      if let root = roots[context] { machine.treeCancelled(root, &pass) }
    case .cancelAll:
      machine.allCancelled(&pass)
    case .drain:
      machine.drainingBegan(&pass)
    case .cancelAllSparingCleanup:
      machine.allCancelledSparingCleanup(&pass)
    case .endDraining:
      machine.drainingEnded(&pass)
    case .drainTree(let context):
      if let root = roots[context] { machine.treeDrainingBegan(root, &pass) }
    case .endDrainingTree(let context):
      if let root = roots[context] { machine.treeDrainingEnded(root, &pass) }
    case .continuePass(let index):
      machine.resume(standing.remove(at: index), &pass)
    case .look:
      machine.unfoldAll(&pass)
    case .arrive:
      machine.barrierArrived()
    case .turn:
      wantsTurn = false
      machine.turnCame(&pass)
    }
  }

  private mutating func settleLift(
    _ call: Int, _ ending: LiftEnding, isOver: Bool, _ pass: inout Pass<TestProgram>
  ) {
    guard let fiber = calls[call]?.fiber else { return }
    if !isOver {
      guard let standIn = machine.leaveDetached(fiber, &pass) else {
        // It waits for what is left.
        machine.noteLiftEnding(ending, of: fiber)
        calls[call]?.call = .remains
        return
      }
      // Known before the pass's directives are carried out.
      callOfFiber[standIn] = add(standIn, .remains)
    }
    machine.liftSettled(remove(call), ending, &pass)
  }

  private mutating func remove(_ call: Int) -> FiberID {
    let fiber = calls.removeValue(forKey: call)!.fiber
    callOfFiber[fiber] = nil
    return fiber
  }

  private mutating func answer(_ pass: inout Pass<TestProgram>) {
    var position = 0
    while position < pass.directives.count {
      let directive = pass.directives[position]
      position += 1
      directives.append(directive)
      switch directive {
      case .commit(_, let site, let count):
        for index in site.index..<(site.index + Int(count)) {
          if case .commit(let number) = site.program.tree(at: index) { commit(number) }
        }
      case .evaluate(let fiber, let site):
        guard case .evaluate(let number, let tree) = site.tree else { continue }
        commit(number)
        machine.evaluated(fiber, TestProgram(tree), &pass)
      case .follow: break
      case .transfer(let fiber, let new):
        // Else it has just ended.
        guard let call = callOfFiber[fiber] else { continue }
        (callOfFiber[fiber], callOfFiber[new]) = (nil, call)
        calls[call]?.fiber = new
      case .operate(let fiber, let site):
        var kind = Call.operation
        if case .lift = site.tree { (kind, hasLifted) = (.lift, true) }
        let call = add(fiber, kind)
        callOfFiber[fiber] = call
        if machine.isFolded(fiber.slot) { foldedCalls.insert(call) }
        switch site.tree {
        case .lift(let number): outputs.append(.operate(call: call, number))
        case .operate(let number): outputs.append(.operate(call: call, number))
        case .attempts(_, _, let number):
          let attempt = machine.attempt(of: fiber)
          outputs.append(
            .attempt(call: call, number, attempt: attempt?.number ?? 0, after: attempt?.previousFailure))
        default: break
        }
      case .open(let fiber, let site):
        let call = add(fiber, .source)
        callOfFiber[fiber] = call
        if case .source(let number, _) = site.tree { outputs.append(.open(call: call, number)) }
      case .cancel(let fiber):
        outputs.append(.cancel(call: callOfFiber[fiber] ?? -1))
      case .drain(let fiber):
        outputs.append(.drain(call: callOfFiber[fiber] ?? -1))
      case .tick(let fiber, let tick):
        guard case .timer(_, let tree) = machine.site(of: fiber)?.tree else {
          preconditionFailure("what ticks is no timer")
        }
        let call = add(fiber, .tick(tree, due: tick.due))
        outputs.append(.tick(call: call, index: tick.index, missed: tick.missed, due: tick.due.nanoseconds))
      case .handle(let fiber, let handler, let failure):
        var own: Tree?
        if case .recover(_, let answer) = handler?.tree(at: 0) { own = answer }
        outputs.append(.handle(call: add(fiber, .handler(own)), failure, byRecover: own != nil))
      case .decide(let fiber, _, let failure):
        outputs.append(.decide(call: add(fiber, .decision), failure))
      case .settle(let context, let ending, let isOver, let liftEnding):
        endings[context] = TestEnding(ending)
        if !isOver { lingering[context, default: 0] += 1 }
        outputs.append(.settled(context, TestEnding(ending), liftEnding.unlessUsual(for: TestEnding(ending))))
      case .addRoot(let context):
        lingering[context, default: 0] += 1
      case .end(let context):
        precondition(lingering[context, default: 0] > 0, "tree \(context) is over twice, or before it has settled")
        lingering[context] = lingering[context] == 1 ? nil : lingering[context]! - 1
      case .awaitTurn(_, let isFirst):
        guard isFirst else { break }
        wantsTurn = true
        outputs.append(.requestTurn)
      case .reportCycle(let names):
        cycles.append(names)
        outputs.append(.cycle)
      case .trace:
        break
      }
    }
  }

  private mutating func commit(_ number: Int) {
    commits.append(number)
    outputs.append(.commit(number))
  }

  private mutating func add(_ fiber: FiberID, _ call: Call) -> Int {
    defer { nextCall += 1 }
    calls[nextCall] = (fiber, call)
    return nextCall
  }
}

extension TestEnding {
  init(_ ending: Ending<Int>) {
    switch ending {
    case .finished: self = .finished
    case .failed(let failure): self = .failed(failure)
    case .cancelled: self = .cancelled
    case .dropped: self = .dropped
    }
  }
}

extension Tree {
  fileprivate var isOperation: Bool { if case .operate = self { true } else { false } }

  /// True if an operation may return this tree on the fast path.
  fileprivate var mayGoOn: Bool {
    switch self {
    case .none, .operate: true
    default: false
    }
  }
}
