import AsyncStoreTesting

@testable import AsyncStore

/// Runs a program on real stores, and checks the laws from outside.
///
/// It accepts any order that the laws leave open. It observes only what users can observe: their closures are called,
/// calls return, values are read.
///
/// `@unchecked` because a simulation runs everything on one thread.
final class ProgramRun: @unchecked Sendable {
  let program: StoreProgram
  let witness = ProgramWitness()
  let executor: any TaskExecutor
  var stores: [ProgramStore] = []
  private var subscriptions: [ProgramStore.Subscription] = []

  // The model.
  var isActive = [true, true, true]
  /// The number of times that each store was deactivated.
  var epochs = [0, 0, 0]
  /// The number of barriers so far.
  var barriers = 0
  /// The roots of the received effects, and the named scopes that have begun, which a cancel may have to end.
  var roots: [(lineage: Lineage, handle: EffectHandle?, node: ProgramNode?)] = []
  var scopes: [Lineage] = []
  /// The scopes that were replaced under their name by calls that have not returned.
  ///
  /// They commit nothing more, and know it when the calls return.
  var replaced: [Lineage] = []
  /// The parts that each `cancel` inside a tree will have ended once everything has come to rest.
  var pendingCancels: [[Lineage]] = []
  /// All scopes that have a name, including those that have not begun, and the names that were cancelled.
  var named: [Lineage] = []
  var cancelledNames: Set<ScopeName> = []
  var timers: [Lineage] = []
  var tasks: [ProgramTask] = []
  /// The number of times that each store was activated.
  var activations = [0, 0, 0]
  var shutdowns: [ShutdownRecord] = []
  /// The number of commits of each store that its instrument has not been notified of.
  var untold = [0, 0, 0]
  /// The number of nested delivery callbacks that are running.
  private var callbacks = 0
  var bindings: [BindingRecord] = []
  var tracks: [TrackRecord] = []
  var openTracks: [TrackRecord] = []
  var waits: [WaitRecord] = []
  /// The values of each cell of each store, as they were committed.
  var history: [[[Int]]] = [[[0], [0]], [[0], [0]], [[0], [0]]]
  private var lastNumber = 0
  private var hookCounts: [Int]
  private var events = 0

  // The stack.
  private var base: UInt = 0
  private var nesting = 0
  private(set) var deepest: UInt = 0

  init(
    _ program: StoreProgram, executor: any TaskExecutor,
    makeStore: (ProgramState, (any StoreInstrument)?, @escaping @Sendable (any Error) -> ProgramStore.Effect)
      -> ProgramStore
  ) {
    self.program = program
    self.executor = executor
    hookCounts = program.hooks.map { _ in 0 }
    for name in StoreName.allCases {
      let instrument = program.instrumented.contains(name) ? ProgramInstrument(run: self, store: name) : nil
      let store = makeStore(ProgramState(witness: witness), instrument) { [unowned self] _ in
        opportunity(.mapError, name)
        return .none
      }
      stores.append(store)
      if program.hooks.contains(where: { $0.place == .listener && $0.store == name }) {
        subscriptions.append(store.listen(ProgramListener(run: self, store: name)))
      }
    }
  }

  subscript(name: StoreName) -> ProgramStore { stores[name.rawValue] }

  // MARK: Looking

  /// Records that some part of a lineage happens: a commit, the start of an operation, a call of a closure.
  func happens(_ lineage: Lineage, _ what: String) {
    noteStack()
    events += 1
    if events > 5_000 { witness.report("law 17: it does not come to rest") }
    if lineage.isOver { witness.report("law 7: \(what) after its barrier has returned", in: lineage.store) }
    let (begun, isOutOfOrder) = lineage.happens()
    if isOutOfOrder { witness.report("law 2: \(what) after a later member of its concatenate", in: lineage.store) }
    for scope in begun { noteBeginning(of: scope) }
  }

  func noteBeginning(of scope: Lineage) {
    if scope.kind == .lifted { scopes.append(scope) }
    guard case .named(let name, let policy) = scope.kind else { return }
    if policy == .replace || policy == .replaceAfterCleanup {
      for other in scopes
      where other.name == name && other.store == scope.store && !scope.path.contains(where: { $0 === other }) {
        if case .named(_, .replace) = other.kind {
          other.end(.cancelled)
          replaced.append(other)
        }
      }
      barriers += 1
    }
    scopes.append(scope)
  }

  /// Records that a lineage has begun because the call that begins it has returned.
  func begin(_ lineage: Lineage) {
    guard !lineage.hasBegun, !lineage.isOver else { return }
    for scope in lineage.happens().begun { noteBeginning(of: scope) }
  }

  /// - Parameter chain: the cause of the stack growth, for the report.
  func noteStack(for chain: String = "the program") {
    let here = Self.stackPosition()
    if base > here { deepest = max(deepest, (base - here) / UInt(nesting + 2)) }
    if deepest > Self.stackLimit { witness.report("law 23: the stack grows with \(chain)") }
  }

  /// The most stack that a call into a store may use, for each nested call.
  private static let stackLimit: UInt = 40_000

  func beginStep() { base = Self.stackPosition() }

  @inline(never)
  private static func stackPosition() -> UInt {
    var here = 0
    return withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
  }

  func opportunity(_ place: ProgramHook.Place, _ store: StoreName) {
    noteStack()
    for index in program.hooks.indices {
      let hook = program.hooks[index]
      guard hook.place == place, hook.store == store else { continue }
      hookCounts[index] += 1
      if hookCounts[index] == hook.at + 1 { callBack { perform(hook.then) } }
    }
  }

