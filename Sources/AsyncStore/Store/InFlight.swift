/// What a store has in flight, as of one moment: the live tree.
public struct InFlight: RandomAccessCollection, Sendable, CustomStringConvertible {
  private let effects: [InFlightEffect]

  init(_ effects: [InFlightEffect]) { self.effects = effects }

  /// The first position, 0.
  public var startIndex: Int { effects.startIndex }
  /// The position after the last one.
  public var endIndex: Int { effects.endIndex }
  /// The effect at a position; parents come before their children.
  public subscript(position: Int) -> InFlightEffect { effects[position] }

  /// The tree, one effect a line, children indented.
  public var description: String {
    effects.map { String(repeating: "  ", count: Swift.min($0.depth, 64)) + $0.description }.joined(separator: "\n")
  }
}

/// One effect in flight.
public struct InFlightEffect: Identifiable, Sendable, CustomStringConvertible {
  /// Tells it from all others in flight.
  public let id: UInt64
  /// The effect in flight that it is part of.
  public let parent: UInt64?
  /// How many effects in flight it is inside of.
  public let depth: Int
  /// The identifier that it carries itself.
  public let identifier: EffectID?
  /// The label that it carries itself.
  public let label: String?
  /// The kind of the effect.
  public let kind: EffectKind
  /// Identifier, label or time that belong to the kind; empty if there is none.
  public let detail: String
  /// What it is waiting for, in a few words, such as `queued, 2nd under search`.
  public let status: String
  /// How long ago it began, on the store's clock.
  public let age: Duration
  /// How long until its deadline, if it has one.
  public let remaining: Duration?
  /// Whether it has been cancelled and is still cleaning up.
  public let isCancelled: Bool
  /// Where it was written.
  public let location: CallSite?

  /// All of it in one line.
  public var description: String {
    var words: [String] = []
    if let identifier { words.append("[\(identifier)]") }
    if let label { words.append("\"\(label)\"") }
    words.append(EffectDescription(kind, .text(detail)).description)
    words.append("· \(status)")
    if isCancelled { words.append("· cancelled") }
    words.append("· \(age.roundedToMilliseconds) old")
    if let remaining { words.append("· \(remaining.roundedToMilliseconds) left") }
    if let location, location.line > 0 { words.append("(\(location))") }
    return words.joined(separator: " ")
  }
}

extension AnyAsyncStore {
  /// What is in flight now, cancelled operations that have not returned included.
  ///
  /// - Complexity: linear in the effects in flight, under the store's lock.
  public var inFlight: InFlight {
    base.inFlight
  }

  /// How many effects ``inFlight`` would list, without listing them.
  ///
  /// For health checks and metrics that ask often.
  ///
  /// - Complexity: constant for a store with nothing in flight, else linear in the effects in flight, under the store's
  ///   lock; nothing is allocated.
  public var inFlightCount: Int {
    base.lock { $0.machine.countOfEffectsInFlight }
  }
}

extension Runtime {
  var inFlight: InFlight {
    let now = time.now()
    return lock { $0.inFlight(at: now) }
  }
}

extension Core {
  func inFlight(at now: Moment) -> InFlight { InFlight(machine.effectsInFlight(at: now)) }
}

extension Machine<EffectProgram> {
  /// - Parameter sparesCleanup: whether to leave out what has been cancelled, and the clean-ups that have begun.
  func effectsInFlight(at now: Moment, sparingCleanup sparesCleanup: Bool = false) -> [InFlightEffect] {
    var effects: [InFlightEffect] = []
    let deadlines = self.deadlines.bySlot()
    let places = placesInLine()
    var pending: ContiguousArray<Visit> = []
    if fibers.firstRoot.exists { pending.append(Visit(slot: fibers.firstRoot, place: Place())) }
    while let visit = pending.popLast() {
      let fiber = fibers[visit.slot]
      if fiber.next.exists, !visit.isOnlyChild { pending.append(Visit(slot: fiber.next, place: visit.place)) }
      // Nobody waits for a window, and the call that waits for its end is listed.
      if case .window = fiber.activity { continue }
      if sparesCleanup, isNotCancelledNow(visit.slot) { continue }
      if isMereFrame(fiber), !sparesCleanup || !isNotCancelledNow(fiber.firstChild) {
        // The list is read for what is going on, and for its names.
        pending.append(
          Visit(
            slot: fiber.firstChild, place: visit.place, isOnlyChild: true,
            identifier: identifier(of: visit.slot) ?? visit.identifier, label: fiber.label ?? visit.label))
        continue
      }
      let remaining = deadlines[clock(of: visit.slot)].map { Duration.nanoseconds(now.distance(to: $0)) }
      effects.append(effectInFlight(visit, fiber, place: places[visit.slot], at: now, remaining: remaining))
      let place = Place(depth: visit.place.depth + 1, parent: number(of: visit.slot))
      if fiber.firstChild.exists { pending.append(Visit(slot: fiber.firstChild, place: place)) }
    }
    return effects
  }

