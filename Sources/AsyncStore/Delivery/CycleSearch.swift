import Synchronization

/// The search of one thread for deliveries that go round in a cycle.
///
/// An observer may be told in consequence of itself. That is a cycle, which mostly comes to rest; one in which an
/// observer has been told 1,000 times in consequence of itself is reported. There are two ways to find that out.
///
/// - In a cycle without branches, each round adds to the number of deliveries that have led to a value, the hops. So its
///   observers are told at 1,000 different numbers of hops.
/// - A cycle that branches, in which each round leads to two more, has few hops before its queue fills the memory. So
///   observers are watched: all that follows from a certain telling of one of them is marked, and it is counted how
///   often marked values are told to it. Nothing is marked by mistake: where deliveries lead round in no cycle, however
///   many they are, an observer is never told what follows from itself.
struct CycleSearch: ~Copyable {
  /// The number of times that an observer may be told in consequence of itself before that is reported.
  static let visitLimit = 1_000
  /// The number of hops from which on observers are counted.
  fileprivate static let uncountedHops = 64
  /// The number of deliveries that followed from others when the first watch begins; the next ones begin each time that
  /// it has doubled.
  fileprivate static let firstWatch = 16
  /// The number of times that a watched observer is told what follows from itself before the members of its cycle are
  /// collected: early, because a round may lead to very many.
  fileprivate static let collectedVisits = 8
  fileprivate static let lastNumber = Atomic<UInt32>(0)

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

  /// The findings, made when observers are first looked at closely, so that a short delivery has none to release.
  final class Findings {
    fileprivate var visits: [ObjectIdentifier: Visit] = [:]
    /// The observer that is being told, or was told last, if observers are counted.
    fileprivate var told: ObjectIdentifier?
    fileprivate var watches: [Watch] = []
    fileprivate var number: UInt32 = 0
    /// The bindings of a cycle that has been found, and not been reported.
    fileprivate var cycle: [EffectID]?

    init() {}

    fileprivate init(copying other: Findings) {
      (visits, told, watches, number) = (other.visits, other.told, other.watches, other.number)
    }
  }

  /// What a search knows, for a task that goes on with the deliveries.
  ///
  /// `@unchecked` because the findings are a copy of the search's, and one task at a time goes on with them.
  struct Progress: @unchecked Sendable {
    fileprivate var tellings = 0
    fileprivate var findings: Findings?
  }

  /// True once a cycle has been found.
  private(set) var isOver = false
  /// The number of deliveries that followed from others.
  private var tellings = 0
  private var findings: Findings?

  @inline(__always)
  init() {}

  /// Creates a search that goes on with another one.
  init(_ progress: Progress) { (tellings, findings) = (progress.tellings, progress.findings) }

  /// The observer that is being told, or was told last, if observers are counted.
  var told: ObjectIdentifier? {
    get { findings?.told }
    set { findings?.told = newValue }
  }

  /// A copy of what the search knows; after a report that is nothing.
  var progress: Progress {
    isOver ? Progress() : Progress(tellings: tellings, findings: findings.map { Findings(copying: $0) })
  }

  /// Moves what the search knows out, for one that goes on with it, or that this one has gone on for; after a report
  /// that is nothing, either.
  mutating func takeProgress() -> Progress {
    defer { (tellings, findings) = (0, nil) }
    return isOver ? Progress() : Progress(tellings: tellings, findings: findings)
  }

  /// Notes that an observer is told of a commit that follows from no delivery.
  @inline(__always)
  func noteFirst() {
    if let findings { findings.told = nil }
  }

  /// Notes that an observer is told of what follows from another delivery.
  ///
  /// - Returns: the hop of what follows from that.
  @inline(__always)
  mutating func note(_ observer: CommitObserver, at hop: DeliveryHop) -> DeliveryHop {
    tellings &+= 1
    if hop.count <= Self.uncountedHops, hop.watches == 0, tellings & (Self.firstWatch - 1) != 0 {
      noteFirst()
      return hop
    }
    return noteClosely(observer, at: hop)
  }

