/// The name of a fiber: a slot of the machine's table, and the low bits of the number of the slot's tenant.
///
/// An event for a fiber that is gone names an old tenant and is ignored.
struct FiberID: Hashable, Sendable {
  var slot: FiberSlot
  var generation: UInt32
}

extension FiberID {
  /// The name as one number.
  @inline(__always)
  var bits: UInt64 { UInt64(slot.number) << 32 | UInt64(generation) }

  @inline(__always)
  init(bits: UInt64) {
    self.init(slot: FiberSlot(number: UInt32(bits >> 32)), generation: UInt32(truncatingIfNeeded: bits))
  }
}

/// One sequential path through an effect tree: what it does now, and what it does next.
///
/// A whole `concatenate` runs in one fiber. What is in flight beside something else, or is watched by it, has a fiber
/// of its own: members of a `merge`, a `race` or a `sequence`, named scopes, what a `timeout`, a `retry`, a `recover`,
/// a `finally` or a compensation encloses, detached effects. An operation may be folded into the fiber of what encloses
/// it.
///
/// | activity       | waits for                           | leaves it by                                |
/// |----------------|-------------------------------------|---------------------------------------------|
/// | `ready`        | nothing; it is on the ready stack   | the step loop                               |
/// | `evaluating`   | the shell, within the same pass     | `evaluated`                                 |
/// | `operating`    | an operation                        | `operationFinished`, `operationFailed`      |
/// | `handling`     | an error handler                    | `handled`                                   |
/// | `sleeping`     | its deadline                        | `timePassed`                                |
/// | `waiting`      | its attached children               | the last of them settling                   |
/// | `merging`      | a place below the limit             | a child settling                            |
/// | `racing`       | a winner, then the losers' cleanup  | a child settling                            |
/// | `folded`       | an operation, with what encloses it | `operationFinished`; for all else, unfolded |
/// | `bounding`     | its body, or its deadline           | the body settling, `timePassed`             |
/// | `retrying`     | an attempt                          | the attempt settling                        |
/// | `deciding`     | whether an error is retried         | `decided`                                   |
/// | `backingOff`   | the delay before the next attempt   | `timePassed`                                |
/// | `finalizing`   | its body                            | the body settling                           |
/// | `sequencing`   | a member                            | the member settling                         |
/// | `undoing`      | compensations                       | the last of them settling                   |
/// | `compensating` | its body                            | the body settling                           |
/// | `queued`       | a place under its identifier        | a holder settling, then the step loop       |
/// | `throttled`    | the end of its identifier's window  | `timePassed` of the window                  |
/// | `joining`      | scopes                              | the last of them settling                   |
/// | `turn`         | the actor that commits happen on    | `turnCame`                                  |
/// | `ticking`      | its next tick                       | `timePassed`, then `ticked`; ends by cancel |
/// | `emitting`     | its source                          | `emitted`, `sourceEnded`, `sourceFailed`    |
/// | `window`       | the end of a throttle's window      | `timePassed`                                |
///
/// A cancelled fiber settles at once unless user code runs for it (`operating`, `handling`, `deciding`, or `emitting`
/// until its source has ended), or it has attached children that have not settled. A fiber that has left a cleanup
/// behind stays, settled, until that has settled too.
struct Fiber<P: Program> {
  struct Frame {
    var program: P
    var cursor: Int32
    var end: Int32
  }

