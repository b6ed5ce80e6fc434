/// The entry of one identifier: its holders, the effects that wait for it, and those that wait for its end.
struct Registration<Identifier> {
  /// The identifier, or `nil` if the slot is free.
  var identifier: Identifier?
  /// A number that increases with each identifier that comes into use.
  var sequence: UInt64 = 0
  var holders = SlotList()
  /// Fibers under a queueing policy, or under `replaceAfterCleanup`, that have not begun.
  var waiting = SlotList()
  /// True if the waiting fibers may need different numbers of places.
  private(set) var hasMixedWidths = false
  /// The number of holders whose attached part has not settled.
  private(set) var active: Int32 = 0
  /// The number of cancelled holders whose operations have not returned, or whose cleanup has not settled.
  private(set) var cleaningUp: Int32 = 0
  /// Fibers to notify when nothing is in flight under the identifier.
  var joiners = JoinerList()
  /// The fiber that sleeps until a throttle's window ends, and the fiber that waits for that window.
  var window = FiberSlot.none
  var throttled = FiberSlot.none

  /// Records that a holder has begun.
  mutating func takePlace() { active += 1 }

  /// Records that the attached part of a holder has settled.
  mutating func freePlace() { active -= 1 }

  /// Records that a holder has been cancelled, and stays until everything that it leaves behind is gone.
  ///
  /// - Parameter freesPlace: true if its attached part had not settled.
  mutating func beginCleanup(freesPlace: Bool) {
    if freesPlace { freePlace() }
    cleaningUp += 1
  }

  /// Records that nothing of a cancelled holder is left.
  mutating func endCleanup() { cleaningUp -= 1 }

  /// Records that a fiber that needs this many places gets in line.
  ///
  /// - Parameter first: the number that the first in line needs, if there is one.
  mutating func noteWidth(_ width: Int32, behind first: Int32?) {
    hasMixedWidths = first.map { hasMixedWidths || width != $0 } ?? false
  }

  /// Forgets what an unused registration may still know; the rest equals a new one.
  mutating func clear() { (identifier, window, joiners, hasMixedWidths) = (nil, .none, JoinerList(), false) }

  var isUnused: Bool { holders.isEmpty && waiting.isEmpty && cleaningUp == 0 && !throttled.exists }
  /// True if nothing is in flight under the identifier; a throttle's window is not an effect.
  var isFree: Bool {
    holders.count == (window.exists ? 1 : 0) && waiting.isEmpty && cleaningUp == 0 && !throttled.exists
  }
  /// The number of taken places under a queueing policy; a cancelled holder keeps its place until it is gone.
  var occupied: Int { Int(active) + Int(cleaningUp) }
  /// True if nothing under the identifier is running, waiting to run, or cleaning up.
  var isIdle: Bool { active == 0 && cleaningUp == 0 && waiting.isEmpty && !throttled.exists }
}
