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
    case lifting(call: Int)
    case handling(ReferenceNode?, late: Bool)
    case answering(Tree, Handler)
    case sleeping(Alarm)
    case bounding(Alarm)
    case retrying
    case deciding
    case backingOff(Alarm)
    case finalizing
    /// A sequence, with the index of its next member.
    case ordered(next: Int)
    /// A sequence that has failed or ended early, and runs its compensations.
    case undoing
    case compensating
    case queued(width: Int?)
    case parked
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
  /// The number of parts of a value's effect that go on later.
  var parts = 0
  /// A source's last effect.
  var lastEmitted: ReferenceNode?
  /// True if the parent waits for this node.
  var isAttached: Bool
  /// True if the node begins a path of its own: it is a member of a merge, a body that is watched, or a scope that
  /// doesn't end its path.
  var isHead: Bool
  /// True if the node owns the detached effects that start below it.
  var isBoundary = false
  /// True if the node stays for its detached effects instead of handing them to the next owner.
  var lingers = false
  var isEntrant = false
  var isRecovery = false
  /// The handler whose answer this node is.
  ///
  /// The node's errors skip that handler.
  var handledBy: Handler?
  /// True for a cleanup, and for what follows a cancellation.
  ///
  /// Its errors do not reach a retry or a race.
  var failsPastAttempts = false
  /// True for a cleanup or a compensation.
  ///
  /// A cancel of the effects around it does not affect it.
  var cleansUp = false

  /// The cancelled node that left this cleanup behind.
  weak var origin: ReferenceNode?
  /// The cleanup of this `finally`, if it began early because of a cleanup inside of the `finally`.
  weak var heir: ReferenceNode?
  /// A node that the cleanup waits for as if it were a child.
  weak var awaited: ReferenceNode?
  /// The effect of a cleanup that began before it was known.
  var lateCleanup: Tree?

  var isCancelled = false
  var isAbandoned = false
  var isSettled = false
  var settlesLate = false
  var isGone = false
  var isPosted = false
  /// True while an effect that the node will replace has not begun.
  var replacesLater = false
  var place = 0

  // A scope.
  var name: Name?
  var isHolder = false
  var ticket = 0
  /// The node that is cancelled with the scope: its whole path if the scope is the end of the path.
  unowned var carrier: ReferenceNode?
  /// True for a scope that ends the path of its root, and for the root's child on that path: it is no part of the root,
  /// which is never cancelled with a name.
  var isBelowRoot = false

  // A retry or a race.
  var failure: Int?
  /// The failure of the previous attempt.
  var previousFailure: Int?
  var attempts = 0
  var begun = Moment.zero
  var generator = SplitMix64(seed: 1)

  // A sequence, and the nodes inside of one.
  /// The compensations of the completed effects, the newest last.
  var recorded: [Tree] = []
  /// True if the node's last effect was cancelled by a name, or refused by a policy.
  ///
  /// The node has not completed.
  var endsEarly = false
  /// The completion, in other stores, of a node that was cancelled or ends early.
  var completion = Completion.never
  /// The ending of a lift in the other store, once that is known.
  var liftEnding: LiftEnding?
  /// The compensations that the body of a cancelled effect leaves to it, the newest first.
  var left: [Tree] = []
  /// True for a source that a shutdown has stopped.
  var isStopped = false
  /// True if the node's ending does not affect its parent.
  var isApart = false
  /// True if an effect under the same name has taken its place.
  ///
  /// The tree's ending is then not the node's ending.
  var hasSuccessor = false
  /// True if an error has left the body of a compensated effect, or an error that nothing handles what a root waits
  /// for.
  var hasFailed = false
  /// True if its runner has run nothing before the sequence.
  var isFirstOfRunner = false

  // A root, or a node in its place.
  /// True if the store that has lifted the tree shuts down.
  var isDraining = false
  var context: Int?
  var treeFailure: Int?
  var endsCancelled = false
  var isDropped = false
  /// True if the node's path has already reached an effect other than a refused scope.
  var hasRun = false
  var standsForRoot = false

  init(_ effect: Tree, parent: ReferenceNode?, isAttached: Bool, isHead: Bool) {
    self.effect = effect
    self.parent = parent
    self.isAttached = isAttached
    self.isHead = isHead
  }

  var isLift: Bool { if case .lift = effect { true } else { false } }
  var isSpared: Bool { cleansUp && !isSettled }
  var isInCleanup: Bool { cleansUp || parent?.isInCleanup == true }
  var isRoot: Bool { parent == nil }
  var root: ReferenceNode { parent?.root ?? self }
  var head: ReferenceNode { isHead ? self : parent!.head }
  /// The node that counts the effects that have run on the path: the head, or the last scope that makes up the whole
  /// rest of the path.
  var runner: ReferenceNode { isHead || name != nil ? self : parent!.runner }
  func isInside(_ node: ReferenceNode) -> Bool { self === node || parent?.isInside(node) == true }
  var boundary: ReferenceNode { isBoundary ? self : parent!.boundary }
  var pending: Int { children.reduce(awaited == nil ? 0 : 1) { $0 + ($1.isAttached ? 1 : 0) } }

  /// True if user code runs for this node.
  var runsCode: Bool {
    switch state {
    case .operating, .lifting, .handling, .deciding, .emitting: true
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

  /// True if another effect follows this node on its path.
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
