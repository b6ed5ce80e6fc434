/// Work that continues elsewhere, and still counts as following from the deliveries that led to it.
extension DeliveryLoop {
  /// The deliveries that led to this thread's current work; `nil` if none did.
  static var lineage: DeliveryLineage? {
    guard let current, !(current.pointee.isFollowing && current.pointee.followsNothing) else { return nil }
    return DeliveryLineage(hop: current.pointee.hop.bits, lastNotified: current.pointee.search.lastNotified)
  }

  /// Makes this thread's next work a consequence of these deliveries.
  static func setLineage(to lineage: DeliveryLineage?) {
    guard let current else { return }
    current.pointee.followsNothing = lineage == nil
    current.pointee.hop = DeliveryHop(bits: lineage?.hop ?? 0)
    current.pointee.search.lastNotified = lineage?.lastNotified
  }

  /// Returns the hop for an observer's news, from the deliveries that led to this thread's current work.
  @inline(__always)
  static func hop(toNewsOf observer: CommitObserver) -> DeliveryHop {
    guard let current else { return .none }
    if current.pointee.isFollowing, current.pointee.followsNothing { return .none }
    current.pointee.search.noteNews(of: observer)
    return current.pointee.hop.next
  }

  /// The deliveries that led to this thread's work, with the state of the cycle search, for a task or a turn that
  /// continues the work.
  struct Trail {
    let hop: DeliveryHop
    fileprivate var progress: DeliveryCycleSearch.Progress

    /// The trail of work that follows from no delivery.
    static var empty: Trail { Trail(hop: .none, progress: DeliveryCycleSearch.Progress()) }
  }

  static var trail: Trail? {
    guard let current, lineage != nil else { return nil }
    return Trail(hop: current.pointee.hop, progress: current.pointee.search.copy)
  }

  /// The trail for a waiting effect.
  ///
  /// The trail keeps few of the observers that the search has met, because each wait keeps them, and a chain of stores
  /// may be long.
  static var shortTrail: Trail? {
    var trail = trail
    trail?.progress.forgetManyVisits()
    return trail
  }

  /// Runs `body`, which follows from deliveries on another thread, with their trail.
  static func follow(_ trail: consuming Trail?, _ body: () -> Void) {
    guard let hop = trail?.hop, let progress = trail.take()?.progress else { return body() }
    follow(hop, consume progress, body)
  }

  /// Runs `body`, which has waited for its turn, with the trail of its wait, or with none if it follows from no
  /// delivery.
  ///
  /// Very deep inside other deliveries, `body` counts as following from those.
  static func followTurn(_ trail: consuming Trail?, _ body: () -> Void) {
    if let current, current.pointee.depth >= greatestDepth { return body() }
    if trail == nil, lineage == nil { return body() }
    follow(trail ?? .empty, body)
  }

  /// Runs a call's work that may continue with effects that have waited and that follow from deliveries.
  static func begin(_ body: () -> Void) {
    var loop = DeliveryLoop()
    (loop.isFollowing, loop.followsNothing) = (true, true)
    run(in: &loop) { _ in body() }
  }

  private static func follow(_ hop: DeliveryHop, _ progress: consuming DeliveryCycleSearch.Progress, _ body: () -> Void)
  {
    var loop = DeliveryLoop()
    loop.search = DeliveryCycleSearch(consume progress)
    (loop.hop, loop.isFollowing) = (hop, true)
    loop.depth = current.map { $0.pointee.depth + 1 } ?? 0
    run(in: &loop) { _ in body() }
  }
}
