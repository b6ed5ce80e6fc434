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
  var hasMixedWidths = false
  /// The number of holders whose attached part has not settled.
  var active: Int32 = 0
  /// The number of cancelled holders whose operations have not returned, or whose cleanup has not settled.
  var cleaningUp: Int32 = 0
  /// Fibers to notify when nothing is in flight under the identifier.
  var joiners = JoinerList()
  /// The fiber that sleeps until a throttle's window ends, and the fiber that waits for that window.
  var window = FiberSlot.none
  var throttled = FiberSlot.none

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
