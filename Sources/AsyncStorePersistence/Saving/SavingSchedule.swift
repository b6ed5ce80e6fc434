/// The schedule by which a changed state is saved.
public struct SavingSchedule: Hashable, Sendable {
  private enum Kind: Hashable { case debounced, throttled, immediate, onDemand }

  private let kind: Kind
  private let duration: Duration

  /// Saves when the state has not changed for a while.
  ///
  /// A state that changes all the time is not saved before it comes to rest; see ``throttled(for:)``.
  public static func debounced(for duration: Duration) -> SavingSchedule {
    SavingSchedule(kind: .debounced, duration: duration)
  }

  /// Saves at most once in a length of time, however often the state changes.
  public static func throttled(for duration: Duration) -> SavingSchedule {
    SavingSchedule(kind: .throttled, duration: duration)
  }

  /// Saves after each change.
  ///
  /// A change that comes before the last one has been written replaces it.
  public static let immediate = SavingSchedule(kind: .immediate, duration: .zero)

  /// Saves when ``Persistence/save()`` is called, and when the store is deactivated; never in between.
  ///
  /// Use it for a program that acknowledges each change only when it has been saved, and takes back changes that could
  /// not be saved.
  public static let onDemand = SavingSchedule(kind: .onDemand, duration: .zero)

  func apply<State, Env>(_ effect: AsyncStore<State, Env>.Effect, _ id: EffectID) -> AsyncStore<State, Env>.Effect {
    switch kind {
    case .debounced: effect.debounce(for: duration, id: id)
    case .throttled: effect.throttle(for: duration, id: id)
    case .immediate: effect.id(id)
    case .onDemand: .none
    }
  }
}
