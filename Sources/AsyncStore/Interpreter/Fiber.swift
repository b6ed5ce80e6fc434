/// One sequential path through an effect tree: what it does now and what it does next.
///
/// A whole `concatenate` runs in one fiber. Effects that run beside others, or that another effect watches, have fibers
/// of their own: members of a `merge`, a `race` or a `sequence`; named scopes; the bodies of `timeout`, `retry`,
/// `recover`, `finally` and compensated effects; detached effects. An operation may be folded into the fiber of the
/// effects around it.
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
/// | `folded`       | an operation and its enclosures     | `operationFinished`; for all else, unfolded |
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
/// until its source has ended) or it has attached children that have not settled. A fiber that has left a cleanup
/// behind stays, settled, until that cleanup has settled too.
struct Fiber<P: Program> {
  struct Frame {
    var program: P
    var cursor: Int32
    var end: Int32
  }

  enum Activity {
    case ready, evaluating, operating, sleeping, waiting, turn, retrying, deciding, backingOff, window
    /// An operation and its enclosures in one fiber. `since` is when they began.
    case folded(since: Moment)
    /// `late` is true if the fiber was cancelled before the error was handled.
    case handling(catcher: FiberSlot, late: Bool)
    /// The length of the window that the effect opens.
    case throttled(Moment.Span)
    /// The members from `next` on have not begun. `nil` once all have begun, or if the members wait in the backlog.
    case merging(P?, next: Int32, limit: Int32)
    case racing(P?, next: Int32, winner: FiberSlot)
    /// `nil` once the fiber has been cancelled.
    case bounding(otherwise: P?)
    /// `nil` once the fiber has been deactivated, or while it is unknown whether there is a cleanup.
    case finalizing(cleanup: P?)
    case sequencing
    case undoing
    /// `nil` once the fiber has been cancelled and is not undone, or once an error has left the body: the body has then
    /// not completed, whatever takes the error's place.
    case compensating(by: P?)
    case queued(width: Int32, body: P)
    /// `remaining` of these registrations are still in flight.
    case joining(remaining: Int32, [RegistrationSlot])
    case ticking(index: Int64)
    case emitting
  }