  @inline(never)
  private mutating func noteClosely(_ observer: CommitObserver, at hop: DeliveryHop) -> DeliveryHop {
    let (member, findings) = (observer.cycleMember, findings ?? Findings())
    self.findings = findings
    var watches = hop.search == findings.number ? hop.watches : 0
    let watched = findings.countWatches(watches, of: member)
    findings.told = watched.isCollecting || hop.count > Self.uncountedHops ? member : nil
    let isFrequent = findings.told != nil && findings.count(observer, member, at: hop)
    watches |= findings.beginWatch(of: member, at: tellings)
    // Where several threads deliver, each knows a part of the cycle only.
    let isAlone = hop.count <= tellings
    if !isOver, watched.isFrequent || isFrequent,
      let cycle = findings.cycle(through: member) ?? (isAlone ? nil : findings.frequentMembers)
    {
      isOver = true
      findings.cycle = Array(Set(cycle.compactMap { findings.visits[$0]?.identifier }))
    }
    return DeliveryHop(count: hop.count, watches: watches, of: findings.number)
  }

  /// Takes the bindings of a cycle that has been found, once.
  @inline(__always)
  func takeCycle() -> [EffectID]? { isOver ? findings?.cycle.take() : nil }

  /// Notes that an observer has something new, which follows from the last telling.
  @inline(__always)
  func noteNews(of observer: CommitObserver) {
    if let findings, let told = findings.told { findings.noteEdge(from: told, to: observer.cycleMember) }
  }
}

extension CycleSearch.Findings {
  @inline(never)
  fileprivate func noteEdge(from told: ObjectIdentifier, to member: ObjectIdentifier) {
    visits[told]?.leadsTo.insert(member)
  }

  // MARK: Watches

  /// Counts a telling of an observer for the watches of it that it follows from.
  ///
  /// - Returns: whether it follows from one that has been counted so often that the cycle's members are collected; and
  ///   whether it is time to look for the observer's cycle.
  fileprivate func countWatches(
    _ bits: UInt32, of member: ObjectIdentifier
  ) -> (isCollecting: Bool, isFrequent: Bool) {
    var (left, isCollecting, isFrequent) = (bits, false, false)
    while left != 0 {
      let index = left.trailingZeroBitCount
      left &= left - 1
      // A search on another thread may have the same number, and more watches.
      guard index < watches.count else { break }
      if watches[index].member == member {
        watches[index].count += 1
        isFrequent = isFrequent || Self.isDue(watches[index].count)
      }
      if watches[index].count >= CycleSearch.collectedVisits { isCollecting = true }
    }
    return (isCollecting, isFrequent)
  }

  /// Returns whether it is time to look for a cycle: after 1,000 times, and, because the members of a wide cycle may not
  /// all have been told by then, each time that this has doubled.
  private static func isDue(_ count: Int) -> Bool {
    let (times, rest) = count.quotientAndRemainder(dividingBy: CycleSearch.visitLimit)
    return rest == 0 && times.nonzeroBitCount == 1
  }

  /// Begins to watch the observer, if it is time for another watch.
  ///
  /// - Returns: its bit.
  fileprivate func beginWatch(of member: ObjectIdentifier, at tellings: Int) -> UInt32 {
    let count = watches.count
    guard count < DeliveryHop.watchLimit, tellings == CycleSearch.firstWatch << count else { return 0 }
    if count == 0 { number = 1 + CycleSearch.lastNumber.add(1, ordering: .relaxed).newValue % 0x7FF }
    watches.append(CycleSearch.Watch(member: member))
    return 1 << UInt32(count)
  }

  // MARK: Cycles

  /// Counts that an observer is told.
  ///
  /// - Returns: true if it is time to look for its cycle.
  fileprivate func count(_ observer: CommitObserver, _ member: ObjectIdentifier, at hop: DeliveryHop) -> Bool {
    var visit = visits.removeValue(forKey: member) ?? CycleSearch.Visit(identifier: observer.identifier)
    defer { visits[member] = visit }
    guard hop.count > visit.hops, hop.count > CycleSearch.uncountedHops else { return false }
    visit.hops = hop.count
    visit.count += 1
    return Self.isDue(visit.count)
  }

  /// Returns the observers that lead to each other and to this one, without those that only watch.
  fileprivate func cycle(through member: ObjectIdentifier) -> [ObjectIdentifier]? {
    var graph = DirectedGraph<ObjectIdentifier>()
    for (member, visit) in visits { for next in visit.leadsTo { graph.connect(member, to: next) } }
    return graph.cycles.first { $0.contains(member) }
  }

  fileprivate var frequentMembers: [ObjectIdentifier] {
    visits.filter { $0.value.count >= CycleSearch.visitLimit / 2 }.map(\.key)
  }
}
