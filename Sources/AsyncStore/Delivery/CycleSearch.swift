import Synchronization

/// The search of one thread for deliveries that go round in a cycle.
///
/// An observer may be told in consequence of itself. That is a cycle, which mostly comes to rest; one in which an
/// observer has been told 1,000 times in consequence of itself is reported. There are two ways to find that out.
///
/// - In a cycle without branches, each round adds to the number of deliveries that have led to a value, the hops. Its
///   observers are told at 1,000 different numbers of hops.
/// - A cycle that branches, in which each round leads to two more, has few hops before its queue fills the memory. So
///   observers are watched: all that follows from a certain telling of one of them is marked, and it is counted how
///   often marked values are told to it. Where deliveries lead round in no cycle, however many they are, an observer is
///   never told what follows from itself.
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
  /// The maximum number of observers whose visits an effect keeps while it waits.
  fileprivate static let keptVisits = 128
  fileprivate static let lastNumber = Atomic<UInt32>(0)

  /// An observer that has been told again and again.
  struct Visit {
    let identifier: EffectID?
    /// The number of different hops at which it was told.
    var count = 0
    var hops: Int?
    /// The observers that had something new in consequence of it.
    var leadsTo: Set<ObjectIdentifier> = []
  }

  /// An observer one of whose tellings is watched: everything that follows from it is marked.
  struct Watch {
    let member: ObjectIdentifier
    /// The number of times that it was told what follows from that telling.
    var count = 0
  }

  /// The observers that have been looked at closely.
  struct Findings: Sendable {
    fileprivate var visits: [ObjectIdentifier: Visit] = [:]
    /// The observer that is being told, or was told last, if observers are counted.
    fileprivate var told: ObjectIdentifier?
    fileprivate var watches: [Watch] = []
    /// The number of the search that has begun the watches.
    fileprivate var number: UInt32 = 0
    /// The number of hops at which the search began, at the least.
    fileprivate var firstHops: Int?
    /// False in a copy with watches: a further one could be taken for one that the original has begun since.
    fileprivate var mayWatch = true
    /// The bindings of a cycle that has been found, and not been reported.
    fileprivate var cycle: [EffectID]?
  }

  /// The place of the findings, so that a short delivery has only a reference to release.
  private final class Box {
    var findings: Findings
    init(_ findings: Findings) { self.findings = findings }
  }

  /// The state of a search, with which another one goes on.
  struct Progress: Sendable {
    fileprivate var tellings = 0
    fileprivate var findings: Findings?

    /// Forgets what was found of observers, if these are many: those of a chain, or of a cycle that is too long to be
    /// found where each of its rounds waits for actors.
    mutating func forgetManyVisits() {
      guard let count = findings?.visits.count, count > CycleSearch.keptVisits else { return }
      findings?.visits = [:]
    }
  }

  /// True once a cycle has been found.
  private(set) var isOver = false
  /// The number of deliveries that followed from others.
  private var tellings = 0
  /// Made when an observer is first looked at closely.
  private var box: Box?

  @inline(__always)
  init() {}

  /// Creates a search that goes on with another one.
  init(_ progress: consuming Progress) {
    tellings = progress.tellings
    // Moved and not copied, so that the search has the findings to itself, and changes them in place.
    if let findings = progress.findings.take() { box = Box(findings) }
  }

  /// The observer that is being told, or was told last, if observers are counted.
  var told: ObjectIdentifier? {
    get { box?.findings.told }
    set { box?.findings.told = newValue }
  }

  /// The state, for a task that goes on beside this search; empty after a report.
  var copy: Progress {
    guard !isOver else { return Progress() }
    var progress = Progress(tellings: tellings, findings: box?.findings)
    if let findings = box?.findings, !findings.watches.isEmpty { progress.findings?.mayWatch = false }
    return progress
  }

  /// Notes that an observer is told of a commit that follows from no delivery.
  @inline(__always)
  func noteFirst() {
    if let box { box.findings.told = nil }
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
    let box = box ?? Box(Findings())
    self.box = box
    let next = box.findings.note(observer, at: hop, tellings: tellings, isOver: isOver)
    isOver = isOver || box.findings.cycle != nil
    return next
  }

  /// Takes the bindings of a cycle that has been found, once.
  @inline(__always)
  func takeCycle() -> [EffectID]? { isOver ? box?.findings.cycle.take() : nil }

  /// Notes that an observer has something new, which follows from the last telling.
  @inline(__always)
  func noteNews(of observer: CommitObserver) {
    if let box, let told = box.findings.told { box.findings.noteEdge(from: told, to: observer.cycleMember) }
  }
}

