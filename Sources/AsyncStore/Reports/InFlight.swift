/// The effects that a store has in flight at one moment: the live tree.
public struct InFlight: RandomAccessCollection, Sendable, CustomStringConvertible {
  private let effects: [InFlightEffect]
  /// The store of the effects; `nil` if there are none.
  let store: StoreIdentity?

  init(_ effects: [InFlightEffect], of store: StoreIdentity) { (self.effects, self.store) = (effects, store) }

  /// Creates a list without effects.
  package init() { (effects, store) = ([], nil) }

  /// The first position, 0.
  public var startIndex: Int { effects.startIndex }
  /// The position after the last one.
  public var endIndex: Int { effects.endIndex }
  /// The effect at a position; parents come before their children.
  public subscript(position: Int) -> InFlightEffect { effects[position] }

  /// The tree, one effect per line, with children indented.
  public var description: String {
    effects.map { String(repeating: "  ", count: Swift.min($0.depth, 64)) + $0.description }.joined(separator: "\n")
  }
}

/// One effect in flight.
public struct InFlightEffect: Identifiable, Sendable, CustomStringConvertible {
  /// A number that distinguishes the effect from all others in flight.
  public let id: UInt64
  /// The effect in flight that contains this one, if there is one.
  public let parent: UInt64?
  /// The number of effects in flight around this one.
  public let depth: Int
  /// The effect's own identifier, if it has one.
  public let identifier: EffectID?
  /// The effect's own label, if it has one.
  public let label: String?
  /// The kind of the effect.
  public var kind: EffectKind { effect?.kind ?? .concatenate }
  /// The identifier, label or time of the effect; empty if there is none.
  public var detail: String { effect?.detail ?? "" }
  /// The wait of the effect; see also ``InFlight/waitGraph``.
  public let wait: EffectWait
  /// The time since the effect began, on the store's clock.
  public let age: Duration
  /// The time until the effect's deadline, if it has one.
  public let remaining: Duration?
  /// True if the effect has been cancelled and is still cleaning up.
  public let isCancelled: Bool
  /// The place in the source code where the effect was written, if it is known.
  public var location: CallSite? { effect?.location }

  // Formatted only on request, because that calls user code, which must not run under the lock.
  private let effect: EffectDescription?
  /// True if the effect that contains it waits for it.
  let isAwaited: Bool
  /// For a cleanup, the cancelled effect that stays for it.
  let origin: UInt64?
  /// The number of the tree that contains the effect.
  let tree: UInt64

  init(
    id: UInt64, parent: UInt64?, depth: Int, tree: UInt64, identifier: EffectID?, label: String?,
    _ effect: EffectDescription?, _ wait: EffectWait, isAwaited: Bool, origin: UInt64?, age: Duration,
    remaining: Duration?, isCancelled: Bool
  ) {
    (self.id, self.parent, self.depth, self.tree) = (id, parent, depth, tree)
    (self.identifier, self.label) = (identifier, label)
    (self.effect, self.wait) = (effect, wait)
    (self.isAwaited, self.origin) = (isAwaited, origin)
    (self.age, self.remaining, self.isCancelled) = (age, remaining, isCancelled)
  }

  /// The effect in one line.
  public var description: String {
    var words: [String] = []
    if let identifier { words.append("[\(identifier.description.onOneLine)]") }
    if let label { words.append("\"\(label.onOneLine)\"") }
    words.append(EffectDescription(kind, .text(detail)).description)
    words.append("· \(wait)")
    if isCancelled { words.append("· cancelled") }
    words.append("· \(age.roundedToMilliseconds) old")
    if let remaining { words.append("· \(remaining.roundedToMilliseconds) left") }
    if let location, location.line > 0 { words.append("(\(location))") }
    return words.joined(separator: " ")
  }
}

extension String {
  /// The text with its line breaks written out, because a name may come from a client.
  fileprivate var onOneLine: String {
    contains(where: \.isNewline) ? map { $0.isNewline ? "\\n" : String($0) }.joined() : self
  }
}

extension Duration {
  fileprivate var roundedToMilliseconds: Duration { .milliseconds((self / .milliseconds(1)).rounded()) }
}