  struct Flags: OptionSet {
    let rawValue: UInt32
    static var occupied: Flags { Flags(rawValue: 1 << 0) }
    static var cancelled: Flags { Flags(rawValue: 1 << 1) }
    /// Cancelled by deactivation: effects that its errors map to are not interpreted.
    static var abandoned: Flags { Flags(rawValue: 1 << 2) }
    /// Counted by its parent, which waits for it.
    static var attached: Flags { Flags(rawValue: 1 << 3) }
    /// Owns the detached effects that start inside it.
    static var boundary: Flags { Flags(rawValue: 1 << 4) }
    /// Stays while detached effects live below it, so that they can be cancelled with it.
    static var lingers: Flags { Flags(rawValue: 1 << 5) }
    /// Listed in the machine's `ready`, at most once.
    static var scheduled: Flags { Flags(rawValue: 1 << 6) }
    /// Its attached part has ended; the fiber stays for its detached effects, or for the cleanup that it has left
    /// behind.
    static var settled: Flags { Flags(rawValue: 1 << 7) }
    /// A race that only a success can win.
    static var toSucceed: Flags { Flags(rawValue: 1 << 8) }
    /// Runs the body of a `recover`, whose handler takes the errors.
    static var recovers: Flags { Flags(rawValue: 1 << 9) }
    /// A root that is not a received tree: a cleanup, or a throttle's window.
    static var silent: Flags { Flags(rawValue: 1 << 10) }
    /// A root whose last scope was cancelled by its identifier, or whose last sequence ended early.
    static var endsCancelled: Flags { Flags(rawValue: 1 << 11) }
    /// Its only effect was dropped by a policy.
    static var dropped: Flags { Flags(rawValue: 1 << 12) }
    /// A source that will not emit again.
    static var ended: Flags { Flags(rawValue: 1 << 13) }
    /// A fiber that has given up its identifier, and whose registration still counts it as cleaning up.
    static var releasesLate: Flags { Flags(rawValue: 1 << 14) }
    /// A scope that is everything its root has ever had to do, so that the tree ends as the scope does.
    static var standsForRoot: Flags { Flags(rawValue: 1 << 15) }
    /// May win the race that is its parent.
    static var entrant: Flags { Flags(rawValue: 1 << 16) }
    /// Detached, left behind by something cancelled, or a cleanup: an error of the fiber, or of a handler of its
    /// errors, ends no attempt.
    static var passesAttempts: Flags { Flags(rawValue: 1 << 17) }
    /// Cancelled, and every fiber on the path from this one up to `cancelledTarget` is attached to its parent.
    static var attachedToTarget: Flags { Flags(rawValue: 1 << 18) }
    /// Has reached an effect that is neither a scope nor transparent, or has begun a scope in a child.
    static var hasRun: Flags { Flags(rawValue: 1 << 19) }
    /// Has a label of its own.
    static var labelled: Flags { Flags(rawValue: 1 << 20) }
    /// Cancelled, and a cleanup that it left behind has not settled.
    static var leavesCleanup: Flags { Flags(rawValue: 1 << 21) }
    /// The fiber has not completed: its last effect was cancelled by its identifier, dropped by a policy, or did not
    /// finish in the store that it was lifted into.
    static var endsEarly: Flags { Flags(rawValue: 1 << 22) }
    /// Its parent ignores how the fiber ends: set for members of a merge or a race, cleanups, replaced scopes, and
    /// fibers that the parent itself has cancelled.
    static var endIsIgnored: Flags { Flags(rawValue: 1 << 23) }
    /// The cleanup of a `finally`, or of a sequence that is undone.
    static var isCleanup: Flags { Flags(rawValue: 1 << 24) }
    /// Its operation belongs to another store, which a cancel has to be carried into.
    static var lifts: Flags { Flags(rawValue: 1 << 25) }
    /// A source that was asked to end and will not emit again.
    static var stopped: Flags { Flags(rawValue: 1 << 26) }
    /// A cancelled root whose end is reported once nothing of it is left.
    static var settlesLate: Flags { Flags(rawValue: 1 << 27) }
    /// A scope that holds its identifier, and begins after the consequences of the cancel that made room for it.
    static var beginsLater: Flags { Flags(rawValue: 1 << 28) }
    /// A root whose tree has not completed: an error in a part that the tree waits for went to the store's own handler.
    static var hasFailed: Flags { Flags(rawValue: 1 << 29) }
    /// A sequence before which its fiber had run nothing.
    static var sequencesAll: Flags { Flags(rawValue: 1 << 30) }
    /// A cleanup that consists of one scope, in the same fiber; when the cleanup has settled, the scope may stay for
    /// its detached effects, which are then not part of the cleanup.
    static var cleansUpAsScope: Flags { Flags(rawValue: 1 << 31) }
  }

  /// The low bits of the number, which distinguish the tenants of a slot.
  private(set) var generation: UInt32 = 0
  var flags: Flags = []
  var activity: Activity = .ready
  /// The completion of a fiber that was cancelled or ends early; stored in padding.
  var completion: Completion = []
  /// The high bits of the number, stored in padding.
  private var era: UInt16 = 0

  var parent = FiberSlot.none
  var root = FiberSlot.none
  var boundary = FiberSlot.none
  /// The fiber that errors go to: one that recovers, retries, races or is a sequence, or a compensated effect, which
  /// passes them on.
  ///
  /// If there is none, errors go to the store's own handler.
  var catcher = FiberSlot.none
  var firstChild = FiberSlot.none
  var next = FiberSlot.none
  /// The previous sibling; the first sibling points to the last.
  var previous = FiberSlot.none
  /// The number of attached children that have not settled.
  var pending: Int32 = 0
  /// For a cancelled fiber, the nearest `finally` or compensated effect cancelled with it whose body contains it;
  /// otherwise the topmost fiber of that cancel.
  var cancelledTarget = FiberSlot.none