extension CycleSearch.Findings {
  /// - Returns: the hop of what follows from the telling.
  fileprivate mutating func note(
    _ observer: CommitObserver, at hop: DeliveryHop, tellings: Int, isOver: Bool
  ) -> DeliveryHop {
    let member = observer.cycleMember
    var watches = hop.search == number ? hop.watches : 0
    let watched = countWatches(watches, of: member)
    told = watched.isCollecting || hop.count > CycleSearch.uncountedHops ? member : nil
    let isFrequent = told != nil && count(observer, member, at: hop)
    watches |= beginWatch(of: member, at: tellings)
    // Where several threads deliver, each knows a part of the cycle only: more deliveries lead here than it has made.
    let first = firstHops ?? hop.count - tellings
    firstHops = first
    let isAlone = hop.count - first <= tellings
    if !isOver, watched.isFrequent || isFrequent,
      let members = cycle(through: member) ?? (isAlone ? nil : frequentMembers)
    {
      cycle = Array(Set(members.compactMap { visits[$0]?.identifier }))
    }
    return DeliveryHop(count: hop.count, watches: watches, of: number)
  }

  @inline(never)
  fileprivate mutating func noteEdge(from told: ObjectIdentifier, to member: ObjectIdentifier) {
    visits[told]?.leadsTo.insert(member)
  }

  // MARK: Watches

  /// Counts a telling of an observer for the watches of it that it follows from.
  ///
  /// - Returns: whether it follows from one that has been counted so often that the cycle's members are collected; and
  ///   whether it is time to look for the observer's cycle.
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
      if watches[index].count >= CycleSearch.collectedVisits { isCollecting = true }
    }
    return (isCollecting, isFrequent)
  }

  /// Returns whether it is time to look for a cycle.
  ///
  /// That is after 1,000 times, and each time that this has doubled, because the members of a wide cycle may not all
  /// have been told by then.
  private static func isDue(_ count: Int) -> Bool {
    let (times, rest) = count.quotientAndRemainder(dividingBy: CycleSearch.visitLimit)
    return rest == 0 && times.nonzeroBitCount == 1
  }

  /// Begins to watch the observer, if it is time for another watch.
  ///
  /// - Returns: its bit.
  private mutating func beginWatch(of member: ObjectIdentifier, at tellings: Int) -> UInt32 {
    let count = watches.count
    guard mayWatch, count < DeliveryHop.watchLimit, tellings == CycleSearch.firstWatch << count else { return 0 }
    if count == 0 { number = 1 + CycleSearch.lastNumber.add(1, ordering: .relaxed).newValue % 0x7FF }
    watches.append(CycleSearch.Watch(member: member))
    return 1 << UInt32(count)
  }

  // MARK: Cycles

  /// Counts that an observer is told.
  ///
  /// - Returns: true if it is time to look for its cycle.
  private mutating func count(_ observer: CommitObserver, _ member: ObjectIdentifier, at hop: DeliveryHop) -> Bool {
    var visit = visits.removeValue(forKey: member) ?? CycleSearch.Visit(identifier: observer.identifier)
    defer { visits[member] = visit }
    guard hop.count > max(visit.hops ?? 0, CycleSearch.uncountedHops) else { return false }
    visit.hops = hop.count
    visit.count += 1
    return Self.isDue(visit.count)
  }

  /// Returns the observers that lead to each other and to this one, without those that only watch.
  private func cycle(through member: ObjectIdentifier) -> [ObjectIdentifier]? {
    var graph = DirectedGraph<ObjectIdentifier>()
    for (member, visit) in visits { for next in visit.leadsTo { graph.connect(member, to: next) } }
    return graph.cycles.first { $0.contains(member) }
  }

  private var frequentMembers: [ObjectIdentifier] {
    visits.filter { $0.value.count >= CycleSearch.visitLimit / 2 }.map(\.key)
  }
}
