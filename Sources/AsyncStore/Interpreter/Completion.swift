/// The completion of a fiber that was cancelled or ends early, as far as it is known.
struct Completion: OptionSet {
  let rawValue: UInt8
  /// The fiber has no work of its own left, and no child has yet prevented its completion; for a race, an entrant has
  /// completed or may still complete.
  static var possible: Completion { Completion(rawValue: 1 << 0) }
  /// Something that the fiber waits for has completed.
  static var met: Completion { Completion(rawValue: 1 << 1) }
  /// The completion is that of the compensated effect's body alone; the fiber has more to do after it.
  static var ofBody: Completion { Completion(rawValue: 1 << 2) }
  static var complete: Completion { [.possible, .met] }
}
