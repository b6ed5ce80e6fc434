import AsyncStore
import Synchronization

/// The saves that the commits of a store request.
///
/// The saves are effects of a store of their own: cancelling the effects of the saved store does not cancel them. One
/// save runs at a time. Changes that come meanwhile wait for it and its retries, and are saved together. So a change
/// doesn't shorten the delay after a failure, and a slow storage takes one thread.
final class ScheduledSaves: Sendable {
  typealias Effect = AsyncStore<Void, Void>.Effect

  private let store: AsyncStore<Void, Void>
  private let schedule: SavingSchedule
  private let save: Effect
  /// The effect of a change in an activity of the store, which is the same for all changes.
  private let current: Mutex<(activity: Int, effect: Effect)>

  /// - Parameters:
  ///   - store: runs only these effects.
  ///   - save: saves the current state, and retries if that fails.
  init(in store: AsyncStore<Void, Void>, by schedule: SavingSchedule, _ save: Effect) {
    self.store = store
    self.schedule = schedule
    self.save = save
    current = Mutex((0, Self.effect(of: save, in: 0, by: schedule)))
  }

  private static func effect(of save: Effect, in activity: Int, by schedule: SavingSchedule) -> Effect {
    let id = EffectID(activity)
    // A save that finds another one waiting is dropped, because the waiting one will save the newest state.
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

  /// Cancels the saves that were requested in an activity of the store; a save that is being written finishes.
  func cancel(in activity: Int) { store.receive(.cancel(prefix: activity), isolation: nil) }
}
