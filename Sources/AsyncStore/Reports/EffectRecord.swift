/// The effect that an event is about.
public struct EffectRecord: Hashable, Identifiable, Sendable, CustomStringConvertible {
  /// An attempt of a retry.
  public struct RetryAttempt: Hashable, Sendable {
    /// The number of the attempt, from 1.
    public let number: Int
    /// The effect that retries: the `id` of its record.
    public let effect: UInt64
    /// The number of the retry, unique in the store's lifetime, even among retries of the same ``effect``.
    public let retry: UInt64
  }

  /// The number of the effect's path, which ``AnyAsyncStore/inFlight`` shows too.
  ///
  /// A path is effects that follow each other in one `concatenate`, operations that return one another, or the attempts
  /// of one operation. Only one of them is in flight at any time. No other path of the store has or had the number.
  public var id: UInt64 { content.place.number }
  /// The number of the effect in flight that contains this one, if there is one.
  public var parent: UInt64? { content.place.parent }
  /// The number of the tree that contains the effect.
  ///
  /// All effects of one `receive` have the same.
  public var tree: UInt64 { content.place.tree }
  /// True if the effect has been cancelled.
  ///
  /// An operation that throws afterwards has not failed: usually it throws because it was cancelled.
  public var isCancelled: Bool { content.place.isCancelled }
  /// The attempt that this effect is, or is part of; if there are several, that of the nearest retry around it.
  public var attempt: RetryAttempt? {
    content.place.attempt.map { RetryAttempt(number: $0.number, effect: $0.fiber, retry: $0.retry) }
  }
  /// The nearest enclosing identifier.
  public var identifier: EffectID? { content.place.identifier }
  /// The identifiers around the nearest one, from the inside out; at most eight.
  public var outerIdentifiers: [EffectID] { content.place.outer }
  /// The nearest enclosing label.
  public var label: String? { content.place.label }
  /// The kind of the effect, and the place in the source code where it was written.
  public var effect: EffectDescription { content.effect }

  private let content: EventRecord

  init(_ content: EventRecord) { self.content = content }

  /// The identifier, the label and the effect in one line.
  public var description: String {
    var words: [String] = []
    if let identifier { words.append("[\(identifier)]") }
    if let label { words.append("\"\(label)\"") }
    return (words + [effect.description]).joined(separator: " ")
  }

  /// Returns whether two records have the same content for the same effect.
  public static func == (left: EffectRecord, right: EffectRecord) -> Bool {
    left.content === right.content
      || (left.id, left.parent, left.tree, left.isCancelled) == (right.id, right.parent, right.tree, right.isCancelled)
        && (left.attempt, left.identifier, left.outerIdentifiers) == (
          right.attempt, right.identifier, right.outerIdentifiers
        ) && (left.label, left.effect) == (right.label, right.effect)
  }

  /// Hashes the numbers of the effect and of its tree.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(tree)
  }
}
