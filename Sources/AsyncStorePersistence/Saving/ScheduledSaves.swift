import AsyncStore
import Synchronization

/// The saves that the commits of a store request.
///
/// They are effects of a store of their own: cancelling the effects of the store whose state they save does not cancel
/// them. One is written at a time. The changes that come meanwhile wait for it, with its retries, and are saved
/// together: so a change doesn't cut the delay after a failure short, and a slow storage takes one thread.
final class ScheduledSaves: Sendable {
  typealias Effect = AsyncStore<Void, Void>.Effect

  private let store: AsyncStore<Void, Void>
  private let schedule: SavingSchedule
  private let save: Effect
  /// The effect of a change in an activity of the store; it is the same for all of them.
  private let current: Mutex<(activity: Int, effect: Effect)>

  /// - Parameters:
  ///   - store: runs these effects only.
  ///   - save: saves the state as it is then, and tries again if that fails.
  init(in store: AsyncStore<Void, Void>, by schedule: SavingSchedule, _ save: Effect) {
    self.store = store
    self.schedule = schedule
    self.save = save
    current = Mutex((0, Self.effect(of: save, in: 0, by: schedule)))
  }

  private static func effect(of save: Effect, in activity: Int, by schedule: SavingSchedule) -> Effect {
    let id = EffectID(activity)
    // One that finds another one waiting is dropped, because that one will save the newest state.
    return schedule.effect(save.id(id.appending("save"), .queue(capacity: 1)), id)
  }

  /// Schedules a save for a change.
  func request(in activity: Int) {
    let effect = current.withLock { current in
      if current.activity != activity { current = (activity, Self.effect(of: save, in: activity, by: schedule)) }
      return current.effect
    }
    // A save belongs to the store, and not to the task that made the change.
    store.receiveWithoutInheriting(effect)
  }

  /// Cancels the saves that were requested in an activity of the store; one that is being written is finished.
  func cancel(in activity: Int) { store.receive(.cancel(prefix: activity), isolation: nil) }
}