  enum Activity {
    case ready, evaluating, operating, sleeping, waiting, turn, retrying, deciding, backingOff, window
    /// An operation, and what encloses it since this moment, in one fiber.
    case folded(since: Moment)
    /// `late`: the error is handled after the fiber was cancelled.
    case handling(catcher: FiberSlot, late: Bool)
    /// The length of the window that begins with the effect.
    case throttled(Moment.Span)
    /// The members from `next` on are still to begin; `nil` once all have begun, or if they wait in the backlog.
    case merging(P?, next: Int32, limit: Int32)
    case racing(P?, next: Int32, winner: FiberSlot)
    /// `nil` once the fiber has been cancelled.
    case bounding(otherwise: P?)
    /// `nil` once the fiber has been deactivated, or while it is not known whether there is a cleanup.
    case finalizing(cleanup: P?)
    case sequencing
    case undoing
    /// `nil` once the fiber has been cancelled and is not undone, or once an error has left the body: then the body has
    /// not completed, whatever takes the error's place.
    case compensating(by: P?)
    case queued(width: Int32, body: P)
    /// `remaining` of these registrations are in flight still.
    case joining(remaining: Int32, [RegistrationSlot])
    case ticking(index: Int64)
    case emitting
  }

  struct Flags: OptionSet {
    let rawValue: UInt32
    static var occupied: Flags { Flags(rawValue: 1 << 0) }
    static var cancelled: Flags { Flags(rawValue: 1 << 1) }
    /// Cancelled by deactivation: what its errors map to is not interpreted.
    static var abandoned: Flags { Flags(rawValue: 1 << 2) }
    /// Counted by its parent, which waits for it.
    static var attached: Flags { Flags(rawValue: 1 << 3) }
    /// Owns the detached effects that start below it.
    static var boundary: Flags { Flags(rawValue: 1 << 4) }
    /// Stays while detached effects live below it, so that they can be cancelled with it.
    static var lingers: Flags { Flags(rawValue: 1 << 5) }
    /// Listed in the machine's `ready`, at most once.
    static var onReadyStack: Flags { Flags(rawValue: 1 << 6) }
    /// Its attached part is done; it stays for its detached effects, or for the cleanup that it has left behind.
    static var settled: Flags { Flags(rawValue: 1 << 7) }
    /// A race that only a success wins.
    static var toSucceed: Flags { Flags(rawValue: 1 << 8) }
    /// Runs the body of a `recover`, whose errors a handler takes.
    static var recovers: Flags { Flags(rawValue: 1 << 9) }
    /// A root that is no received tree: a cleanup, or a throttle's window.
    static var silent: Flags { Flags(rawValue: 1 << 10) }
    /// A root whose last scope was cancelled by its identifier, or whose last sequence ended early.
    static var endsCancelled: Flags { Flags(rawValue: 1 << 11) }
    /// Its only effect was refused by a policy.
    static var dropped: Flags { Flags(rawValue: 1 << 12) }
    /// A source that emits no more.
    static var ended: Flags { Flags(rawValue: 1 << 13) }
    /// Cancelled while its registration still counts its cleanup.
    static var releasesLate: Flags { Flags(rawValue: 1 << 14) }
    /// A scope that is all its root has ever had to do: the tree ends as it does.
    static var standsForRoot: Flags { Flags(rawValue: 1 << 15) }
    /// May win the race that is its parent.
    static var entrant: Flags { Flags(rawValue: 1 << 16) }
    /// Detached, left behind by something cancelled, or a cleanup: an error of it, or of a handler of its errors, ends
    /// no attempt.
    static var passesAttempts: Flags { Flags(rawValue: 1 << 17) }
    /// Cancelled, and each fiber from here up to `cancelledTarget` is attached to the one above it.
    static var attachedToTarget: Flags { Flags(rawValue: 1 << 18) }
    /// Has come to an effect other than a scope or something transparent, or has begun a scope in a child.
    static var hasRun: Flags { Flags(rawValue: 1 << 19) }
    /// Carries a label itself.
    static var labelled: Flags { Flags(rawValue: 1 << 20) }
    /// Cancelled, and what it has left behind has not settled.
    static var leavesCleanup: Flags { Flags(rawValue: 1 << 21) }
    /// Its last effect was cancelled by its identifier, refused by a policy, or did not finish in the other store that
    /// it was lifted into: the fiber has not completed.
    static var endsEarly: Flags { Flags(rawValue: 1 << 22) }
    /// Its end does not count for its parent: a member of a merge or a race, a cleanup, a scope that has been
    /// replaced, or what the parent itself has cancelled.
    static var endIsIgnored: Flags { Flags(rawValue: 1 << 23) }
    /// The cleanup of a `finally`, or of a sequence that is undone.
    static var isCleanup: Flags { Flags(rawValue: 1 << 24) }
    /// Its operation belongs to another store, to which a cancel has to be carried.
    static var lifts: Flags { Flags(rawValue: 1 << 25) }
    /// A source that has been asked to end and emits no more.
    static var stopped: Flags { Flags(rawValue: 1 << 26) }
    /// A cancelled root whose end is told once nothing of it is left.
    static var settlesLate: Flags { Flags(rawValue: 1 << 27) }
    /// A scope that holds its identifier, and begins after the consequences of the cancel that made room for it.
    static var beginsLater: Flags { Flags(rawValue: 1 << 28) }
    /// An error of what the tree waits for has gone to the store's own handler: the tree, whose root this is, has not
    /// completed.
    static var hasFailed: Flags { Flags(rawValue: 1 << 29) }
    /// A sequence before which the fiber has run nothing.
    static var sequencesAll: Flags { Flags(rawValue: 1 << 30) }
    /// A cleanup that is also the scope that is all of it: the scope may stay for its detached effects when the cleanup
    /// has settled, and they are not part of the cleanup then.
    static var cleansUpAsScope: Flags { Flags(rawValue: 1 << 31) }
  }

