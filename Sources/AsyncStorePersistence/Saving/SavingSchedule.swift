import AsyncStore

/// The schedule for saving a changed state.
///
/// Each commit of the store counts as a change, and so does a silent change, even if it leaves the saved part
/// unchanged.
public struct SavingSchedule: Hashable, Sendable {
  private enum Kind: Hashable { case debounce, throttle, immediate, onDemand }

  private let kind: Kind
  private let duration: Duration
  private let limit: Duration

  private init(_ kind: Kind, _ duration: Duration = .zero, limit: Duration = .zero) {
    (self.kind, self.duration, self.limit) = (kind, duration, limit)
  }

  /// Saves when the state has not changed for a while, or at the latest after a limit while it keeps changing.
  ///
  /// - Parameters:
  ///   - duration: the time without a change; zero or less saves after each change.
  ///   - limit: the maximum time from a change to its save, however often the state changes; by default ten times
  ///     `duration`. A save that fails, or that has to wait for an earlier one, takes longer.
  public static func debounce(for duration: Duration, atMost limit: Duration? = nil) -> SavingSchedule {
    SavingSchedule(.debounce, duration, limit: limit ?? duration * 10)
  }

  /// Saves at most once in a period of time, however often the state changes.
  ///
  /// Changes that come while a save takes longer than that are saved when it ends.
  public static func throttle(for duration: Duration) -> SavingSchedule { SavingSchedule(.throttle, duration) }

  /// Saves after each change.
  ///
  /// While a change is being written, later changes wait, and are written together.
  public static let immediate = SavingSchedule(.immediate)

  /// Saves when ``Persistence/save()`` is called, and when the store is deactivated; never in between.
  ///
  /// Use it for a program that acknowledges a change only once it has been saved, and takes back a change that could
  /// not be saved.
  public static let onDemand = SavingSchedule(.onDemand)

  /// Returns the effect of a change, which waits as the schedule says and then saves.
  ///
  /// - Parameter id: the prefix of the identifiers of waits and windows; no effect has it as its own identifier.
  func effect(_ save: AsyncStore<Void, Void>.Effect, _ id: EffectID) -> AsyncStore<Void, Void>.Effect {
    switch kind {
    case .debounce where duration <= .zero: return save
    case .debounce:
      let (quiet, latest) = (id.appending("quiet"), id.appending("latest"))
      // Only the waits have a name, so that a later change ends no save. Each sequence ends with a wait that is
      // replaced, or refused because there already is one.
      let saveNow = AsyncStore<Void, Void>.Effect.concatenate(.cancel(quiet), .cancel(latest), save)
      return .merge(
        .sequence(.sleep(duration).id(quiet), saveNow), .sequence(.sleep(limit).id(latest, .keepFirst), saveNow))
    case .throttle: return save.throttle(for: duration, id: id.appending("window"))
    case .immediate: return save
    case .onDemand: return .none
    }
  }
}
