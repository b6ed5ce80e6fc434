import Synchronization

/// One thread's search for deliveries that go round in a cycle.
///
/// A notification may lead to another notification of the same observer. That is a cycle. Most cycles settle; a cycle
/// that has notified an observer 1,000 times as a consequence of itself is reported. There are two ways to detect that.
///
/// - In a cycle without branches, each round adds to the *hops*, the number of deliveries that have led to a value. The
///   cycle's observers are notified at 1,000 different numbers of hops.
/// - A cycle with branches, in which each round leads to two more, has few hops before its queue fills the memory. So
///   the search watches observers: it marks everything that follows from one notification of an observer, and counts
///   how often marked values come back to that observer. Without a cycle, however many deliveries there are, an
///   observer is never notified of its own consequences.
struct DeliveryCycleSearch: ~Copyable {
  /// The number of times that an observer may be notified as a consequence of itself before this is reported.
  static let visitLimit = 1_000
  /// The number of hops beyond which observers are counted.
  fileprivate static let uncountedHops = 64
  /// The number of consequent deliveries at which the first watch begins.
  ///
  /// Further watches begin each time that number has doubled.
  fileprivate static let firstWatch = 16
  /// The number of times that a watched observer is notified of its own consequences before the members of its cycle
  /// are collected.
  ///
  /// Small, because a round may lead to very many members.
  fileprivate static let collectedVisits = 8
  /// The maximum number of observers whose visits a waiting effect keeps.
  fileprivate static let keptVisits = 128
  fileprivate static let lastNumber = Atomic<UInt32>(0)

  /// An observer that is notified again and again.
  struct Visit {
    let identifier: EffectID?
    /// The number of different hops at which the observer was notified.
    var count = 0
    var hops: Int?
    /// The observers that had something new as a consequence of it.
    var leadsTo: Set<ObjectIdentifier> = []
  }

  /// The watch of one notification of an observer, which marks everything that follows from it.
  struct Watch {
    let member: ObjectIdentifier
    /// The number of times that the observer was notified of consequences of that notification.
    var count = 0
  }

  /// The data about closely examined observers.
  struct Findings: Sendable {
    fileprivate var visits: [ObjectIdentifier: Visit] = [:]
    /// The observer that is being notified, or was last notified, if observers are counted.
    fileprivate var lastNotified: ObjectIdentifier?
    fileprivate var watches: [Watch] = []
    /// The number of the search that began the watches.
    fileprivate var number: UInt32 = 0
    /// A lower bound of the number of hops at which the search began.
    fileprivate var firstHops: Int?
    /// False in a copy with watches: a new watch could be mistaken for one that the original has begun since.
    fileprivate var mayWatch = true
    /// The bindings of a cycle that was found and not yet reported.
    fileprivate var cycle: [EffectID]?
  }

  /// The storage of the findings, so that a short delivery has only a reference to release.
  private final class Box {
    var findings: Findings
    init(_ findings: Findings) { self.findings = findings }
  }

  /// The state of a search, from which another search continues.
  struct Progress: Sendable {
    fileprivate var notificationCount = 0
    fileprivate var findings: Findings?

    /// Discards the visits of observers if there are many: the observers of a chain, or of a cycle too long to be found
    /// while each of its rounds waits for actors.
    mutating func forgetManyVisits() {
      guard let count = findings?.visits.count, count > DeliveryCycleSearch.keptVisits else { return }
      findings?.visits = [:]
    }
  }

  /// True once a cycle has been found.
  private(set) var hasFoundCycle = false
  /// The number of deliveries that followed from others.
  private var notificationCount = 0
  /// Created when the first observer is examined closely.
  private var box: Box?

  @inline(__always)
  init() {}

  /// Creates a search that continues another one.
  init(_ progress: consuming Progress) {
    notificationCount = progress.notificationCount
    // Moved and not copied, so that the search alone owns the findings and changes them in place.
    if let findings = progress.findings.take() { box = Box(findings) }
  }

  /// The observer that is being notified, or was last notified, if observers are counted.
  var lastNotified: ObjectIdentifier? {
    get { box?.findings.lastNotified }
    set { box?.findings.lastNotified = newValue }
  }

  /// The state for a task that continues beside this search; empty after a report.
  var copy: Progress {
    guard !hasFoundCycle else { return Progress() }
    var progress = Progress(notificationCount: notificationCount, findings: box?.findings)
    if let findings = box?.findings, !findings.watches.isEmpty { progress.findings?.mayWatch = false }
    return progress
  }

  /// Records that an observer is notified of a commit that follows from no delivery.
  @inline(__always)
  func noteFirst() {
    if let box { box.findings.lastNotified = nil }
  }

  /// Records that an observer is notified of a consequence of another delivery.
  ///
  /// - Returns: the hop for the consequences of this notification.
  @inline(__always)
  mutating func note(_ observer: CommitObserver, at hop: DeliveryHop) -> DeliveryHop {
    notificationCount &+= 1
    if hop.count <= Self.uncountedHops, hop.watches == 0, notificationCount & (Self.firstWatch - 1) != 0 {
      noteFirst()
      return hop
    }
    return noteClosely(observer, at: hop)
  }

  @inline(never)
  private mutating func noteClosely(_ observer: CommitObserver, at hop: DeliveryHop) -> DeliveryHop {
    let box = box ?? Box(Findings())
    self.box = box
    let next = box.findings.note(observer, at: hop, notificationCount: notificationCount, hasFoundCycle: hasFoundCycle)
    hasFoundCycle = hasFoundCycle || box.findings.cycle != nil
    return next
  }

