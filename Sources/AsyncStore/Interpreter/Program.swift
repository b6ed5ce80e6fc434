/// A list of sibling effects, as the machine sees them: their number and their instructions.
///
/// The machine is generic over its programs, so that it never sees a user's closure. In the store, a program is a
/// reference to the effect's own storage; in the machine's tests, it is a plain value that compares with `==`.
protocol Program {
  /// The names that scopes carry.
  associatedtype Identifier: ScopeIdentifier
  /// The error type of operations.
  associatedtype Failure
  /// The shell's data about a tree: the handle that waits for it, and the values that its operations inherit.
  associatedtype Context
  /// The label of an effect.
  associatedtype Label
  /// The description of an effect, kept after the effect itself is released.
  associatedtype Description
  /// The record of an effect that an instrument receives.
  associatedtype Record
  /// The effect in another store that has lifted a tree into this one.
  associatedtype Origin

  var count: Int { get }

  /// Returns the effect at `index`, one level deep.
  func instruction(at index: Int) -> Instruction<Self>

  /// Returns the body of a lift at `index` into this store, or `nil` for any other effect.
  func effectLifted(at index: Int, into store: ObjectIdentifier?) -> Self?

  /// True for a single operation with nothing beside it.
  var isOperation: Bool { get }

  /// The outermost enclosure of the program's only operation, or `none` if the program does anything else.
  var enclosure: Enclosure { get }

  /// Returns the number of consecutive mutations from `index` on, before `end`.
  func commits(from index: Int, to end: Int) -> Int

  /// Returns a description of the effect at `index`.
  func description(at index: Int) -> Description

  /// Returns the description without any value whose release could call the store.
  static func withoutReferences(_ description: Description) -> Description

  /// Returns a record of an effect.
  ///
  /// - Parameters:
  ///   - description: the description, or `nil` if the effect is released and no description was kept.
  ///   - spare: an earlier record without other references, for reuse.
  ///   - locate: fills in an empty place inside the record, because a place is large to move.
  static func record(
    _ description: Description?, reusing spare: consuming Record?, _ locate: (inout EffectPlace<Self>) -> Void
  ) -> Record

  /// Returns the effects in this range, without holding any other.
  func part(_ range: Range<Int>) -> Self

  /// Returns whether the effects before `index` hold no closure and no other effect, so that keeping them costs
  /// nothing.
  ///
  /// - Complexity: constant; may return `false` instead of checking many effects.
  func isPlain(before index: Int) -> Bool

  /// Returns whether this error of a cancelled operation only reports the cancellation.
  static func isCancellation(_ failure: Failure) -> Bool

  /// Returns a program that runs `newest` and then `older`, however `newest` ended.
  static func undo(_ newest: Self, then older: Self) -> Self
}

extension Program {
  func effectLifted(at index: Int, into store: ObjectIdentifier?) -> Self? { nil }

  func commits(from index: Int, to end: Int) -> Int {
    var next = index
    while next < end, case .commit = instruction(at: next) { next += 1 }
    return next - index
  }
}

/// A name that can be nested under another.
protocol ScopeIdentifier: Hashable {
  func isUnder(_ prefix: Self) -> Bool

  /// True if the identifier may hold a value of a user's own type, whose release could call the store.
  var holdsReferences: Bool { get }
}
