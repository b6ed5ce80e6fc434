/// An upper bound of the nesting of a document that is patched.
///
/// A `copy` takes no time for what it copies, so the copied value is not measured each time: it is a part of the
/// document, so it is nested no deeper than the document is below the value's own depth.
struct NestingBound {
  /// The document's nesting when it was last measured; `nil` until it is needed.
  private var measured: Int?
  /// An upper bound of the document's nesting; only meaningful once it was measured.
  private var bound = 0

  /// Checks that a new value may be put at a path.
  ///
  /// - Parameter old: the value whose place it takes, if it takes one.
  /// - Throws: `JSONPatch.Fault` if it would be nested too deep there, and deeper than the old value.
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
  ///   - from: where it is, or was until now.
  ///   - document: the document, before the value is put there.
  /// - Throws: `JSONPatch.Fault` if it would be nested too deep there.
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
    // Only if that makes room for many operations, so that the time to measure is shared by all of them.
    if let measured, measured <= JSONValue.maximumDepth / 2 { measure(document, value, from) }
    bound = max(bound, levels)
  }

  private mutating func measure(_ document: JSONValue, _ value: JSONValue, _ from: JSONPointer) {
    // A value that is being moved is not part of the document any more.
    bound = max(document.nesting, from.tokens.count + value.nesting)
    measured = bound
  }

  private func tooDeep(_ path: JSONPointer) -> JSONPatch.Fault {
    JSONPatch.Fault(reason: "with this value at \(path) \(JSONValue.tooDeep)")
  }
}