  fileprivate var countOfEffectsInFlight: Int {
    guard fibers.liveCount > windowCount else { return 0 }
    var count = -windowCount
    for slot in fibers.slots where fibers[slot].flags.contains(.occupied) && !isMereFrame(fibers[slot]) {
      count += 1
    }
    return count
  }

  /// By the fibers that wait in queues: their numbers there, from 1.
  private func placesInLine() -> [FiberSlot: Int] {
    var places: [FiberSlot: Int] = [:]
    for registration in registry.places {
      var (slot, place) = (registry[registration].waiting.first, 1)
      while slot.exists {
        places[slot] = place
        (slot, place) = (fibers[slot].nextHolder, place + 1)
      }
    }
    return places
  }

  /// True if a shut-down's cancel leaves it alone, or finds it cancelled.
  private func isNotCancelledNow(_ slot: FiberSlot) -> Bool {
    !fibers[slot].flags.isDisjoint(with: [.isCleanup, .cancelled]) || fibers[slot].origin != nil
  }

  /// The fiber whose deadline a fiber waits for: for a throttled one its window.
  private func clock(of slot: FiberSlot) -> FiberSlot {
    guard case .throttled = fibers[slot].activity else { return slot }
    return registry[fibers[slot].registration].window
  }

  /// Whether a fiber does nothing but hold its one child.
  private func isMereFrame(_ fiber: borrowing Fiber<EffectProgram>) -> Bool {
    guard fiber.firstChild.exists, !fibers[fiber.firstChild].next.exists else { return false }
    if fiber.flags.contains(.settled) { return true }
    if case .waiting = fiber.activity { return true }
    return false
  }

  private func effectInFlight(
    _ visit: Visit, _ fiber: Fiber<EffectProgram>, place: Int?, at now: Moment, remaining: Duration?
  ) -> InFlightEffect {
    let effect = fiber.waitingEffect ?? fiber.effect
    var status = fiber.status
    if let place { status += ", \(place.ordinal)" }
    if fiber.waitingEffect != nil, let name = identifier(of: visit.slot) { status += " under \(name)" }
    return InFlightEffect(
      id: number(of: visit.slot), parent: visit.place.parent, depth: visit.place.depth,
      identifier: identifier(of: visit.slot) ?? visit.identifier, label: fiber.label ?? visit.label,
      kind: effect?.kind ?? .concatenate, detail: effect?.detail ?? "", status: status,
      age: .nanoseconds(max(0, fiber.begun.distance(to: now))),
      remaining: remaining, isCancelled: fiber.flags.contains(.cancelled), location: effect?.location)
  }

  private func number(of slot: FiberSlot) -> UInt64 {
    UInt64(fibers[slot].generation) << 32 | UInt64(slot.number)
  }
}

/// Where in the printed tree an effect stands.
private struct Place {
  var depth = 0
  var parent: UInt64?
}

/// A fiber on the way through the live tree, with the names of the frames around it that are not listed.
private struct Visit {
  var slot: FiberSlot
  var place: Place
  var isOnlyChild = false
  var identifier: EffectID?
  var label: String?
}

extension Fiber<EffectProgram> {
  /// What is to begin here, of a scope that has not begun.
  fileprivate var waitingEffect: EffectDescription? {
    let body: EffectNode? =
      switch activity {
      case .queued(_, let body): body.node
      case .throttled: program?.node
      default: nil
      }
    return body.map { $0.count == 1 ? $0.describe(at: 0) : $0.summary }
  }
}

extension Fiber {
  /// What it waits for, for people.
  var status: String {
    if flags.contains(.settled) { return "stays for what it has started" }
    return switch activity {
    case .ready, .evaluating: "ready"
    case .operating: "running"
    case .handling: "handling an error"
    case .sleeping: "sleeping"
    case .waiting, .finalizing: "waiting for its children"
    case .sequencing: "in sequence"
    case .undoing: "undoing what had completed"
    case .compensating: "waiting for what can be undone"
    case .merging: "merging"
    case .racing: "racing"
    case .bounding: "bounded by a deadline"
    case .retrying: "attempting"
    case .deciding: "deciding whether to retry"
    case .backingOff: "backing off"
    case .queued: "queued"
    case .throttled: "throttled"
    case .joining: "joining"
    case .turn: "waiting for its actor"
    case .ticking: "ticking"
    case .emitting: "listening"
    case .window: "throttle window"
    }
  }
}

extension Int {
  /// 1st, 2nd, 3rd, 4th.
  fileprivate var ordinal: String {
    let isTeen = (11...13).contains(self % 100)
    let suffix = isTeen ? "th" : [1: "st", 2: "nd", 3: "rd"][self % 10] ?? "th"
    return "\(self)\(suffix)"
  }
}

extension Duration {
  /// For people.
  fileprivate var roundedToMilliseconds: Duration { .milliseconds((self / .milliseconds(1)).rounded()) }
}
