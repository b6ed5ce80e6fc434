/// A list of sibling effects as the machine sees them: their number and their instructions.
///
/// The machine is generic over its programs, so that it never sees a user's closure: in the store a program is a
/// reference to the effect's own storage, in the machine's tests it is a plain value that compares with `==`.
protocol Program {
  /// The names that scopes carry.
  associatedtype Identifier: ScopeIdentifier
  /// The error type of operations.
  associatedtype Failure
  /// The shell's data about a tree: the handle that waits for it, the values its operations inherit.
  associatedtype Context
  /// The label of an effect.
  associatedtype Label
  /// The description of an effect, which is kept when the effect itself is released.
  associatedtype Description
  /// The record of an effect that an instrument is told of.
  associatedtype Record

  var count: Int { get }

  /// Returns the effect at `index`, one level deep.
  func instruction(at index: Int) -> Instruction<Self>

  /// Returns the effect of a lift at `index` into this store, or `nil` for any other effect.
  func effectLifted(at index: Int, into store: ObjectIdentifier?) -> Self?

  /// True for a single operation, with nothing beside it.
  var isOperation: Bool { get }

  /// The outermost enclosure of the program's only operation, or `none` if the program does anything else.
  var enclosure: Enclosure { get }

  /// Returns the number of mutations in a row from `index` on, before `end`.
  func commits(from index: Int, to end: Int) -> Int

  /// Returns a description of the effect at `index`.
  func description(at index: Int) -> Description

  /// Returns the description without anything whose release could call the store.
  static func withoutReferences(_ description: Description) -> Description

  /// Returns a record of an effect.
  ///
  /// - Parameters:
  ///   - description: the description; `nil` if the effect is released, and none was kept.
  ///   - spare: an earlier record, which nobody knows any more, to be used again.
  ///   - locate: fills an empty place in, where the record has it: it is large to move.
  static func record(
    _ description: Description?, reusing spare: consuming Record?, _ locate: (inout EffectPlace<Self>) -> Void
  ) -> Record

  /// Returns the effects in this range, and holds nothing of the others.
  func part(_ range: Range<Int>) -> Self

  /// Returns whether the effects before `index` hold no closure and no other effect, so that keeping them costs
  /// nothing.
  ///
  /// - Complexity: constant: it may answer `false` in place of looking at many.
  func isPlain(before index: Int) -> Bool

  /// Returns whether this error of a cancelled operation only says that it was cancelled.
  static func isCancellation(_ failure: Failure) -> Bool

  /// Returns a program that runs `newest`, and then, however that ended, `older`.
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

/// A name that can lie under another one.
protocol ScopeIdentifier: Hashable {
  func isUnder(_ prefix: Self) -> Bool

  /// True if it may hold a value of a user's own type, whose release could call the store.
  var holdsReferences: Bool { get }
}
