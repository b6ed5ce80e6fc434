/// An upper bound on the nesting of a document that is being patched.
///
/// A `copy` takes no time for the copied value, so the value is not measured each time. It is part of the document, so
/// its nesting is at most the document's nesting minus the value's own depth.
struct NestingBound {
  /// The document's nesting when it was last measured; `nil` until it is needed.
  private var measured: Int?
  /// An upper bound on the document's nesting; meaningful only once the nesting has been measured.
  private var bound = 0

  /// Checks that a new value may be put at a path.
  ///
  /// - Parameter old: the value that the new one replaces, if any.
  /// - Throws: `JSONPatch.Fault` if the new value would be nested too deep there, and deeper than the old value.
  mutating func put(_ value: JSONValue, at path: JSONPointer, insteadOf old: () throws -> JSONValue?) throws {
    let nesting = value.nesting
    let levels = path.tokens.count + nesting
    if levels > JSONValue.maximumDepth {
      guard let old = try old(), nesting <= old.nesting else { throw tooDeep(path) }
    }
    bound = max(bound, levels)
  }

  /// Checks that a part of the document may be put at a path.
  ///
  /// - Parameters:
  ///   - value: the part.
  ///   - from: the value's place, or its place until now.
  ///   - document: the document, before the value is put there.
  /// - Throws: `JSONPatch.Fault` if the value would be nested too deep there.
  mutating func put(
    _ value: JSONValue, of document: JSONValue, from: JSONPointer, at path: JSONPointer
  ) throws {
    let deeper = path.tokens.count - from.tokens.count
    guard deeper > 0 else { return }
    if measured == nil { measure(document, value, from) }
    if bound + deeper <= JSONValue.maximumDepth {
      bound += deeper
      return
    }
    let levels = path.tokens.count + value.nesting
    guard levels <= JSONValue.maximumDepth else { throw tooDeep(path) }
    // It is worth the time if it makes room for many operations, which then share it.
    if let measured, measured <= JSONValue.maximumDepth / 2 { measure(document, value, from) }
    bound = max(bound, levels)
  }

  private mutating func measure(_ document: JSONValue, _ value: JSONValue, _ from: JSONPointer) {
    // A value that is being moved is no longer part of the document.
    bound = max(document.nesting, from.tokens.count + value.nesting)
    measured = bound
  }

  private func tooDeep(_ path: JSONPointer) -> JSONPatch.Fault {
    JSONPatch.Fault(reason: "with this value at \(path) \(JSONValue.tooDeep)")
  }
}
