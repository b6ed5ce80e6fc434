/// The effect that an event is about.
public struct EffectRecord: Hashable, Identifiable, Sendable, CustomStringConvertible {
  /// An attempt of a retry.
  public struct RetryAttempt: Hashable, Sendable {
    /// The number of the attempt, from 1.
    public let number: Int
    /// The effect that retries: the `id` of its record.
    public let effect: UInt64
    /// The number of the retry, which no other retry of the store has or had, also none of the same ``effect``.
    public let retry: UInt64
  }

  /// The number of the effect, which no other effect of the store has or had: the one that ``AnyAsyncStore/inFlight``
  /// shows.
  ///
  /// Effects that follow each other in one `concatenate`, or of which one returns the next, are one path and share a
  /// number; so do the attempts of an operation. At any time one of them is in flight.
  public let id: UInt64
  /// The number of the effect in flight that this one is part of, if there is one.
  public let parent: UInt64?
  /// The number of the tree that the effect is part of: all of one `receive` has the same.
  public let tree: UInt64
  /// True if the effect has been cancelled.
  ///
  /// An operation that throws afterwards has not failed: mostly it throws because it was cancelled.
  public let isCancelled: Bool
  /// The attempt that the effect is, or is part of: of the nearest retry around it.
  public let attempt: RetryAttempt?
  /// The nearest enclosing identifier.
  public let identifier: EffectID?
  /// The identifiers around that one, from the inside out: eight at most.
  public let outerIdentifiers: [EffectID]
  /// The nearest enclosing label.
  public let label: String?
  /// The kind of the effect, and the place in the source code where it was written.
  public let effect: EffectDescription

  init(
    id: UInt64, parent: UInt64? = nil, tree: UInt64? = nil, isCancelled: Bool = false,
    attempt: RetryAttempt? = nil, identifier: EffectID? = nil,
    outerIdentifiers: [EffectID] = [], label: String? = nil, _ effect: EffectDescription
  ) {
    (self.id, self.parent, self.tree, self.isCancelled, self.attempt) = (id, parent, tree ?? id, isCancelled, attempt)
    (self.identifier, self.outerIdentifiers, self.label) = (identifier, outerIdentifiers, label)
    self.effect = effect
  }

  /// Identifier, label and effect in one line.
  public var description: String {
    var words: [String] = []
    if let identifier { words.append("[\(identifier)]") }
    if let label { words.append("\"\(label)\"") }
    return (words + [effect.description]).joined(separator: " ")
  }
}