  /// The registration of the fiber's identifier, and its neighbours in that registration's list.
  var registration = RegistrationSlot.none
  var nextHolder = FiberSlot.none
  var previousHolder = FiberSlot.none
  /// The nearest ancestor with a registration.
  ///
  /// The ancestor outlives this fiber, because scopes linger.
  var scope = FiberSlot.none

  /// The fiber's remaining work: the effects of `program` from `cursor` up to `end`, then the frames of `outer`, the
  /// last one first.
  var cursor: Int32 = 0
  var end: Int32 = 0
  var program: P?
  var outer: ContiguousArray<Frame> = []
  /// The label of the nearest enclosing `label` effect.
  var nearestLabel: P.Label?
  /// The description of the current effect, if the fiber has released the effect; boxed, because few fibers have one.
  private var leftCaption: Box<P.Description?>?
  var context: P.Context?
  var begun: Moment = .zero
  /// The fiber's rare state, which the table allocates and frees.
  var rare: UnsafeMutablePointer<RareState<P>>?

  /// Clears the fiber for the slot's next tenant, which gets a new number, and hands over its effects and errors.
  ///
  /// Clears the fields one by one, because assigning a new fiber would copy all of it.
  mutating func vacate(to released: inout ReleasedParts<P>) {
    // Moved and not copied, because counting references is most of the cost.
    if let program = program.take() { released.append(program) }
    while let frame = outer.popLast() { released.append(frame.program) }
    // Fields that are seldom set are tested first, because releasing nothing takes a call too.
    if nearestLabel != nil { nearestLabel = nil }
    // The box stays for a tenant that takes over the fiber.
    if leftCaption != nil { leftCaption?.content = nil }
    if let rare { rare.pointee.vacate(to: &released) }
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

  /// Moves the activity and its contents out, and leaves the fiber `ready`.
  mutating func takeActivity() -> Activity {
    var taken = Activity.ready
    swap(&activity, &taken)
    return taken
  }

  /// The number of the fiber, unique in the machine's lifetime.
  ///
  /// The number's 48 bits last for nine years at a million fibers a second.
  var number: UInt64 {
    @inline(__always) get { UInt64(era) << 32 | UInt64(generation) }
    @inline(__always) set {
      generation = UInt32(truncatingIfNeeded: newValue)
      era = UInt16(truncatingIfNeeded: newValue >> 32)
    }
  }

  /// The description of the current effect, if the fiber has released the effect.
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

  /// Puts a new fiber at a program whose only effect has begun.
  @inline(__always)
  mutating func stand(atBegun program: consuming P) {
    self.program = consume program
    (cursor, end) = (1, 1)
    flags.insert(.hasRun)
  }

  /// Releases the box for a description, which a vacated fiber keeps.
  mutating func releaseCaption() { if leftCaption != nil { leftCaption = nil } }

  /// The fiber's own label, if it has one.
  var label: P.Label? { flags.contains(.labelled) ? nearestLabel : nil }

  /// True if no user code runs for the fiber, so that it may end at once when it is cancelled.
  // Inlined, because the call would copy the whole fiber, some 600 instructions.
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

  /// The current effect, while the fiber still needs it.
  // Inlined for the same reason.
  @inline(__always)
  var site: Site<P>? {
    guard let program, cursor > 0 else { return nil }
    return Site(program: program, index: Int(cursor) - 1)
  }

  /// True if the current effect can be described.
  ///
  /// Equivalent to `effect != nil`, without creating the description.
  var hasEffect: Bool { (cursor > 0 && program != nil) || leftCaption?.content != nil }

  /// The description of the current effect.
  var effect: P.Description? { site.map { $0.program.description(at: $0.index) } ?? leftEffect }
}

/// A boxed value.
///
/// Use it with the stored type itself as `Content`. A class that stores a type derived from its parameter, such as
/// `Content?`, looks up that type's metadata whenever an object is freed.
private final class Box<Content> {
  var content: Content
  init(_ content: Content) { self.content = content }
}
