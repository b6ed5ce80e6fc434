/// The races without a winner that a search has met.
final class RaceMemo {
  /// The held-up races, each once.
  private(set) var all: Set<FiberSlot> = []
  private var winnable: [FiberSlot: Bool] = [:]
  /// The races that can't be won, if an earlier call has found them.
  private var lost: Set<FiberSlot>?

  func note(_ race: FiberSlot) { all.insert(race) }
  func forgetFound() { all.removeAll() }
  func know(_ lost: Set<FiberSlot>) { self.lost = lost }

  /// Returns whether some entrant can still win; computed once per race, which may have many entrants.
  func canBeWon(_ race: FiberSlot, unlessKnown find: (FiberSlot) -> Bool) -> Bool {
    if let lost { return !lost.contains(race) }
    if let known = winnable[race] { return known }
    let canBeWon = find(race)
    winnable[race] = canBeWon
    return canBeWon
  }
}