  /// The low bits of the number, which tell the slot's tenants apart.
  private(set) var generation: UInt32 = 0
  var flags: Flags = []
  var activity: Activity = .ready
  /// The completion of a fiber that has been cancelled, or that ends early; stored in padding.
  var completion: Completion = []
  /// The high bits of the number, in what would otherwise be padding.
  private var era: UInt16 = 0

  var parent = FiberSlot.none
  var root = FiberSlot.none
  var boundary = FiberSlot.none
  /// The fiber that errors go to: one that recovers, retries, races or is a sequence, or a compensated effect, which
  /// lets them pass.
  ///
  /// If there is none, the store's own handler.
  var catcher = FiberSlot.none
  var firstChild = FiberSlot.none
  var next = FiberSlot.none
  /// The previous sibling; for the first sibling, the last one.
  var previous = FiberSlot.none
  /// Attached children that have not settled.
  var pending: Int32 = 0
  /// For a cancelled fiber, the nearest `finally` or compensated effect that it is the body of and that was cancelled
  /// with it, else the topmost fiber that was.
  var cancelledTarget = FiberSlot.none

  /// The registration of its identifier, and its neighbours there.
  var registration = RegistrationSlot.none
  var nextHolder = FiberSlot.none
  var previousHolder = FiberSlot.none
  /// The nearest fiber above with a registration.
  ///
  /// That fiber stays as long as this one does: scopes linger.
  var scope = FiberSlot.none

  /// The fiber's remaining work: the effects of `program` from `cursor` up to `end`, then the frames of `outer`, the
  /// last one first.
  var cursor: Int32 = 0
  var end: Int32 = 0
  var program: P?
  var outer: ContiguousArray<Frame> = []
  /// The label of the nearest `label` effect that the fiber is part of.
  var nearestLabel: P.Label?
  /// The description of the current effect, if the fiber has released that; in a box, since few fibers have one.
  private var leftCaption: Box<P.Description?>?
  var context: P.Context?
  var begun: Moment = .zero
  /// The place of its rare state, which the table makes and frees.
  var rare: UnsafeMutablePointer<RareState<P>>?