  /// Runs a callback of a store that is notifying observers and instruments.
  func callBack(_ body: () -> Void) {
    callbacks += 1
    defer { callbacks -= 1 }
    body()
  }

  func freshNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  func write(_ value: Int, to cell: ProgramCell, of store: StoreName, _ state: inout ProgramState) {
    guard state[cell] != value else { return }
    state[cell] = value
    history[store.rawValue][cell.rawValue].append(value)
  }

  // MARK: Doing

  func perform(_ actions: [ProgramAction]) {
    for action in actions { perform(action) }
  }

  func perform(_ action: ProgramAction) {
    guard witness.first == nil else { return }
    nesting += 1
    defer { nesting -= 1 }
    noteDraining()
    switch action {
    case .receive(let store, let effect): receive(effect, in: store)
    case .cancel(let store, let name): cancel(name, of: store)
    case .cancelHandle(let index): cancelHandle(index)
    case .deactivate(let store): deactivate(store)
    case .shutdown(let store, let drain, let cleanup): shutdown(store, drain: drain, cleanup: cleanup)
    case .activate(let store):
      // Before the call, which may tell an instrument of what was waiting to be told.
      activations[store.rawValue] += 1
      isActive[store.rawValue] = true
      self[store].activate()
    case .bind(let plan): bind(plan)
    case .track(let store, let cell, let actions, let onChange): track(store, cell, actions, onChange)
    case .trackElement(let store, let index): trackElement(store, index)
    case .wait(let store, let cell, let remainder, let actions): wait(store, cell, remainder, actions)
    case .waitForElement(let store, let index): waitForElement(store, index)
    case .finish(let index):
      let waiting = tasks.filter { $0.continuation != nil }
      if index < waiting.count { waiting[index].resume() }
    case .advance: break
    }
  }

  private func receive(_ effect: ProgramEffect, in store: StoreName) {
    let root = Lineage(.root, in: store, below: nil)
    if !isActive[store.rawValue] { root.end(.refused) }
    let (effect, node) = compile(effect, below: root)
    let (place, before) = (roots.count, barriers)
    let (passed, earlier, known) = (pendingCancels.count, replaced.count, named.count)
    if callbacks == 0 { node.watch() }
    roots.append((root, nil, node))
    let handle = self[store].receive(effect)
    roots[place].handle = handle
    begin(root)
    let hadBarriers = barriers != before || pendingCancels.count != passed
    passCancels(from: passed)
    _ = checkPrefix(of: node, hadBarriers: hadBarriers, known: known)
    passReplaced(from: earlier)
    checkCancelled()
  }

  /// Records that the `cancel`s inside a tree have taken effect, because the call that reached them has returned.
  func passCancels(from first: Int) {
    guard first < pendingCancels.count else { return }
    for lineage in pendingCancels[first...].joined() { lineage.end(.cancelled, isKnown: true) }
    pendingCancels.removeSubrange(first...)
    barriers += 1
  }

  func passReplaced(from first: Int) {
    guard first < replaced.count else { return }
    for lineage in replaced[first...] { lineage.isKnownOver = true }
    replaced.removeSubrange(first...)
  }

  private func cancel(_ name: Int, of store: StoreName) {
    cancelledNames.insert(ScopeName(store: store, id: name))
    // A draining store receives only cancels.
    let isTaken = isActive[store.rawValue] || self[store].phase == .draining
    let ended = isTaken ? scopes.filter { $0.name == name && $0.store == store } : []
    barrier(ended, .cancelled) { _ = self[store].receive(.cancel(name)) }
  }

  private func cancelHandle(_ index: Int) {
    guard index < roots.count, let handle = roots[index].handle else { return }
    barrier([roots[index].lineage], .cancelled) { handle.cancel() }
  }

  func deactivate(_ store: StoreName) {
    let ended = lineages(of: store)
    isActive[store.rawValue] = false
    epochs[store.rawValue] += 1
    barrier(ended, .deactivated) { self[store].deactivate() }
  }

  /// The received effects and the scopes of a store, which something may end.
  func lineages(of store: StoreName) -> [Lineage] { (scopes + roots.map(\.lineage)).filter { $0.store == store } }

  func barrier(_ lineages: [Lineage], _ bar: Lineage.Bar, _ call: () -> Void) {
    call()
    for lineage in lineages { lineage.end(bar, isKnown: true) }
    barriers += 1
    checkCancelled()
  }

  /// Laws 7 and 8: the operations that a barrier has ended know it when the barrier returns.
  func checkCancelled() {
    for task in tasks where !task.isCancelled && task.node.lineage.mustKnow {
      let place = task.node.lineage.isLifted ? "a lifted operation" : "an operation"
      witness.report("law 7: a barrier has returned, and \(place) is not cancelled", in: task.node.lineage.store)
    }
  }
}

/// An identifier of a store.
struct ScopeName: Hashable {
  let store: StoreName
  let id: Int
}

/// `@unchecked`: see ``ProgramRun``.
private final class ProgramInstrument: StoreInstrument, @unchecked Sendable {
  private unowned let run: ProgramRun
  private let store: StoreName
  init(run: ProgramRun, store: StoreName) { (self.run, self.store) = (run, store) }
  func record(_ event: InstrumentEvent) {
    run.untold[store.rawValue] = 0
    run.opportunity(.instrument, store)
  }
}

/// `@unchecked`: see ``ProgramRun``.
private final class ProgramListener: CommitListener, @unchecked Sendable {
  private unowned let run: ProgramRun
  private let store: StoreName
  init(run: ProgramRun, store: StoreName) { (self.run, self.store) = (run, store) }
  func committed(_ state: ProgramState) -> Bool { true }
  func deliver() { run.opportunity(.listener, store) }
}
