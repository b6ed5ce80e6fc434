/// The effect in another store that has lifted an effect.
public struct EffectOrigin: Hashable, Sendable {
  /// Boxed, because all events are as large as the largest one, and are moved often.
  private final class Content: Sendable {
    let store: StoreIdentity
    let effect: UInt64

    init(_ store: StoreIdentity, _ effect: UInt64) { (self.store, self.effect) = (store, effect) }
  }

  private let content: Content

  init(store: StoreIdentity, effect: UInt64) { content = Content(store, effect) }

  /// The store of the lift.
  public var store: StoreIdentity { content.store }
  /// The number of the lift: the `id` of its record.
  public var effect: UInt64 { content.effect }

  /// Returns whether two origins are the same effect.
  public static func == (left: EffectOrigin, right: EffectOrigin) -> Bool {
    (left.store, left.effect) == (right.store, right.effect)
  }

  /// Hashes the store and the number of the effect.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(store)
    hasher.combine(effect)
  }
}