  /// Clears the fiber for the slot's next tenant, which gets a number, and hands over its effects and errors.
  ///
  /// Field by field, because a new fiber in place of the old one would be copied as a whole.
  mutating func vacate(releasing released: inout UniqueArray<P>, _ failures: inout UniqueArray<P.Failure>) {
    // Moved and not copied, because counting references is most of the cost.
    if let program = program.take() { released.append(program) }
    while let frame = outer.popLast() { released.append(frame.program) }
    // Fields that are seldom set are tested first, because releasing nothing takes a call too.
    if nearestLabel != nil { nearestLabel = nil }
    // The box stays, for a tenant that takes the fiber over.
    if leftCaption != nil { leftCaption?.content = nil }
    if let rare { rare.pointee.vacate(releasing: &released, &failures) }
    switch takeActivity() {
    case .queued(_, let program):
      released.append(program)
    case .merging(let program, _, _), .racing(let program, _, _), .compensating(let program), .bounding(let program),
      .finalizing(let program):
      if let program { released.append(program) }
    case .ready, .evaluating, .operating, .folded, .sleeping, .waiting, .turn, .throttled, .retrying, .deciding,
      .backingOff, .handling, .window, .sequencing, .undoing, .joining, .ticking, .emitting:
      break
    }
    flags = []
    completion = []
    (parent, root, boundary, catcher) = (.none, .none, .none, .none)
    (firstChild, next, previous, pending, cancelledTarget) = (.none, .none, .none, 0, .none)
    (registration, nextHolder, previousHolder, scope) = (.none, .none, .none, .none)
    (cursor, end) = (0, 0)
    if outer.capacity > 0 { outer = [] }
    if context != nil { context = nil }
    begun = .zero
  }

  /// Moves the activity out, with what it holds; the fiber is `ready`.
  mutating func takeActivity() -> Activity {
    var taken = Activity.ready
    swap(&activity, &taken)
    return taken
  }

  /// The number of the fiber, which no other fiber of the machine has or had.
  ///
  /// Its 48 bits last for nine years at a million fibers a second.
  var number: UInt64 {
    @inline(__always) get { UInt64(era) << 32 | UInt64(generation) }
    @inline(__always) set {
      generation = UInt32(truncatingIfNeeded: newValue)
      era = UInt16(truncatingIfNeeded: newValue >> 32)
    }
  }

  /// The description of the current effect, if the fiber has released that.
  var leftEffect: P.Description? {
    get { leftCaption?.content }
    set {
      if leftCaption != nil {
        leftCaption?.content = newValue
      } else if let newValue {
        leftCaption = Box(newValue)
      }
    }
  }

  /// Releases the box that a vacated fiber keeps for a description.
  mutating func releaseCaption() { if leftCaption != nil { leftCaption = nil } }

  /// The fiber's own label, if it has one.
  var label: P.Label? { flags.contains(.labelled) ? nearestLabel : nil }

  /// True if no user code runs on the fiber's behalf, so that it may end at once when it is cancelled.
  // Inlined, because otherwise the whole fiber is copied for the call, some 600 instructions.
  @inline(__always)
  var isIdle: Bool {
    switch activity {
    case .operating, .folded, .handling, .deciding, .evaluating: false
    case .emitting: flags.contains(.ended)
    case .ready, .sleeping, .waiting, .turn, .throttled, .retrying, .backingOff, .window, .merging, .racing,
      .bounding, .finalizing, .sequencing, .undoing, .compensating, .queued, .joining, .ticking:
      true
    }
  }

  /// The current effect, as long as the fiber needs it.
  // Inlined for the same reason.
  @inline(__always)
  var site: Site<P>? {
    guard let program, cursor > 0 else { return nil }
    return Site(program: program, index: Int(cursor) - 1)
  }

  /// True if the current effect can be described.
  ///
  /// The same as `effect != nil`, which would make the description.
  var hasEffect: Bool { (cursor > 0 && program != nil) || leftCaption?.content != nil }

  /// The description of the current effect.
  var effect: P.Description? { site.map { $0.program.description(at: $0.index) } ?? leftEffect }
}

/// A boxed value.
///
/// Use it with the stored type itself as `Content`: a class that stores a type derived from its parameter, such as
/// `Content?`, looks up that type's metadata whenever an object is freed.
private final class Box<Content> {
  var content: Content
  init(_ content: Content) { self.content = content }
}
