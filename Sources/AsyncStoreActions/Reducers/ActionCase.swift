/// One case of an enumeration of actions that carries the actions of a part.
///
/// ```swift
/// enum HouseAction: Sendable { case door(String), light(Bool) }
/// let light = ActionCase(embed: HouseAction.light) { if case .light(let isOn) = $0 { isOn } else { nil } }
/// // light.extract(.light(true)) == true
/// // light.extract(.door("front")) == nil
/// ```
///
/// **Isolation.** A store calls both functions under its lock; they must not call it.
public struct ActionCase<Whole: Sendable, Value: Sendable>: Sendable {
  /// Makes an action of the whole from an action of the part.
  public let embed: @Sendable (Value) -> Whole
  /// Returns the part's action in an action of the whole, or `nil` if that is another case.
  public let extract: @Sendable (Whole) -> Value?

  /// Creates a case from its constructor and a pattern.
  public init(embed: @escaping @Sendable (Value) -> Whole, extract: @escaping @Sendable (Whole) -> Value?) {
    self.embed = embed
    self.extract = extract
  }
}
