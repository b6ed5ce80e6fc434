/// The schedule by which a changed state is saved.
public struct SavingSchedule: Hashable, Sendable {
  private enum Kind: Hashable { case debounce, throttle, immediate, onDemand }

  private let kind: Kind
  private let duration: Duration

  /// Saves when the state has not changed for a while.
  ///
  /// A state that keeps changing is not saved until it stops; for such a state use ``throttle(for:)``.
  public static func debounce(for duration: Duration) -> SavingSchedule {
    SavingSchedule(kind: .debounce, duration: duration)
  }

  /// Saves at most once in a period of time, however often the state changes.
  public static func throttle(for duration: Duration) -> SavingSchedule {
    SavingSchedule(kind: .throttle, duration: duration)
  }

  /// Saves after each change.
  ///
  /// A change that comes before an earlier one has been written takes its place.
  public static let immediate = SavingSchedule(kind: .immediate, duration: .zero)

  /// Saves when ``Persistence/save()`` is called, and when the store is deactivated; never in between.
  ///
  /// Use it for a program that acknowledges a change only once it has been saved, and takes back one that could not be.
  public static let onDemand = SavingSchedule(kind: .onDemand, duration: .zero)

  func apply<State, Env>(_ effect: AsyncStore<State, Env>.Effect, _ id: EffectID) -> AsyncStore<State, Env>.Effect {
    switch kind {
    case .debounce: effect.debounce(for: duration, id: id)
    case .throttle: effect.throttle(for: duration, id: id)
    case .immediate: effect.id(id)
    case .onDemand: .none
    }
  }
}
