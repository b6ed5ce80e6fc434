/// The completion of a fiber that has been cancelled, or that ends early, as far as it is known.
struct Completion: OptionSet {
  let rawValue: UInt8
  /// It has only to wait, and all that has settled so far has completed; in a race, one entrant is enough.
  static var possible: Completion { Completion(rawValue: 1 << 0) }
  /// Something that it waits for has completed.
  static var met: Completion { Completion(rawValue: 1 << 1) }
  /// Only the body of the effect that can be undone is meant, after which the fiber has more to do.
  static var ofBody: Completion { Completion(rawValue: 1 << 2) }
  static var complete: Completion { [.possible, .met] }
}
