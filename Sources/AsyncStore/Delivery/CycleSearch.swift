import Synchronization

/// The search of one thread for deliveries that go round in a cycle.
///
/// An observer may be told in consequence of itself. That is a cycle, which mostly comes to rest; one in which an
/// observer has been told 1,000 times in consequence of itself is reported. There are two ways to find that out.
///
/// - In a cycle without branches, each round adds to the number of deliveries that have led to a value, the hops. An
///   observer that is told at 1,000 different numbers of hops is on a cycle.
/// - A cycle that branches, in which each round leads to two more, has few hops before its queue fills the memory. So
///   observers are watched: all that follows from a certain telling of one of them is marked, and it is counted how
///   often marked values are told to it. Nothing is marked by mistake: where deliveries lead round in no cycle, however
///   many they are, an observer is never told what follows from itself.
struct CycleSearch: ~Copyable {
  /// The number of times that an observer may be told in consequence of itself before that is reported.
  static let visitLimit = 1_000
  /// The number of hops from which on observers are counted.
  private static let uncountedHops = 64
  /// The number of deliveries that followed from others when the first watch begins; the next ones begin each time that
  /// it has doubled.
  private static let firstWatch = 16
  /// The number of times that a watched observer is told what follows from itself before the members of its cycle are
  /// collected: early, because a round may lead to very many.
  private static let collectedVisits = 8
  private static let lastNumber = Atomic<UInt32>(0)

  /// An observer that has been told again and again.
  struct Visit {
    let identifier: EffectID?
    /// The number of different hops at which it was told.
    var count = 0
    var hops = -1
    /// The observers that had something new in consequence of it.
    var leadsTo: Set<ObjectIdentifier> = []
  }

  /// An observer, all that follows from one telling of which is marked.
  struct Watch {
    let member: ObjectIdentifier
    /// The number of times that it was told what follows from that telling.
    var count = 0
  }

  /// What the search knows, for a task that goes on with the deliveries.
  struct Findings {
    fileprivate var visits: [ObjectIdentifier: Visit]?
    /// The observer that is being told, or was told last, if observers are counted.
    fileprivate var told: ObjectIdentifier?
    fileprivate var tellings = 0
    fileprivate var watches: [Watch]?
    fileprivate var number: UInt32 = 0
  }

  /// True once a cycle has been found.
  private(set) var isOver = false
  private(set) var findings = Findings()

  init() {}

  /// Creates a search that goes on with another one.
  init(_ findings: Findings) { self.findings = findings }

  /// Moves the findings out, for a search that goes on with them, or that this one has gone on for; after a report
  /// there are none.
  mutating func takeFindings() -> Findings {
    defer { findings = Findings() }
    return isOver ? Findings() : findings
  }

  /// Notes that an observer is told.
  ///
  /// - Returns: the hop of what follows from that, and the bindings of a cycle, if this telling has found one.
  @inline(__always)
  mutating func note(_ observer: CommitObserver, at hop: DeliveryHop) -> (hop: DeliveryHop, cycle: [EffectID]?) {
    if hop.count == 0 {
      findings.told = nil
      return (hop, nil)
    }
    findings.tellings &+= 1
    let isCalm = hop.count <= Self.uncountedHops && hop.watches == 0 && findings.tellings & (Self.firstWatch - 1) != 0
    if isCalm {
      findings.told = nil
      return (hop, nil)
    }
    return noteClosely(observer, at: hop)
  }

  @inline(never)
  private mutating func noteClosely(
    _ observer: CommitObserver, at hop: DeliveryHop
  ) -> (hop: DeliveryHop, cycle: [EffectID]?) {
    let member = observer.cycleMember
    var watches = hop.search == findings.number ? hop.watches : 0
    let isCollecting = countWatches(watches, of: member)
    findings.told = isCollecting || hop.count > Self.uncountedHops ? member : nil
    if findings.told != nil { count(observer, member, at: hop) }
    watches |= beginWatch(of: member)
    let marked = DeliveryHop(count: hop.count, watches: watches, of: findings.number)
    guard !isOver, isUnsettled(member), let cycle = cycle(through: member) else { return (marked, nil) }
    isOver = true
    return (marked, cycle.compactMap { findings.visits?[$0]?.identifier })
  }

