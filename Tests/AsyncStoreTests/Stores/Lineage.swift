/// Where a part of a program's effect lives: what may end it, and what it comes after.
///
/// The model of laws 7, 8, 10 and 19. Of the store's own bookkeeping it knows nothing: it is told which calls have
/// returned, and what the program sees happen.
///
/// `@unchecked` because only the thread that runs the program touches it.
final class Lineage: @unchecked Sendable {
  enum Kind: Equatable {
    /// A received effect.
    case root
    /// What an identifier names; also a binding or a timer.
    case named(Int, ProgramPolicy)
    /// What a lift has begun in the store.
    case lifted
    /// A member of a `concatenate`, by its place.
    case member(Int)
    /// A clean-up, or the effect that answers an error. It outlives the cancel of what it lay in, and not the store's
    /// activity.
    case afterlife
    /// The effect of a tick or of a binding's value: nothing waits for it.
    case detached
  }

  /// What ended it.
  enum Bar {
    case cancelled, deactivated
    /// It was received by a store that was not active.
    case refused
  }

  let kind: Kind
  let store: StoreName
  let parent: Lineage?
  /// For the members of one `concatenate`: the furthest that has begun.
  let sequence: Sequence?
  /// Something of it has been seen to happen, or must have begun.
  private(set) var hasBegun = false
  private(set) var bar: Bar?
  /// The call that ended it has returned, so that its operations know.
  var isKnownOver = false
  /// A timer or a binding of a store that drains: it has no further tick or value.
  var isStopped = false
  /// The number of shut-downs that may have ended it at a moment that nobody is told of.
  var doubts = 0

  final class Sequence {
    var furthest = 0
  }

  init(_ kind: Kind, in store: StoreName, below parent: Lineage?, sequence: Sequence? = nil) {
    (self.kind, self.store, self.parent, self.sequence) = (kind, store, parent, sequence)
  }

  /// - Parameter isKnown: whether the call that ended it has returned.
  func end(_ bar: Bar, isKnown: Bool = false) {
    isKnownOver = isKnownOver || isKnown
    if self.bar == nil || bar == .deactivated { self.bar = bar }
  }

  /// Whether this or what it is a part of has been ended: nothing of it commits any more.
  var isOver: Bool { isEnded { _ in true } }

  /// Whether its operations have to know that it has been ended.
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

  /// From this one outwards.
  var path: some Swift.Sequence<Lineage> { sequence(first: self, next: \.parent) }

  var name: Int? { if case .named(let name, _) = kind { name } else { nil } }

  var isLifted: Bool { path.contains { $0.kind == .lifted } }

  /// Whether one of the same name encloses it: which of them ends which is left open.
  var isSelfEnclosed: Bool {
    guard let name else { return false }
    return path.dropFirst().contains { $0.name == name && $0.store == store }
  }

  /// Something of it happens.
  ///
  /// - Returns: the scopes that have begun with it, outermost last, or why this is against the order of a
  /// `concatenate`.
  func happens() -> (begun: [Lineage], isOutOfOrder: Bool) {
    var begun: [Lineage] = []
    var isOutOfOrder = false
    var isAttached = true
    for lineage in path {
      if !lineage.hasBegun {
        lineage.hasBegun = true
        begun.append(lineage)
      }
      switch lineage.kind {
      case .afterlife, .detached: isAttached = false
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