  /// Takes, once, the bindings of a cycle that was found.
  @inline(__always)
  func takeCycle() -> [EffectID]? { hasFoundCycle ? box?.findings.cycle.take() : nil }

  /// Records that an observer has something new that follows from the last notification.
  @inline(__always)
  func noteNews(of observer: CommitObserver) {
    if let box, let lastNotified = box.findings.lastNotified {
      box.findings.noteEdge(from: lastNotified, to: observer.cycleMember)
    }
  }
}

extension DeliveryCycleSearch.Findings {
  /// - Returns: the hop for the consequences of the notification.
  fileprivate mutating func note(
    _ observer: CommitObserver, at hop: DeliveryHop, notificationCount: Int, hasFoundCycle: Bool
  ) -> DeliveryHop {
    let member = observer.cycleMember
    var watches = hop.search == number ? hop.watches : 0
    let watched = countWatches(watches, of: member)
    lastNotified = watched.isCollecting || hop.count > DeliveryCycleSearch.uncountedHops ? member : nil
    let isFrequent = lastNotified != nil && count(observer, member, at: hop)
    watches |= beginWatch(of: member, at: notificationCount)
    // If several threads deliver, each sees only part of the cycle: more deliveries lead here than this thread has
    // made.
    let first = firstHops ?? hop.count - notificationCount
    firstHops = first
    let isAlone = hop.count - first <= notificationCount
    if !hasFoundCycle, watched.isFrequent || isFrequent,
      let members = cycle(through: member) ?? (isAlone ? nil : frequentMembers)
    {
      cycle = Array(Set(members.compactMap { visits[$0]?.identifier }))
    }
    return DeliveryHop(count: hop.count, watches: watches, of: number)
  }

  @inline(never)
  fileprivate mutating func noteEdge(from lastNotified: ObjectIdentifier, to member: ObjectIdentifier) {
    visits[lastNotified]?.leadsTo.insert(member)
  }

  // MARK: Watches

  /// Counts a notification of an observer for those of its watches that the notification follows from.
  ///
  /// - Returns: `isCollecting`, true if the notification follows from a watch that has been counted so often that the
  ///   cycle's members are collected, and `isFrequent`, true if it is time to look for the observer's cycle.
  private mutating func countWatches(
    _ bits: UInt32, of member: ObjectIdentifier
  ) -> (isCollecting: Bool, isFrequent: Bool) {
    var (left, isCollecting, isFrequent) = (bits, false, false)
    while left != 0 {
      let index = left.trailingZeroBitCount
      left &= left - 1
      // The original of a copy, or another thread's search with the same number, may have more watches.
      guard index < watches.count else { break }
      if watches[index].member == member {
        watches[index].count += 1
        isFrequent = isFrequent || Self.isDue(watches[index].count)
      }
      if watches[index].count >= DeliveryCycleSearch.collectedVisits { isCollecting = true }
    }
    return (isCollecting, isFrequent)
  }

  /// Returns whether it is time to look for a cycle.
  ///
  /// A search is due after 1,000 notifications, and each time that number has doubled, because some members of a wide
  /// cycle may not have been notified by then.
  private static func isDue(_ count: Int) -> Bool {
    let (times, rest) = count.quotientAndRemainder(dividingBy: DeliveryCycleSearch.visitLimit)
    return rest == 0 && times.nonzeroBitCount == 1
  }

  /// Begins to watch the observer if it is time for another watch.
  ///
  /// - Returns: the watch's bit, or 0.
  private mutating func beginWatch(of member: ObjectIdentifier, at notificationCount: Int) -> UInt32 {
    let count = watches.count
    guard mayWatch, count < DeliveryHop.watchLimit, notificationCount == DeliveryCycleSearch.firstWatch << count else {
      return 0
    }
    if count == 0 { number = 1 + DeliveryCycleSearch.lastNumber.add(1, ordering: .relaxed).newValue % 0x7FF }
    watches.append(DeliveryCycleSearch.Watch(member: member))
    return 1 << UInt32(count)
  }

  // MARK: Cycles

  /// Counts a notification of an observer.
  ///
  /// - Returns: true if it is time to look for the observer's cycle.
  private mutating func count(_ observer: CommitObserver, _ member: ObjectIdentifier, at hop: DeliveryHop) -> Bool {
    var visit = visits.removeValue(forKey: member) ?? DeliveryCycleSearch.Visit(identifier: observer.identifier)
    defer { visits[member] = visit }
    guard hop.count > max(visit.hops ?? 0, DeliveryCycleSearch.uncountedHops) else { return false }
    visit.hops = hop.count
    visit.count += 1
    return Self.isDue(visit.count)
  }

  /// Returns the observers that lead to each other and to this one, without observers outside the cycle.
  private func cycle(through member: ObjectIdentifier) -> [ObjectIdentifier]? {
    var graph = DirectedGraph<ObjectIdentifier>()
    for (member, visit) in visits { for next in visit.leadsTo { graph.connect(member, to: next) } }
    return graph.cycles.first { $0.contains(member) }
  }

  private var frequentMembers: [ObjectIdentifier] {
    visits.filter { $0.value.count >= DeliveryCycleSearch.visitLimit / 2 }.map(\.key)
  }
}