  /// Notes that an observer has something new, which follows from the last telling.
  @inline(__always)
  mutating func noteNews(of observer: CommitObserver) {
    if let told = findings.told { noteEdge(from: told, to: observer.cycleMember) }
  }

  @inline(never)
  private mutating func noteEdge(from told: ObjectIdentifier, to member: ObjectIdentifier) {
    findings.visits?[told]?.leadsTo.insert(member)
  }

  // MARK: Watches

  /// Counts a telling of an observer for the watches of it that it follows from.
  ///
  /// - Returns: true if it follows from one that has been counted so often that the cycle's members are collected.
  private mutating func countWatches(_ watches: UInt32, of member: ObjectIdentifier) -> Bool {
    var (left, isCollecting) = (watches, false)
    while left != 0 {
      let index = left.trailingZeroBitCount
      left &= left - 1
      // A search on another thread may have the same number, and more watches.
      guard index < findings.watches?.count ?? 0, let watch = findings.watches?[index] else { break }
      if watch.member == member { findings.watches?[index].count += 1 }
      if watch.count >= Self.collectedVisits { isCollecting = true }
    }
    return isCollecting
  }

  /// Begins to watch the observer, if it is time for another watch.
  ///
  /// - Returns: its bit.
  private mutating func beginWatch(of member: ObjectIdentifier) -> UInt32 {
    let count = findings.watches?.count ?? 0
    guard count < DeliveryHop.watchLimit, findings.tellings == Self.firstWatch << count else { return 0 }
    if count == 0 {
      findings.watches = []
      findings.number = Self.lastNumber.add(1, ordering: .relaxed).newValue & 0x7FF
    }
    findings.watches?.append(Watch(member: member))
    return 1 << UInt32(count)
  }

  // MARK: Cycles

  private mutating func count(_ observer: CommitObserver, _ member: ObjectIdentifier, at hop: DeliveryHop) {
    if findings.visits == nil { findings.visits = [:] }
    var visit = findings.visits?.removeValue(forKey: member) ?? Visit(identifier: observer.identifier)
    if hop.count > visit.hops, hop.count > Self.uncountedHops {
      visit.hops = hop.count
      visit.count += 1
    }
    findings.visits?[member] = visit
  }

  /// Returns whether the observer has been told so often in consequence of itself that it is time to look for its cycle.
  private func isUnsettled(_ member: ObjectIdentifier) -> Bool {
    if isFrequent(member, Self.visitLimit) { return true }
    // For a wide cycle, whose members have not all been collected, it is looked for again later.
    return findings.watches?.contains { watch in
      watch.member == member && watch.count >= Self.visitLimit && watch.count.nonzeroBitCount == 1
    } == true
  }

  private func isFrequent(_ member: ObjectIdentifier, _ limit: Int) -> Bool {
    (findings.visits?[member]?.count ?? 0) >= limit
  }

  /// Returns the observers that lead to each other, without those that only watch.
  ///
  /// - Parameter member: one of them, or one that is told of them.
  private func cycle(through member: ObjectIdentifier) -> [ObjectIdentifier]? {
    guard let visits = findings.visits else { return nil }
    var graph = DirectedGraph<ObjectIdentifier>()
    for (member, visit) in visits { for next in visit.leadsTo { graph.connect(member, to: next) } }
    let cycles = graph.cycles
    if let cycle = cycles.first(where: { $0.contains(member) }) { return cycle }
    guard isFrequent(member, Self.visitLimit) else { return nil }
    // Where several threads deliver, each knows a part of the cycle only.
    let frequent = visits.keys.filter { isFrequent($0, Self.visitLimit / 2) }
    return cycles.first { $0.contains { frequent.contains($0) } } ?? frequent
  }
}
