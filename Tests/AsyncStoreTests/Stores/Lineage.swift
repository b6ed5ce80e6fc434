/// The place of a part of a program's effect: the parts that enclose it, which may end it, and the parts that precede
/// it.
///
/// The model of laws 7, 8, 10 and 19. It does not use the store's own bookkeeping: the test passes in the calls that
/// have returned, and the events that the program observes.
///
/// `@unchecked` because only the thread that runs the program touches it.
final class Lineage: @unchecked Sendable {
  enum Kind: Equatable {
    /// A received effect.
    case root
    /// An effect with an identifier, a binding, or a timer.
    case named(Int, ProgramPolicy)
    /// An effect that a lift has begun in the store.
    case lifted
    /// A member of a `concatenate`, by its place.
    case member(Int)
    /// A cleanup, or the effect that answers an error. It outlives the cancel of the part that encloses it, but not
    /// the store's activity.
    case afterlife
    /// The effect of a tick or of a binding's value. Nothing waits for it.
    case detached
  }

  /// The reason for an end.
  enum Bar {
    case cancelled, deactivated
    /// The effect was received by a store that was not active.
    case refused
  }

  let kind: Kind
  let store: StoreName
  let parent: Lineage?
  /// The sequence that the members of one `concatenate` share.
  ///
  /// It records the furthest member that has begun.
  let sequence: Sequence?
  /// True if some part of it was observed to happen, or must have begun.
  private(set) var hasBegun = false
  private(set) var bar: Bar?
  /// True if the call that ended it has returned, so that its operations know.
  var isKnownOver = false
  /// True for a timer or a binding of a draining store.
  ///
  /// It has no further tick or value.
  var isStopped = false
  /// The number of shutdowns that may have ended it at an unknown moment.
  var doubts = 0

  final class Sequence {
    var furthest = 0
  }

  init(_ kind: Kind, in store: StoreName, below parent: Lineage?, sequence: Sequence? = nil) {
    (self.kind, self.store, self.parent, self.sequence) = (kind, store, parent, sequence)
  }

  /// - Parameter isKnown: true if the call that ended it has returned.
  func end(_ bar: Bar, isKnown: Bool = false) {
    isKnownOver = isKnownOver || isKnown
    if self.bar == nil || bar == .deactivated { self.bar = bar }
  }

  /// True if this part or one that encloses it has been ended.
  ///
  /// It then commits nothing more.
  var isOver: Bool { isEnded { _ in true } }

  /// True if its operations have to know that it has been ended.
  var mustKnow: Bool { isEnded(where: \.isKnownOver) }

  private func isEnded(where condition: (Lineage) -> Bool) -> Bool {
    var afterlife: Lineage?
    for lineage in path {
      guard condition(lineage) || lineage.bar == nil else { continue }
      switch lineage.bar {
      case nil: break
      case .cancelled: if afterlife == nil { return true }
      case .refused: return true
      case .deactivated: if afterlife.map({ $0.store == lineage.store }) ?? true { return true }
      }
      if afterlife == nil, lineage.kind == .afterlife { afterlife = lineage }
    }
    return false
  }

  /// This part and those that enclose it, the innermost first.
  var path: some Swift.Sequence<Lineage> { sequence(first: self, next: \.parent) }

  var name: Int? { if case .named(let name, _) = kind { name } else { nil } }

  var isLifted: Bool { path.contains { $0.kind == .lifted } }

  /// True if a part with the same name encloses it.
  ///
  /// The laws do not say which of the two ends the other.
  var isSelfEnclosed: Bool {
    guard let name else { return false }
    return path.dropFirst().contains { $0.name == name && $0.store == store }
  }

  /// Records that some part of it happens.
  ///
  /// - Returns: the scopes that have begun with it, outermost last, and whether that breaks the order of a
  ///   `concatenate`.
  func happens() -> (begun: [Lineage], isOutOfOrder: Bool) {
    var begun: [Lineage] = []
    var isOutOfOrder = false
    var (isAttached, isAfterlife) = (true, false)
    for lineage in path {
      // A cleanup may be the first of a scope that is seen, long after the scope has begun and ended.
      if !lineage.hasBegun, !isAfterlife {
        lineage.hasBegun = true
        begun.append(lineage)
      }
      switch lineage.kind {
      case .afterlife: (isAttached, isAfterlife) = (false, true)
      case .detached: isAttached = false
      case .member(let place):
        guard isAttached, let sequence = lineage.sequence else { break }
        if place < sequence.furthest { isOutOfOrder = true }
        sequence.furthest = max(sequence.furthest, place)
      default: break
      }
    }
    return (begun, isOutOfOrder)
  }

  private func sequence(first: Lineage, next: @escaping (Lineage) -> Lineage?) -> UnfoldFirstSequence<Lineage> {
    Swift.sequence(first: first, next: next)
  }
}
