@testable import AsyncStore

/// One effect of a running tree in the reference model.
///
/// Unlike the machine, the model has a node for every effect, and derives what is active, pending or due by walking the
/// tree instead of keeping count.
final class ReferenceNode {
  struct Alarm {
    var due: Moment
    var sequence: Int
  }

  enum Handler {
    case store
    case recovery(ReferenceNode)
  }

  enum State {
    case unbegun
    /// Waits for its children and settles with them.
    case wrapping
    case sequence(next: Int)
    case merging(next: Int)
    case racing(next: Int, isWon: Bool)
    case operating(call: Int)
    case handling(ReferenceNode?, late: Bool)
    case answering(Tree, Handler)
    case sleeping(Alarm)
    case bounding(Alarm)
    case retrying
    case deciding
    case backingOff(Alarm)
    case finalizing
    /// A sequence: which member is next.
    case ordered(next: Int)
    /// A sequence that has failed or ended early: its compensations run.
    case undoing
    case compensating
    case queued(width: Int?)
    case parked
    /// Was given its place and has not begun.
    case admitted
    case joining(Set<Name>)
    case turn
    case ticking(index: Int64, Alarm)
    case emitting(call: Int, backlog: [Tree])
    case exhausted
  }

  let effect: Tree
  unowned var parent: ReferenceNode?
  var children: [ReferenceNode] = []
  var state = State.unbegun
  /// Whether its parent waits for it.
  var isAttached: Bool
  /// Whether it begins a path of its own: a member of a merge, a body that is watched, a scope that doesn't end its
  /// path.
  var isHead: Bool
  /// Owns the detached effects that start below it.
  var isBoundary = false
  /// Stays for its detached effects instead of handing them to the next owner.
  var lingers = false
  var isEntrant = false
  var isRecovery = false
  /// The handler whose answer this is: its errors go past it.
  var handledBy: Handler?
  /// Cleaning up, or after something cancelled: its errors go to no retry and no race.
  var failsPastAttempts = false
  /// A clean-up or a compensation: a cancel of what is around it leaves it alone.
  var cleansUp = false

  /// The cancelled node that left this clean-up behind.
  weak var origin: ReferenceNode?
  /// The clean-up of this `finally`, begun before its turn because of one inside of it.
  weak var heir: ReferenceNode?
  /// What the clean-up waits for like for a child.
  weak var awaited: ReferenceNode?

  var isCancelled = false
  var isAbandoned = false
  var isSettled = false
  var settlesLate = false
  var isGone = false
  var isPosted = false
  var place = 0

  // A scope.
  var name: Name?
  var isHolder = false
  var ticket = 0
  /// What is cancelled with the scope: its whole path where the scope is the end of it.
  unowned var carrier: ReferenceNode?

  // A retry or a race.
  var failure: Int?
  /// What the attempt before failed with.
  var previousFailure: Int?
  var attempts = 0
  var begun = Moment.zero
  var generator = SplitMix64(seed: 1)

  // A sequence, and what is inside of one.
  /// Compensations of what has completed, the newest last.
  var recorded: [Tree] = []
  /// What it was at last has been cancelled by a name, or refused by a policy: it has not completed.
  var endsEarly = false
  /// How it ends says nothing of its parent.
  var isApart = false
  /// An effect under the same name has taken its place: how it ends is not how the tree does.
  var hasSuccessor = false
  /// An error has left the body of what is compensated.
  var hasFailed = false

  // A root, or what stands in its place.
  var context: Int?
  var treeFailure: Int?
  var endsCancelled = false
  var isDropped = false
  /// What it stands for has come to an effect already, a refused scope excepted.
  var hasRun = false
  var standsForRoot = false

  init(_ effect: Tree, parent: ReferenceNode?, isAttached: Bool, isHead: Bool) {
    self.effect = effect
    self.parent = parent
    self.isAttached = isAttached
    self.isHead = isHead
  }

  var isSpared: Bool { cleansUp && !isSettled }
  var isInCleanup: Bool { cleansUp || parent?.isInCleanup == true }
  var isRoot: Bool { parent == nil }
  var root: ReferenceNode { parent?.root ?? self }
  var head: ReferenceNode { isHead ? self : parent!.head }
  /// What counts what has run on a path: its head, or the last scope that the whole rest of it is.
  var runner: ReferenceNode { isHead || name != nil ? self : parent!.runner }
  func isInside(_ node: ReferenceNode) -> Bool { self === node || parent?.isInside(node) == true }
  var boundary: ReferenceNode { isBoundary ? self : parent!.boundary }
  var pending: Int { children.reduce(awaited == nil ? 0 : 1) { $0 + ($1.isAttached ? 1 : 0) } }

  /// Whether code of the user's runs on its behalf.
  var runsCode: Bool {
    switch state {
    case .operating, .handling, .deciding, .emitting: true
    default: false
    }
  }

  var alarm: Alarm? {
    if isCancelled { return nil }
    switch state {
    case .sleeping(let alarm), .bounding(let alarm), .backingOff(let alarm), .ticking(_, let alarm): return alarm
    default: return nil
    }
  }

  /// Whether something follows it on its path.
  var hasMoreToDo: Bool {
    if isHead { return false }
    if case .sequence(let next) = parent!.state, case .concatenate(let members) = parent!.effect, next < members.count {
      return true
    }
    return parent!.hasMoreToDo
  }

  func visit(_ body: (ReferenceNode) -> Void) {
    body(self)
    for child in children { child.visit(body) }
  }
}
