/// The position of an event's effect in its tree.
struct EffectPlace<P: Program> {
  struct AttemptNumber: Hashable, Sendable { var number: Int, fiber: UInt64, retry: UInt64 }

  var number: UInt64 = 0
  var parent: UInt64?
  var tree: UInt64 = 0
  var isCancelled = false
  var attempt: AttemptNumber?
  /// The nearest identifier.
  var identifier: P.Identifier?
  /// The identifiers around the nearest one, from the inside out; at most eight.
  var outer: [P.Identifier] = []
  /// The nearest label.
  var label: P.Label?

  /// Releases everything that the place refers to.
  ///
  /// Releases the fields one by one, because releasing the place as a whole goes through its value witness table.
  mutating func clear() {
    if identifier != nil { identifier = nil }
    if !outer.isEmpty { outer = [] }
    if label != nil { label = nil }
  }
}

extension EffectPlace: Sendable where P.Identifier: Sendable, P.Label: Sendable {}
